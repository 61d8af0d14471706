"""Messages with files that are edited, or asked again: the files stay with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.messages import Attachment
from tests.doubles.slack import BOT
from tests.e2e.test_slack import AMINA, CHANNEL, mode, rig, slack
from tests.e2e.test_slack_changes import busy_with_another, edit
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
