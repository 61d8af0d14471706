"""What Teams sends, read."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.teams.activities import Activity, Malformed, heard, parsed, readable
from adapters.teams.clicks import Thumb, clicked, comment, thumb
from memory.conversation import Conversation

if TYPE_CHECKING:
    from pathlib import Path

BOT = {"id": "28:bot", "name": "Citewell"}
OURS = "<at>Citewell</at>"
KAYA = "<at>Dr Kaya</at>"


def activity(**more: Any) -> Activity:
    given: dict[str, Any] = {
        "type": "message",
        "id": "1764500000001",
        "channelId": "msteams",
        "serviceUrl": "https://smba.trafficmanager.net/emea/",
        "from": {"id": "29:1amina", "name": "Amina", "aadObjectId": "aad-amina"},
        "recipient": BOT,
        "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "t"},
        "text": "when?",
    }
    return parsed(json.dumps(given | more).encode())


def mention(text: str | None = OURS, id_: str = "28:bot") -> dict[str, Any]:
    return {"type": "mention", "mentioned": {"id": id_, "name": "x"}, "text": text}


@pytest.mark.parametrize(
    ("text", "entities", "read"),
    [
        (f"{OURS} when is it open?", [mention()], "when is it open?"),
        (f"{OURS}, when is it open?", [mention()], "when is it open?"),
        (f"{OURS}\u00a0: when?", [mention()], "when?"),
        (f"{OURS} does Citewell know?", [mention()], "does Citewell know?"),
        (f"{OURS} {OURS} twice", [mention(), mention()], "twice"),
        (f"ask {OURS} and <at>Dr Kaya</at>", [mention(), mention("<at>Dr Kaya</at>", "29:k")], "ask and @Dr Kaya"),
        (f"{OURS} ask {OURS}", [mention(), mention(OURS, "29:namesake")], "ask @Citewell"),
        (f"{OURS} ask {OURS}", [mention(OURS, "29:namesake"), mention()], "@Citewell ask"),
        ('<at id="0">Citewell</at> hi', [mention('<at id="0">Citewell</at>')], "hi"),
        ("<at>Somebody</at> hi", [], "Somebody hi"),
        ("Citewell hi", [mention("Citewell")], "Citewell hi"),
        (f"{OURS} sources {KAYA}", [mention(KAYA, "29:k"), mention()], "sources @Dr Kaya"),
        (f"{OURS} sources {KAYA}", [mention(None), mention(KAYA, "29:k")], "sources @Dr Kaya"),
        ('<at id="0">citewell</at>: sources', [mention()], "sources"),
        ("<at>Citewell</at> asks <at>Citewell</at>", [mention(None)], "asks Citewell"),
        (f"{OURS} a &lt; b &amp;amp; c", [mention()], "a < b &amp; c"),
        ("one\r\n\r\n two  three ", [], "one\n\ntwo three"),
        (OURS, [mention()], ""),
        ("/sources", [], "sources"),
        (f"{OURS} /Forget", [mention()], "forget"),
        ("what is /sources for?", [], "what is /sources for?"),
        ("hi", [None, 5, "x", [], {"type": 7}, {"type": "mention"}, {"type": "mention", "mentioned": {}}], "hi"),
    ],
)
def test_a_text_is_read_as_a_person_reads_it(text: str, entities: list[Any], read: str) -> None:
    assert readable(activity(text=text, entities=entities)) == read


@pytest.mark.parametrize("form", ["xml", "XML", "plain", "markdown", None])
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I want to <b>end</b> my life", "I want to end my life"),
        ("I want to k<span style='color: red'></span>ill my<I>self</I>", "I want to kill myself"),
        ("<div>I want to</div><div>end my&nbsp;life</div>", "I want to\n\nend my life"),
        ("I want to<br/>end my life", "I want to\nend my life"),
        ('<p>I feel <img alt="\U0001f62d" src="https://x.example/y"></p>', "I feel \U0001f62d"),
        ("is it safe at age &lt; 5 &amp; alone?", "is it safe at age < 5 & alone?"),
        ("is it safe at age < 5 and > 2?", "is it safe at age < 5 and > 2?"),
        ("I want to <b end my life", "I want to <b end my life"),
        ("<!-- I want to end my life", "<!-- I want to end my life"),
    ],
)
def test_tags_are_never_words_and_no_word_is_taken_for_a_tag(text: str, form: str | None, read: str) -> None:
    assert readable(activity(text=text, textFormat=form)) == read


def test_what_is_no_tag_of_html_stays_where_nobody_said_that_there_is_any() -> None:
    assert readable(activity(text="is a<b and c>d?")) == "is a<b and c>d?"
    assert readable(activity(text="is <attachment id='7'></attachment>it?", textFormat="xml")) == "is it?"


@given(st.text(max_size=60))
def test_of_a_text_that_ends_within_markup_nothing_is_lost(said: str) -> None:
    read = readable(activity(text=f"<script>{said.replace('<', '').replace('>', '')} end my life <p", textFormat="xml"))
    assert read.endswith("end my life <p")


@pytest.mark.parametrize(
    ("conversation", "where"),
    [
        ({"id": "a:1", "conversationType": "personal"}, ("a:1", "")),
        ({"id": "19:g@thread.v2", "conversationType": "groupChat"}, ("19:g@thread.v2", "")),
        ({"id": "19:c@thread.tacv2;messageid=17", "conversationType": "channel"}, ("19:c@thread.tacv2", "17")),
        ({"id": "19:c@thread.tacv2", "conversationType": "channel"}, ("19:c@thread.tacv2", "1764500000001")),
    ],
)
def test_a_conversation_is_the_chat_or_the_thread(conversation: dict[str, str], where: tuple[str, str]) -> None:
    read = activity(conversation=conversation | {"tenantId": "t"})
    assert read.where == Conversation("teams", "t", *where)
    assert Conversation.parse(read.where.key) == read.where


@pytest.mark.parametrize(
    "more",
    [
        {"from": BOT},
        {"from": {"id": "28:other"}},
        {"id": ""},
        {"text": "", "value": {"citewell": "sources"}},
        {"type": "typing"},
        {"conversation": {"id": "19:g", "conversationType": "groupChat", "tenantId": "t"}},
        {"conversation": {"id": "19:g", "conversationType": "new kind", "tenantId": "t"}},
    ],
)
def test_what_no_person_says_to_us_is_not_heard(more: dict[str, Any]) -> None:
    assert heard(activity(**more)) is None


def test_tenants_are_told_apart() -> None:
    assert not activity().outside
    assert activity(channelData={"tenant": {"id": "other"}}).outside
    assert activity(**{"from": {"id": "29:x", "tenantId": "other"}}).outside
    assert not activity(channelData="rubbish").outside


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["entities", "channelData", "value", "text", "from", "recipient", "conversation", "locale", "type", "id", "name"]
)


@given(FIELDS, JSON)
def test_whatever_stands_in_a_field_it_is_read_or_refused_and_nothing_breaks(field: str, value: object) -> None:
    try:
        read = activity(**{field: value})
    except Malformed:
        return
    heard(read)
    readable(read)
    clicked(read)
    thumb(read)
    comment(read)
    assert read.where.key
    assert isinstance(read.outside, bool)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(Malformed):
        parsed(body)


@given(st.text(max_size=60), st.text(max_size=60))
def test_of_the_words_around_a_mention_nothing_is_lost(before: str, after: str) -> None:
    read = readable(activity(text=f"{before} {OURS} {after}", entities=[mention()]))
    alone = readable(activity(text=f"{before} {after}", entities=[]))
    assert set("".join(alone.split())) - set(",:;") <= set(read) | {"@"}


def test_what_the_playground_sends_is_read(shared: Path) -> None:
    folder = shared / "teams"
    kinds = {}
    for file in sorted(folder.glob("*.json")):
        read = parsed(file.read_bytes())
        said = heard(read)
        kinds[file.stem] = said.text if said else None
    assert kinds["message_personal"] == "hello personal"
    assert kinds["message_group_mention"] == "hello group"
    assert kinds["message_channel_mention_root"] == "hello channel"
    assert kinds["message_card_submit"] is None
    assert kinds["template_install_team-id"] is None


def test_the_playgrounds_thumb_is_read(shared: Path) -> None:
    body = json.loads((shared / "teams" / "invoke_message_submitAction.json").read_text())
    activity = parsed(json.dumps(body | {"replyToId": "17"}).encode())
    assert thumb(activity) == Thumb("17", good=True)
    assert comment(activity) == "good"
