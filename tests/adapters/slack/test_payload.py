"""Whatever Slack sends is either handed to Bolt in a form that Bolt can read, or named as what it is."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_bolt.async_app import AsyncBoltRequest

from adapters.slack.payload import Malformed, decoded, read
from tests.doubles.slack import payloads

MESSAGE = payloads.callback(payloads.message("D0AMINA", "U0AMINA", "when?", "1764500000.000100"))
COMMAND = payloads.command("/sources", "C0WARD", "U0AMINA")
BUTTON = {"action_id": "passage:1", "value": "flu#0", "type": "button"}
CLICK = payloads.click(BUTTON, "C0WARD", "U0AMINA", "1764500000.000100", thread_ts="1764500000.000050")

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """A good body with some of its fields gone, replaced or new, at the top or in a part."""
    body = dict(draw(st.sampled_from([MESSAGE, COMMAND, CLICK])))
    known = ["type", "event", "user", "channel", "authorizations", "view", "team", "enterprise", "actions", "container"]
    for name in draw(st.lists(st.sampled_from([*known, *body]), max_size=3)):
        inner = body.get(name)
        if isinstance(inner, dict) and inner and draw(st.booleans()):
            body[name] = inner | {draw(st.sampled_from(sorted(inner))): draw(JSON)}
        else:
            body[name] = draw(JSON)
    return body


@given(st.one_of(JSON, bodies()))
def test_bolt_can_read_what_it_is_handed(body: object) -> None:
    try:
        known = read(body)
    except Malformed:
        return
    if known is not None:
        AsyncBoltRequest(mode="socket_mode", body=known)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_named_malformed(body: bytes) -> None:
    with suppress(Malformed):
        decoded(body)


@pytest.mark.parametrize("body", [MESSAGE, COMMAND, CLICK])
def test_what_is_in_order_is_handed_on_with_the_fields_we_go_by(body: dict[str, Any]) -> None:
    known = read(body)
    assert known is not None
    assert all(name in body for name in known)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "app_rate_limited", "team_id": "T0"},
        {"type": "view_submission", "view": None},
        payloads.callback({"type": "team_join", "user": {}}),
        payloads.callback(payloads.message("D0AMINA", "U0AMINA", "x", "1") | {"channel": 5}),
        CLICK | {"actions": [{"action_id": "from_last_year"}]},
    ],
)
def test_what_asks_nothing_of_us_is_none(body: dict[str, Any]) -> None:
    assert read(body) is None


def test_a_passage_button_needs_a_channel_in_one_place_or_the_other() -> None:
    bare = {name: value for name, value in CLICK.items() if name != "channel"}
    assert read(bare) is not None
    with pytest.raises(Malformed, match="channel"):
        read({name: value for name, value in bare.items() if name != "container"})


def test_what_is_wrong_is_named_without_what_was_sent() -> None:
    with pytest.raises(Malformed, match=r"^missing or wrong: channel_id, user_id$"):
        read({"command": "/sources", "channel_id": ["said in private"]})
