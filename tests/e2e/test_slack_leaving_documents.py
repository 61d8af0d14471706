"""A workspace leaves, and with it the documents that its people sent; nobody else's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.doubles.slack import TEAM, payloads
from tests.e2e.test_slack_documents import DIRECT, LEAFLET, here, mode, send, slack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.whole_rig import Whole

__all__ = ["here", "mode", "slack"]


def uninstalled(made: Whole) -> dict[str, object]:
    return payloads.uninstalled(made.slack.workspace, at=int(time.time()) + 60)


async def titles(made: Whole) -> list[str]:
    return [document.title for document in await made.app.index.catalogue()]


def left(home: Path) -> list[Path]:
    """Files that are or hold something of the workspace."""
    files = [one for one in (home / ".documents").rglob("*") if one.is_file()]
    return [one for one in files if TEAM in str(one) or TEAM.encode() in one.read_bytes()]


async def test_its_documents_go_with_it_and_a_neighbours_stay(here: Whole, tmp_path: Path) -> None:
    await send(here, "F1")
    neighbour = tmp_path / "home" / ".documents" / "kept" / "slack" / f"{TEAM}2" / "public" / "other.md"
    neighbour.parent.mkdir(parents=True)
    neighbour.write_text("# Other\n\nTheirs.")
    await here.app.intake.restore()
    assert len(await titles(here)) == 2
    assert left(tmp_path / "home")
    assert (await here.slack.deliver(uninstalled(here))).ok
    assert await titles(here) == ["Other"]
    assert left(tmp_path / "home") == [neighbour]


async def test_a_file_that_is_just_being_fetched_is_not_taken_in_afterwards(here: Whole, tmp_path: Path) -> None:
    slow = here.slack.files.add("F1", "heron-rota.pdf", LEAFLET)
    slow.opened.clear()
    shared = here.slack.files.shared("F1")
    await here.slack.say(DIRECT, "U0AMINA", "", subtype="file_share", files=shared, upload=True)
    await here.slack.until(lambda: here.slack.workspace.posted(DIRECT))
    assert (await here.slack.deliver(uninstalled(here))).ok
    slow.opened.set()
    await here.settled()
    assert await titles(here) == []
    assert left(tmp_path / "home") == []
