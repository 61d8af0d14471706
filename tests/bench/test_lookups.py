"""The figures of look-ups hold: no wrong value, and nine in ten right."""

from __future__ import annotations

import pytest

from tests.bench.lookups import asked, judged, opened, questions


@pytest.mark.parametrize("half", [0, 1])
async def test_generated_questions_get_no_wrong_value(half: int) -> None:
    with opened() as lookups:
        verdicts = [judged(one, await asked(lookups, one.text)) for one in questions()[half]]
    assert verdicts.count("wrong") == 0
    assert verdicts.count("right") >= 0.9 * len(verdicts)


@pytest.mark.parametrize("seed", range(3))
async def test_other_seeds_give_no_wrong_value_either(seed: int) -> None:
    with opened() as lookups:
        for half in questions(seed):
            assert [one for one in half if judged(one, await asked(lookups, one.text)) == "wrong"] == []
