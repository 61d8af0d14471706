"""The file of installations: the owner's alone, one token a place, and no fault passed over."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from slack_sdk.oauth.installation_store.models.bot import Bot

from adapters.slack.installations import Installations, Place
from adapters.slack.origin import Origin
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

WORKSPACE, TRUST = Place("", "T0NORTH"), Place("E0TRUST", "")


def a_bot(place: Place, token: str) -> Bot:
    return Bot(
        app_id="A0CITEWELL",
        enterprise_id=place.enterprise or None,
        team_id=place.team or None,
        bot_token=token,
        bot_id="B1",
        bot_user_id="U1",
        is_enterprise_install=not place.team,
        installed_at=0.0,
    )


@pytest.fixture
async def installations(tmp_path: Path) -> AsyncIterator[Installations]:
    opened = Installations(tmp_path / "home" / "slack.db", "1.2")
    await opened.open()
    yield opened
    await opened.close()


async def _token(installations: Installations, place: Place) -> str | None:
    bot = await installations.bot(place)
    return None if bot is None else bot.bot_token


async def test_of_a_place_the_latest_token_is_kept_and_no_other(installations: Installations, tmp_path: Path) -> None:
    for token in ("xoxb-first", "xoxb-second"):
        await installations.keep(WORKSPACE, a_bot(WORKSPACE, token))
    await installations.keep(TRUST, a_bot(TRUST, "xoxb-trust"))
    assert await _token(installations, WORKSPACE) == "xoxb-second"
    assert await _token(installations, TRUST) == "xoxb-trust"
    assert set(await installations.all()) == {WORKSPACE, TRUST}
    await installations.drop(WORKSPACE)
    assert await _token(installations, WORKSPACE) is None
    assert await _token(installations, TRUST) == "xoxb-trust"
    await installations.close()
    left = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert b"xoxb-first" not in left
    assert b"xoxb-second" not in left


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        (Origin("T0NORTH"), WORKSPACE),
        (Origin("T0NORTH", "E0TRUST"), WORKSPACE),  # it joined an organisation after it installed
        (Origin("T0NORTH", "E0TRUST", org_wide=True), TRUST),
        (Origin("T0SOUTH", "E0TRUST"), TRUST),
        (Origin("", "E0TRUST"), TRUST),
        (Origin("T0SOUTH"), None),
        (Origin("T0SOUTH", "E0OTHER", org_wide=True), None),
        (Origin(""), None),
    ],
)
async def test_something_comes_through_its_own_installation(
    installations: Installations, origin: Origin, place: Place | None
) -> None:
    for one in (WORKSPACE, TRUST):
        await installations.keep(one, a_bot(one, f"xoxb-{one.team}"))
    assert await installations.at(origin) == place


async def test_another_app_of_the_same_file_sees_nothing(installations: Installations, tmp_path: Path) -> None:
    await installations.keep(WORKSPACE, a_bot(WORKSPACE, "xoxb-1"))
    other = Installations(tmp_path / "home" / "slack.db", "9.9")
    await other.open()
    assert await other.bot(WORKSPACE) is None
    assert await other.all() == []
    await other.close()


def _made_by_others(path: Path) -> None:
    path.touch(mode=0o644)
    path.chmod(0o644)


def _modes(folder: Path) -> dict[str, str]:
    return {one.name: oct(one.stat().st_mode & 0o777) for one in folder.iterdir()}


async def test_only_the_owner_may_read_it_whoever_made_it(tmp_path: Path) -> None:
    path = tmp_path / "slack.db"
    _made_by_others(path)
    opened = Installations(path, "1.2")
    await opened.open()
    await opened.keep(WORKSPACE, a_bot(WORKSPACE, "xoxb-1"))
    assert set(_modes(tmp_path).values()) == {"0o600"}
    await opened.close()


async def test_a_fault_of_the_file_is_no_missing_installation(installations: Installations, tmp_path: Path) -> None:
    await installations.keep(WORKSPACE, a_bot(WORKSPACE, "xoxb-1"))
    with sqlite3.connect(tmp_path / "home" / "slack.db") as db:
        db.execute("DROP TABLE slack_bots")
    db.close()
    with pytest.raises(sqlite3.Error, match="no such table"):
        await installations.bot(WORKSPACE)
    await installations.close()
    with pytest.raises(MemoryUnavailable, match="was closed"):
        await installations.bot(WORKSPACE)


async def test_a_state_is_good_once(installations: Installations) -> None:
    state, other = await installations.issue(), await installations.issue()
    assert state != other
    assert [await installations.consume(one) for one in (state, state, "forged", other)] == [True, False, False, True]
