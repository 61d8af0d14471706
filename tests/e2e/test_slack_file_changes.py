"""Messages with files that are edited, or asked again: the files stay with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.standing import file_name, files_of
from bot.messages import Attachment
from tests.doubles.slack import BOT, ApiError
from tests.e2e.test_slack import AMINA, CHANNEL, mode, rig, slack
from tests.e2e.test_slack_changes import busy_with_another, delete, edit
from tests.e2e.test_slack_surfaces import answered, buttons, whispered

if TYPE_CHECKING:
    from tests.e2e.slack_rig import Rig

__all__ = ["mode", "rig", "slack"]
ROTA = [{"id": "F1", "name": "rota.pdf"}]
ATTACHED = (Attachment("F1", "rota.pdf"),)


async def test_a_waiting_message_that_is_edited_keeps_its_files(rig: Rig) -> None:
    waiting = await busy_with_another(rig)
    waiting.files = ROTA
    await edit(rig, waiting, "and for children?")
    rig.engine.gate.set()
    await rig.settled()
    assert [(one.text, one.files) for one in rig.engine.asked[1:]] == [("and for children?", ATTACHED)]


async def test_asked_again_a_message_brings_its_files(rig: Rig) -> None:
    asked, _ = await answered(rig)
    asked.files = ROTA
    await edit(rig, asked, f"<@{BOT}> when may children visit?")
    [button] = buttons((await whispered(rig)).blocks, "again")
    await rig.slack.click(button, rig.slack.workspace.ephemeral[0], AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.posted(CHANNEL)) == 2)
    assert rig.engine.asked[-1].files == ATTACHED


async def test_an_answer_that_went_out_as_a_file_goes_with_its_question(rig: Rig) -> None:
    rig.slack.fail("chat.postMessage", *[ApiError("invalid_blocks"), ApiError("msg_too_long")])
    asked, answer = await answered(rig)
    assert [file["id"] for file in answer.files] == list(rig.slack.workspace.uploads.content)
    await delete(rig, asked, replied_to=True)
    await rig.slack.until(lambda: rig.slack.workspace.posted(CHANNEL) == [])
    assert rig.slack.workspace.uploads.content == {}


def test_a_file_belongs_to_its_question_however_often_that_was_asked() -> None:
    key = "slack:T1:C1:1.1"
    listed = [{"id": f"F{n}", "name": file_name(one)} for n, one in enumerate([key, f"{key}+2.2", "slack:T1:C1:1.2"])]
    assert files_of({"files": listed}, key) == ["F0", "F1"]
    assert len({one["name"] for one in listed}) == 3
