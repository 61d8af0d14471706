"""Someone in need is answered, whatever becomes of the chat that was meant for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.doubles.teams import Broken, Dropped, Refuses, Stuck, TeamsDouble
from tests.doubles.teams.people import AMINA
from tests.e2e.slack_rig import CRISIS
from tests.e2e.teams_rig import running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.doubles.teams import Fault

CHANNEL = "19:ward@thread.tacv2"


@pytest.mark.parametrize("call", ["create", "send"])
@pytest.mark.parametrize(
    "fault", [Broken(500), Broken(502), Refuses(403, "BotNotInConversationRoster"), Dropped(), Stuck()]
)
async def test_where_the_private_chat_fails_the_lines_stand_where_they_wrote(
    call: str, fault: Fault, tmp_path: Path
) -> None:
    async with TeamsDouble() as teams, running(teams, tmp_path, patience=0.3, stream_after=60) as rig:
        rig.engine.reply = CRISIS
        teams.fail(call, fault)
        asked = teams.message(CHANNEL, AMINA, "I want to end my life")
        await teams.deliver(asked)
        await rig.settled()
        assert "116 123" in "".join(posted.text for posted in teams.messages())
        assert rig.waits == []
