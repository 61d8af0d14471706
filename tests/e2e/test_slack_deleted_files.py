"""A message that brought documents is deleted: they stay, and so does the way to undo them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.doubles.slack import interactions, payloads
from tests.e2e.test_slack_documents import (
    AMINA,
    DIRECT,
    LEAFLET,
    documents,
    here,
    mode,
    send,
    slack,
    undone,
)

if TYPE_CHECKING:
    from tests.doubles.slack import Message
    from tests.e2e.whole_rig import Whole

__all__ = ["here", "mode", "slack"]


async def sent(made: Whole, id_: str) -> Message:
    shared = made.slack.files.shared(id_)
    message, _ = await made.slack.say(DIRECT, AMINA, "", subtype="file_share", files=shared, upload=True)
    return message


async def delete(made: Whole, message: Message) -> None:
    made.slack.workspace.messages[DIRECT].remove(message)
    assert (await made.slack.deliver(payloads.callback(interactions.deleted(message)))).ok


async def test_what_is_just_being_taken_in_is_finished_and_can_be_undone(here: Whole) -> None:
    slow = here.slack.files.add("F1", "heron-rota.pdf", LEAFLET)
    slow.opened.clear()
    message = await sent(here, "F1")
    await here.slack.until(lambda: here.slack.workspace.posted(DIRECT))
    await delete(here, message)
    slow.opened.set()
    await here.settled()
    await here.slack.until(lambda: here.slack.called("conversations.history"))
    [report] = here.slack.workspace.posted(DIRECT)
    assert "Heron rota" in report.text
    await undone(here, report)
    assert await documents(here) == []


async def test_the_report_on_what_was_taken_in_stays(here: Whole) -> None:
    report = await send(here, "F1")
    [message] = [one for one in here.slack.workspace.messages[DIRECT] if not one.by_bot]
    looked = len(here.slack.called("conversations.history"))
    await delete(here, message)
    await here.slack.until(lambda: len(here.slack.called("conversations.history")) > looked)
    assert here.slack.workspace.posted(DIRECT) == [report]
    assert here.slack.called("chat.delete") == []


async def test_files_that_wait_are_left_alone(here: Whole) -> None:
    slow = here.slack.files.add("F1", "heron-rota.pdf", LEAFLET)
    here.slack.files.add("F2", "other.txt", b"The zebra clinic opens at 7 am on Mondays.")
    slow.opened.clear()
    await sent(here, "F1")
    await here.slack.until(lambda: here.slack.workspace.posted(DIRECT))
    await delete(here, await sent(here, "F2"))
    slow.opened.set()
    await here.settled()
    assert [one.title for one in await documents(here)] == ["Heron rota"]
    assert len(here.slack.workspace.posted(DIRECT)) == 1
