"""A hiccup of Slack's at a click, a page, a window or a deletion: tried again, so that nothing ends in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.home import FORGET_ACTION
from adapters.slack.payload import SHORTCUT
from retrieval.errors import IndexUnavailable
from tests.doubles.slack import ApiError, Broken, RateLimited, interactions, payloads
from tests.e2e.test_slack import AMINA, CHANNEL, WORDS, mode, rig, slack
from tests.e2e.test_slack_changes import delete
from tests.e2e.test_slack_surfaces import answered, buttons, whispered

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.slack_rig import Rig

__all__ = ["mode", "rig", "slack"]
PASSING = pytest.mark.parametrize("fault", [lambda: RateLimited(0), Broken], ids=["429", "500"])


@PASSING
async def test_a_click_is_met_with_what_was_clicked_for(rig: Rig, fault: Callable[[], Any]) -> None:
    _, answer = await answered(rig)
    rig.slack.fail("chat.postEphemeral", fault())
    [button] = buttons(answer.blocks, "sources")
    await rig.slack.click(button, answer, AMINA)
    assert buttons((await whispered(rig)).blocks, "place"), "the passages, not an apology"


@PASSING
async def test_a_deleted_question_takes_its_answer_with_it(rig: Rig, fault: Callable[[], Any]) -> None:
    asked, _ = await answered(rig)
    rig.slack.fail("chat.delete", fault())
    rig.slack.fail("conversations.replies", fault())
    await delete(rig, asked)
    await rig.slack.until(lambda: not rig.slack.workspace.posted(CHANNEL))


@PASSING
async def test_the_page_says_what_a_button_did(rig: Rig, fault: Callable[[], Any]) -> None:
    await answered(rig)
    rig.slack.fail("views.publish", fault())
    button = {"action_id": FORGET_ACTION, "value": "all", "type": "button"}
    await rig.slack.deliver(payloads.home_click(button, AMINA), "interactive")
    await rig.slack.until(lambda: AMINA in rig.slack.workspace.homes)


async def slow_window(rig: Rig, *faults: Any) -> None:
    """A window that stands before what it is to show does."""
    _, answer = await answered(rig)
    rig.shelf.gate.clear()
    rig.slack.fail("views.update", *faults)
    await rig.slack.deliver(interactions.shortcut(SHORTCUT, answer, AMINA), "interactive")
    await rig.slack.until(lambda: rig.slack.called("views.open"))
    rig.shelf.gate.set()


@PASSING
async def test_a_window_does_not_stay_at_looking_it_up(rig: Rig, fault: Callable[[], Any]) -> None:
    await slow_window(rig, fault())
    await rig.slack.until(lambda: len(rig.slack.called("views.update")) == 2)


async def test_where_a_window_cannot_be_filled_that_is_said(rig: Rig) -> None:
    await slow_window(rig, ApiError("not_found"))
    assert (await whispered(rig)).text == WORDS.again.failed


async def test_the_command_is_acknowledged_with_a_sentence_while_the_index_is_down(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    await answered(rig)
    rig.shelf.error = IndexUnavailable("down")
    ack = await rig.slack.command("/sources", CHANNEL, AMINA)
    assert ack.ok
    assert ack.payload["text"] == WORDS.again.failed
    assert "Traceback" not in caplog.text
