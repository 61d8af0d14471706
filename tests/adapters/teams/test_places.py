"""Who can read in a place, as Teams says."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import aiohttp
import pytest

from adapters.teams.address import Address
from adapters.teams.connector import Connector
from adapters.teams.places import TeamsPlaces
from bot.access import PlaceAccess, Shelving
from bot.messages import Author
from memory.conversation import Conversation
from memory.outbox import RamOutbox
from tests.doubles.teams import BOT, TENANT, Broken, Person, TeamsDouble
from tests.doubles.teams.people import AMINA, BJORN, GUEST
from tests.doubles.teams.server import CHANNEL, GROUP
from tests.e2e.teams_rig import StaticToken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

THREAD = Conversation("teams", TENANT, CHANNEL, "17")
CHAT = Conversation("teams", TENANT, "a:1amina")
MEMBER = Author(AMINA.directory)
SHELVING = Shelving(channels={"teams": {CHANNEL: frozenset({"public", "wards"})}}, direct_by_channels=True)


@pytest.fixture
async def teams() -> AsyncIterator[TeamsDouble]:
    async with TeamsDouble() as teams:
        yield teams


@pytest.fixture
async def access(teams: TeamsDouble) -> AsyncIterator[Callable[[Shelving], PlaceAccess]]:
    box = RamOutbox()
    for channel in (CHANNEL, GROUP):
        address = Address(service_url=teams.service_url, conversation=channel, kind="channel", tenant=TENANT, bot=BOT)
        place = Conversation("teams", TENANT, channel).place
        await box.keep_address(place, address.model_dump_json(), datetime.now(UTC))
    async with aiohttp.ClientSession() as session:
        connector = Connector(session, StaticToken(teams.token), ["127.0.0.1"])
        places = TeamsPlaces(connector, [box], tenant=TENANT, named=lambda: [CHANNEL, "default"], clock=time.monotonic)

        def by(shelving: Shelving) -> PlaceAccess:
            made = PlaceAccess(shelving)
            made.register("teams", TENANT, places)
            return made

        yield by
        await places.close()


async def test_where_only_members_read_a_channel_shows_what_is_its_own(
    access: Callable[[Shelving], PlaceAccess],
) -> None:
    assert await access(SHELVING)(THREAD, MEMBER) == frozenset({"public", "wards"})
    assert await access(Shelving())(THREAD, MEMBER) is None


@pytest.mark.parametrize(
    "other",
    [
        GUEST,
        Person("29:1anon", "Someone", "", role="anonymous"),
        Person("29:1ext", "Ext", "e", tenant="99f988bf-0000-4000-8000-000000000009"),
        Person("29:1none", "None", "n", role=None),
    ],
)
async def test_with_anyone_else_there_it_shows_what_is_public(
    teams: TeamsDouble, access: Callable[[Shelving], PlaceAccess], other: Person
) -> None:
    teams.connector.people[other.id] = other
    teams.connector.inside[CHANNEL] = [AMINA.id, BJORN.id, other.id]
    assert await access(SHELVING)(THREAD, MEMBER) == frozenset({"public"})


async def test_where_teams_does_not_say_it_shows_what_is_public(
    teams: TeamsDouble, access: Callable[[Shelving], PlaceAccess]
) -> None:
    teams.fail("members", Broken(502))
    assert await access(SHELVING)(THREAD, MEMBER) == frozenset({"public"})
    assert await access(SHELVING)(Conversation("teams", TENANT, "19:unknown", "1"), MEMBER) == frozenset({"public"})
    assert await access(SHELVING)(Conversation("teams", "another", CHANNEL, "17"), MEMBER) == frozenset({"public"})


async def test_a_chat_shows_what_the_persons_named_channels_do_only_if_that_is_set(
    teams: TeamsDouble, access: Callable[[Shelving], PlaceAccess]
) -> None:
    assert await access(SHELVING)(CHAT, MEMBER) == frozenset({"public", "wards"})
    assert await access(Shelving(channels=SHELVING.channels))(CHAT, MEMBER) == frozenset({"public"})
    assert await access(SHELVING)(CHAT, Author("nobody")) == frozenset({"public"})
    assert await access(SHELVING)(CHAT, Author(GUEST.directory, guest=True)) == frozenset({"public"})


def test_a_chat_of_several_is_none_of_two(teams: TeamsDouble) -> None:
    places = TeamsPlaces(None, [], tenant=TENANT, named=list, clock=time.monotonic)  # type: ignore[arg-type]
    assert places.is_direct(CHAT)
    assert not places.is_direct(Conversation("teams", TENANT, GROUP))
    assert not places.is_direct(THREAD)
