"""Slack's events, read: what is for us, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.events import Heard, Identity, Reason, is_direct, read, readable
from memory.conversation import Conversation
from tests.doubles.slack import BOT, TEAM
from tests.doubles.slack.payloads import callback, mention, message

if TYPE_CHECKING:
    from collections.abc import Mapping

ME = Identity(team=TEAM, user=BOT, bot="B0CITEBOT")
TS = "1764500000.000100"
ROOT = "1764400000.000100"


def _read(event: Mapping[str, Any]) -> Heard | None:
    return read(callback(dict(event)), ME)


def test_both_events_of_a_mention_read_the_same() -> None:
    words = ("C1", "U1", f"<@{BOT}> when may I visit?", TS)
    heard = _read(mention(*words))
    assert heard == _read(message(*words))
    assert heard is not None
    assert heard.conversation == Conversation("slack", TEAM, "C1", TS)
    assert (heard.text, heard.reason) == ("when may I visit?", Reason.MENTION)


def test_a_mention_in_a_thread_belongs_to_the_thread() -> None:
    heard = _read(mention("C1", "U1", f"<@{BOT}> and now?", TS, thread_ts=ROOT))
    assert heard is not None
    assert (heard.conversation.thread, heard.ts) == (ROOT, TS)


@pytest.mark.parametrize(("thread", "conversation"), [(None, ""), (ROOT, ROOT)])
def test_a_direct_message_is_for_us_whatever_it_mentions(thread: str | None, conversation: str) -> None:
    heard = _read(message("D1", "U1", "<@U2> says hello", TS, thread_ts=thread))
    assert heard is not None
    assert (heard.reason, heard.conversation.thread) == (Reason.DIRECT, conversation)


def test_a_mention_event_of_a_direct_message_is_left_to_its_message() -> None:
    assert _read(mention("D1", "U1", f"<@{BOT}> hello", TS)) is None


def test_a_reply_in_a_thread_may_be_for_us() -> None:
    heard = _read(message("C1", "U1", "and children?", TS, thread_ts=ROOT))
    assert heard is not None
    assert heard.reason is Reason.THREAD


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_what_people_write_with_a_file_or_to_the_channel_as_well_is_read(subtype: str) -> None:
    assert _read(message("C1", "U1", "and this?", TS, thread_ts=ROOT, subtype=subtype)) is not None


@pytest.mark.parametrize(
    "event",
    [
        message("C1", "U1", "lunch?", TS),
        message("C1", "U1", "lunch?", TS, thread_ts=TS),
        message("C1", "U1", "<@U2> lunch?", TS, thread_ts=ROOT),
        message("C1", "U1", "<!here> lunch?", TS, thread_ts=ROOT),
        message("C1", "U1", "<!subteam^S1|@nurses> lunch?", TS, thread_ts=ROOT),
        message("D1", "U1", "x", TS, subtype="message_changed"),
        message("D1", "U1", "x", TS, subtype="channel_join"),
        message("D1", "U1", "x", TS, subtype="assistant_app_thread"),
        message("D1", "U1", "x", TS, subtype="bot_message"),
        message("D1", "U1", "x", TS, bot_id="B9"),
        message("D1", BOT, "x", TS),
        message("D1", "USLACKBOT", "x", TS),
        message("D1", "U1", "x", TS, hidden=True),
        mention("C1", "U1", f"<@{BOT}> x", TS, bot_id="B9"),
        {"type": "message", "channel": "D1", "ts": TS},
        {"type": "reaction_added", "user": "U1"},
        {"type": "message", "channel": 1, "user": [], "ts": None},
    ],
)
def test_what_is_not_said_to_us_by_a_person_is_left_alone(event: dict[str, Any]) -> None:
    assert _read(event) is None


@pytest.mark.parametrize("body", [{}, {"event": None}, {"event": "x"}, {"event": {"type": "message"}}])
def test_a_payload_of_another_shape_is_left_alone(body: dict[str, Any]) -> None:
    assert read(body, ME) is None


@pytest.mark.parametrize("field", ["team", "user_team", "source_team"])
def test_an_event_that_names_another_workspace_comes_from_outside(field: str) -> None:
    outside = _read(message("D1", "U1", "hello", TS) | {field: "T0PARTNER"})
    inside = _read(message("D1", "U1", "hello", TS) | {field: TEAM})
    assert outside is not None
    assert inside is not None
    assert (outside.outside, inside.outside) == (True, False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"<@{BOT}> when?", "when?"),
        (f"<@{BOT}|citewell>: when?", "when?"),
        (f"Hey <@{BOT}>, when?", "Hey when?"),
        (f"<@{BOT}>", ""),
        ("I worry about <@U2>", "I worry about @someone"),
        ("ask <@U2|ben>", "ask @ben"),
        ("see <#C2|wards> and <#C3>", "see #wards and #channel"),
        ("<!here> <!channel|channel> <!subteam^S1|@nurses> <!subteam^S2>", "@here channel @nurses @group"),
        ("<!date^1764500000^{date}|30 November>", "30 November"),
        ("read <https://a.example/x?y=1&amp;z=2|the leaflet>", "read the leaflet"),
        ("read <https://a.example/x?y=1&amp;z=2>", "read https://a.example/x?y=1&z=2"),
        ("<mailto:a@b.example|a@b.example> <mailto:c@d.example>", "a@b.example c@d.example"),
        ("less than &lt;5 mg&gt; &amp; more", "less than <5 mg> & more"),
        ("&lt;@U2&gt; is no mention", "<@U2> is no mention"),
        ("&amp;lt; stays", "&lt; stays"),
        ("two\n  lines  here", "two\nlines here"),
    ],
)
def test_text_reads_as_a_person_reads_it(text: str, shown: str) -> None:
    assert readable(text, ME) == shown


@given(st.text(st.sampled_from("<>&@#!|^ab \nlt;U1"), max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert f"<@{BOT}>" not in readable(f"<@{BOT}> {text}", ME)


def test_direct_messages_are_known_by_their_channel() -> None:
    assert is_direct("D1")
    assert not is_direct("C1")
    assert not is_direct("G1")
