"""Words of someone at risk in a comment on an answer: they are no message, and none is made up for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.turn import Fault
from tests.doubles.slack import Broken, interactions
from tests.e2e.slack_rig import CRISIS_ALERTED, running
from tests.e2e.test_slack import AMINA
from tests.e2e.test_slack_crisis import TEAM_OF_CARE, alert_in, slack
from tests.e2e.test_slack_surfaces import asked_why, given

if TYPE_CHECKING:
    from pathlib import Path

    from tests.doubles.slack import SlackDouble

__all__ = ["slack"]
_TIMES = ("ts", "thread_ts", "message_ts", "oldest", "latest")


async def test_slack_is_told_no_timestamp_that_is_none_and_the_alert_speaks_of_no_message(
    slack: SlackDouble, tmp_path: Path
) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE) as rig:
        view = await asked_why(rig)
        rig.engine.reply = CRISIS_ALERTED
        slack.fail("chat.postEphemeral", Broken(after_the_fact=False))
        words = given(Fault.OTHER, "I want to kill myself")
        await slack.deliver(interactions.submission(view, AMINA, words), "interactive")
        await rig.settled()
    alert = alert_in(slack)
    assert f"<@{AMINA}> may need help" in alert.text
    assert "no message" in alert.text
    assert [block["type"] for block in alert.blocks] == ["section"]
    assert slack.workspace.ephemeral, "the person's own reply"
    said = [call.arguments[name] for call in slack._api.calls for name in _TIMES if call.arguments.get(name)]
    assert [one for one in said if not re.fullmatch(r"\d+\.\d{6}", str(one))] == []
