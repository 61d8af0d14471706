"""Guests and members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.client import web_client
from adapters.slack.events import Identity
from adapters.slack.users import Users, author_of
from adapters.slack.workspaces import Workspace
from bot.messages import Author
from tests.doubles.slack import BOT, TEAM, ApiError, Broken, RateLimited, SlackDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

AMINA, CHANNEL, SHARED = "U0AMINA", "C0WARD", "C0PARTNERS"
MEMBER = Author(AMINA, guest=False, locale="en-GB", timezone="Europe/London")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


def _users(clock: Clock, **more: Any) -> Users:
    async def shared(team: str, channel: str) -> bool:
        return (team, channel) == (TEAM, SHARED)

    return Users(clock, shared=shared, **more)


@pytest.fixture
def here(slack: SlackDouble) -> Workspace:
    return Workspace(Identity(TEAM, BOT, "B0CITEBOT"), web_client(slack.bot_token, base_url=slack.base_url))


async def test_a_member_is_known_with_language_and_time_zone(slack: SlackDouble, here: Workspace) -> None:
    assert await _users(Clock()).author(AMINA, here, CHANNEL) == MEMBER


async def test_a_person_is_asked_for_once_until_the_time_is_up(slack: SlackDouble, here: Workspace) -> None:
    clock = Clock()
    users = _users(clock, ttl=60)
    for clock.now in (0, 59, 60, 61):
        assert await users.author(AMINA, here, CHANNEL) == MEMBER
    assert len(slack.called("users.info")) == 2


async def test_the_one_known_longest_is_forgotten_first(slack: SlackDouble, here: Workspace) -> None:
    slack.workspace.add_user("U0BEN")
    slack.workspace.add_user("U0CLEO")
    users = _users(Clock(), capacity=2)
    for user in (AMINA, "U0BEN", "U0CLEO", "U0BEN", AMINA):
        await users.author(user, here, CHANNEL)
    assert [call.arguments["user"] for call in slack.called("users.info")] == [AMINA, "U0BEN", "U0CLEO", AMINA]


async def test_an_event_from_outside_makes_a_guest_without_touching_what_is_known(
    slack: SlackDouble, here: Workspace
) -> None:
    users = _users(Clock())
    assert (await users.author(AMINA, here, CHANNEL, outside=True)).guest
    assert not (await users.author(AMINA, here, CHANNEL)).guest


async def test_in_a_channel_that_others_share_everyone_counts_as_a_guest_and_only_there(
    slack: SlackDouble, here: Workspace
) -> None:
    users = _users(Clock())
    assert (await users.author(AMINA, here, SHARED)).guest
    assert not (await users.author(AMINA, here, CHANNEL)).guest


@pytest.mark.parametrize("fault", [Broken(), RateLimited(30), ApiError("user_not_found"), ApiError("missing_scope")])
async def test_whom_slack_does_not_name_is_a_guest_until_it_does(
    slack: SlackDouble, here: Workspace, fault: Broken | RateLimited | ApiError
) -> None:
    slack.fail("users.info", fault)
    users = _users(Clock())
    passes = isinstance(fault, Broken | RateLimited)
    assert await users.author(AMINA, here, CHANNEL) == Author(AMINA, guest=True, unknown=passes)
    assert await users.author(AMINA, here, CHANNEL) == MEMBER


async def test_a_slow_answer_is_not_waited_for(slack: SlackDouble, here: Workspace) -> None:
    assert (await _users(Clock(), patience=0).author(AMINA, here, CHANNEL)).guest


@pytest.mark.parametrize(
    ("profile", "guest"),
    [
        ({"team_id": TEAM}, False),
        ({"team_id": "T0PARTNER"}, True),
        ({}, True),
        ({"team_id": TEAM, "is_restricted": True}, True),
        ({"team_id": TEAM, "is_ultra_restricted": True}, True),
        ({"team_id": TEAM, "is_stranger": True}, True),
    ],
)
def test_who_counts_as_a_guest(profile: dict[str, Any], *, guest: bool) -> None:
    assert author_of("U1", profile, TEAM).guest is guest
