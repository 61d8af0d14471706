"""Edits and deletions, read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.changes import Deleted, Edited, read_change
from adapters.slack.events import Identity, Reason
from tests.doubles.slack import BOT, TEAM, Message, interactions

ME = Identity(TEAM, BOT, "B0CITEBOT")
AMINA = "U0AMINA"
TS, LATER, EDIT = "1764500000.000001", "1764500000.000002", "1764500900.000000"


def edited(message: Message, text: str, **more: Any) -> Edited | Deleted | None:
    return read_change({"event": interactions.changed(message, text, EDIT, **more)}, ME)


def test_an_edit_has_the_key_that_the_message_had_and_its_new_words() -> None:
    change = edited(Message("C0WARD", TS, AMINA, "when?"), f"<@{BOT}> when may I &amp; others visit?")
    assert isinstance(change, Edited)
    assert change.key == f"slack:{TEAM}:C0WARD:{TS}"
    assert change.conversation.thread == TS
    assert change.heard is not None
    assert (change.heard.text, change.heard.reason) == ("when may I & others visit?", Reason.MENTION)


@pytest.mark.parametrize(
    ("channel", "thread", "kept"),
    [
        ("C0WARD", None, TS),
        ("C0WARD", TS, TS),
        ("C0WARD", "1.1", "1.1"),
        ("D0A", None, ""),
        ("D0A", TS, ""),
        ("D0A", "1.1", "1.1"),
    ],
)
def test_a_message_keeps_the_conversation_that_it_had_when_it_came(channel: str, thread: str | None, kept: str) -> None:
    message = Message(channel, TS, AMINA, f"<@{BOT}> when?", thread)
    change = edited(message, f"<@{BOT}> where?")
    assert isinstance(change, Edited)
    assert change.heard is not None
    assert change.conversation.thread == change.heard.conversation.thread == kept
    for event in (interactions.deleted(message), interactions.tombstone(message)):
        gone = read_change({"event": event}, ME)
        assert isinstance(gone, Deleted)
        assert (gone.conversation.thread, gone.user, gone.ts) == (kept, AMINA, TS)


@pytest.mark.parametrize(
    "more",
    [
        {"edited": {"user": "U0BEN", "ts": EDIT}},
        {"bot_id": "B0OTHER"},
        {"user": BOT},
        {"user": "USLACKBOT"},
        {"edited": {"ts": "soon"}},
    ],
)
def test_only_a_persons_own_edit_counts(more: dict[str, Any]) -> None:
    assert edited(Message("D0A", TS, AMINA, "when?"), "where?", **more) is None


def test_an_edit_of_a_message_to_others_is_not_for_us() -> None:
    change = edited(Message("C0WARD", TS, AMINA, "lunch?"), "lunch at 1?")
    assert isinstance(change, Edited)
    assert change.heard is None


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "message"},
        {"subtype": "message_changed"},
        {"type": "message", "subtype": "message_deleted", "channel": "C"},
    ],
)
def test_what_says_too_little_is_no_change(event: dict[str, Any]) -> None:
    assert read_change({"event": event}, ME) is None


JSON = st.recursive(
    st.none() | st.text(max_size=8) | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["user", "ts", "text", "edited", "subtype", "thread_ts"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, JSON, st.sampled_from(["message_changed", "message_deleted"]))
def test_nothing_that_comes_breaks_the_reading(now: Any, before: Any, subtype: str) -> None:
    event = {"type": "message", "subtype": subtype, "channel": "C0WARD", "message": now, "previous_message": before}
    change = read_change({"event": event}, ME)
    assert change is None or change.ts
