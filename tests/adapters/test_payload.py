from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.payload import from_payload, to_payload
from bot.messages import Author, IncomingMessage
from memory.conversation import Conversation

words = st.text(max_size=20)
maybe = st.none() | words
messages = st.builds(
    IncomingMessage,
    id=words,
    conversation=st.builds(Conversation, words, words, words, words),
    author=st.builds(Author, words, st.booleans(), maybe, maybe, maybe),
    text=st.text(),
    received_at=st.datetimes(timezones=st.just(UTC)),
)
MESSAGE = IncomingMessage(
    "1.1", Conversation("slack", "T", "C", "1.0"), Author("U"), "When?", datetime(2026, 3, 1, tzinfo=UTC)
)


@given(messages)
def test_a_message_comes_back_as_it_was(message: IncomingMessage) -> None:
    assert from_payload(to_payload(message)) == message


def test_what_cannot_be_encoded_is_replaced() -> None:
    assert from_payload(to_payload(replace(MESSAGE, text="a\ud800b"))).text == "a\ufffdb"


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"text": None},
        {"received_at": "2026-03-01T00:00:00"},
        {"unknown": 1},
        {"author": {"id": "U"}},
    ],
)
def test_anything_else_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        from_payload(json.dumps({**json.loads(to_payload(MESSAGE)), **change}))


@pytest.mark.parametrize("payload", ["", "{}", "[", "null"])
def test_a_payload_that_is_no_message_is_refused(payload: str) -> None:
    with pytest.raises(ValueError, match="validation error"):
        from_payload(payload)
