"""A running bot told by SIGHUP to read its settings again."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from tests.e2e.test_serve import AMINA, CHANNEL, QUESTION, QUOTE, Stage
from tests.e2e.test_serve import index as index  # noqa: PLC0414 - a fixture
from tests.e2e.test_serve import stage as stage  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from tests.doubles.slack import Message


async def test_settings_are_read_again_without_a_restart_and_bad_ones_are_refused(stage: Stage) -> None:
    served = await stage.serve()
    await served.ready()
    file = stage.home / "citewell.toml"
    assert QUOTE in str((await answer(stage)).blocks)

    file.write_text("evidence_threshold = 1.0\npassages = 0\n", encoding="utf-8")
    served.signal(signal.SIGHUP)
    await served.says("those of before stay in force")
    await served.says("citewell.toml: passages: ")
    assert QUOTE in str((await answer(stage)).blocks)

    file.write_text("evidence_threshold = 1.0\nkeep_days = 5\n", encoding="utf-8")
    served.signal(signal.SIGHUP)
    await served.says("changed: CITEWELL_EVIDENCE_THRESHOLD; needs a restart: CITEWELL_KEEP_DAYS")
    assert QUOTE not in str((await answer(stage)).blocks)

    file.unlink()
    served.signal(signal.SIGHUP)
    await served.says("changed: CITEWELL_EVIDENCE_THRESHOLD.")
    assert QUOTE in str((await answer(stage)).blocks)
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0


async def answer(stage: Stage) -> Message:
    """What the bot says to the question, asked anew."""
    before = len(stage.answers)
    await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await stage.slack.until(lambda: len(stage.answers) > before)
    return stage.answers[-1]
