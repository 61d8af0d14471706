"""Golden transcripts: whole conversations, held on every platform alike."""

import pytest

pytest.register_assert_rewrite("tests.golden.holding")
