"""The look at the meaning is taken where the search has the model that it was fitted for, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.app import build
from adapters.backends import choose_meaning
from retrieval.embed import HashEmbedder
from retrieval.local import LocalEmbedder
from tests.adapters.test_app import settings

if TYPE_CHECKING:
    from pathlib import Path


def test_only_the_model_that_it_was_fitted_for_will_do() -> None:
    assert choose_meaning(None) is None
    assert choose_meaning(HashEmbedder()) is None
    assert choose_meaning(LocalEmbedder.minilm()) is not None


async def test_without_an_embedder_messages_are_answered_without_it(tmp_path: Path) -> None:
    async with await build(settings(tmp_path, embedder="none")) as app:
        assert app.engine.meaning is None
