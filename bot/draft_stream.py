"""What can be read of a draft while it is still being written."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json


def whole_sentences(text: str) -> list[Any]:
    """The sentences of a draft's JSON that have been written to their end, as they stand there; nothing is checked.

    A sentence has its end once another begins: the last one is read with the whole draft only. There are none before
    the draft is said to be a fact, nor where the text is no JSON so far.
    """
    try:
        draft = from_json(text[text.index("{") :], allow_partial=True)
    except ValueError:
        return []
    sentences = draft.get("sentences")
    return sentences[:-1] if draft.get("kind") == "fact" and isinstance(sentences, list) else []
