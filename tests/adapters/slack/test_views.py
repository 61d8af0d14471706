"""Opening a modal within its trigger's time, and what the double refuses of modals as Slack does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.clicks import Click, NoWindow
from adapters.slack.client import web_client
from adapters.slack.events import PLATFORM, Identity
from adapters.slack.passage_view import View, said, waiting
from adapters.slack.workspaces import Workspace
from bot.errors import Transient
from bot.messages import Author
from bot.wording import wording
from memory.conversation import Conversation
from tests.doubles.slack import BOT, TEAM, Broken, SlackDouble
from tests.doubles.slack.limits import Refused
from tests.doubles.slack.views import Views, check_view

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

WORDS = wording()
WAITING = waiting("Sources", WORDS)
READY = said("Sources", "Here they are.", WORDS)


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        slack.workspace.views.issue("1.2.abc")
        yield slack


def click_in(slack: SlackDouble, trigger: str = "1.2.abc") -> Click:
    me = Identity(TEAM, BOT, "B0CITEBOT")
    here = Workspace(me, web_client(slack.bot_token, base_url=slack.base_url))
    return Click(here, Conversation(PLATFORM, TEAM, "C0WARD"), Author("U0AMINA"), trigger=trigger)


async def ready() -> View:
    return READY


async def test_what_is_ready_is_shown_at_once(slack: SlackDouble) -> None:
    await click_in(slack).show(ready(), WAITING, patience=60)
    assert [view["blocks"] for view in slack.workspace.views.shown] == [READY["blocks"]]


async def test_what_takes_long_is_shown_in_the_place_of_a_word_that_it_is_coming(slack: SlackDouble) -> None:
    gate = asyncio.Event()

    async def slow() -> View:
        await gate.wait()
        return READY

    showing = asyncio.create_task(click_in(slack).show(slow(), WAITING, patience=0))
    await slack.until(lambda: slack.workspace.views.shown)
    assert [view["blocks"] for view in slack.workspace.views.stack] == [WAITING["blocks"]]
    gate.set()
    await showing
    assert [view["blocks"] for view in slack.workspace.views.stack] == [READY["blocks"]]
    assert len(slack.called("views.open")) == len(slack.called("views.update")) == 1


@pytest.mark.parametrize("trigger", ["", "unknown"])
async def test_without_a_good_trigger_there_is_no_window(slack: SlackDouble, trigger: str) -> None:
    with pytest.raises(NoWindow):
        await click_in(slack, trigger).show(ready(), WAITING)
    assert slack.workspace.views.shown == []


async def test_a_fault_of_slacks_is_no_window_either(slack: SlackDouble) -> None:
    slack.fail("views.open", Broken())
    with pytest.raises(NoWindow):
        await click_in(slack).show(ready(), WAITING)


async def test_what_cannot_be_built_is_raised(slack: SlackDouble) -> None:
    async def broken() -> View:
        raise Transient("the index is down")

    with pytest.raises(Transient, match="the index is down"):
        await click_in(slack).show(broken(), WAITING)


# The double


@pytest.fixture
def views() -> tuple[Views, list[float]]:
    now = [0.0]
    return Views(lambda: now[0]), now


def _open(views: Views, method: str = "views.open", **arguments: Any) -> dict[str, Any]:
    return views.methods[method]({"trigger_id": "t", "view": READY, **arguments})


def test_a_trigger_is_good_once(views: tuple[Views, list[float]]) -> None:
    views[0].issue("t")
    _open(views[0])
    with pytest.raises(Refused, match="exchanged_trigger_id"):
        _open(views[0])


@pytest.mark.parametrize(("late", "good"), [(2.9, True), (3.1, False)])
def test_a_trigger_is_good_for_three_seconds(views: tuple[Views, list[float]], late: float, *, good: bool) -> None:
    views[0].issue("t")
    views[1][0] = late
    if good:
        _open(views[0])
    else:
        with pytest.raises(Refused, match="expired_trigger_id"):
            _open(views[0])


def test_a_made_up_trigger_is_refused(views: tuple[Views, list[float]]) -> None:
    with pytest.raises(Refused, match="invalid_trigger_id"):
        _open(views[0])


def test_views_are_pushed_on_one_another_up_to_three(views: tuple[Views, list[float]]) -> None:
    for trigger in "abcd":
        views[0].issue(trigger)
    with pytest.raises(Refused, match="not_found"):
        _open(views[0], "views.push", trigger_id="a")
    _open(views[0], trigger_id="b")
    for trigger in "cd":
        _open(views[0], "views.push", trigger_id=trigger)
    views[0].issue("e")
    with pytest.raises(Refused, match="push_limit_reached"):
        _open(views[0], "views.push", trigger_id="e")


def test_only_what_is_open_is_updated(views: tuple[Views, list[float]]) -> None:
    with pytest.raises(Refused, match="not_found"):
        _open(views[0], "views.update", view_id="V00000")


SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
INPUT = {
    "type": "input",
    "block_id": "b",
    "label": {"type": "plain_text", "text": "x"},
    "element": {"type": "plain_text_input", "action_id": "a"},
}
SUBMIT = {"submit": {"type": "plain_text", "text": "x"}}


@pytest.mark.parametrize(
    "more",
    [
        {"blocks": []},
        {"blocks": [SECTION] * 101},
        {"title": {"type": "plain_text", "text": "x" * 25}},
        {"close": {"type": "plain_text", "text": "x" * 25}},
        {"submit": {"type": "plain_text", "text": ""}},
        {"private_metadata": "x" * 3_001},
        {"callback_id": "x" * 256},
        {"blocks": [INPUT]},
        {"blocks": [INPUT, INPUT], **SUBMIT},
        {"blocks": [{**INPUT, "element": {"options": []}}], **SUBMIT},
        {"blocks": [{**INPUT, "element": {"max_length": 3_001}}], **SUBMIT},
        {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]},
        {"blocks": [SECTION | {"accessory": {"type": "button", "action_id": "a", "text": {"text": ""}}}]},
    ],
)
def test_a_modal_beyond_the_limits_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_view({**READY, **more})
    check_view(READY)
