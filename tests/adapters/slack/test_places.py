"""What Slack says of places: kept for a while, asked once, and never taken for more than it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from adapters.kept import Kept
from adapters.slack.client import web_client
from adapters.slack.places import SlackPlaces, is_shared
from bot.messages import Author
from memory.conversation import Conversation
from tests.doubles.slack import BOT, TEAM, Broken, SlackDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from slack_sdk.web.async_client import AsyncWebClient

WARD = Conversation("slack", TEAM, "C0WARD", "1.1")
AMINA = "U0AMINA"


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        slack.workspace.channels.describe("C0WARD", members=[AMINA, BOT])
        yield slack


def places(slack: SlackDouble, clock: Clock, **more: Any) -> SlackPlaces:
    client = web_client(slack.bot_token, base_url=slack.base_url)

    async def speaking() -> AsyncWebClient:
        return client

    return SlackPlaces(speaking, TEAM, clock, **more)


async def test_a_guest_who_comes_is_noticed_when_the_time_is_up(slack: SlackDouble) -> None:
    clock = Clock()
    known = places(slack, clock, ttl=300)
    assert await known.closed(WARD)
    slack.workspace.add_user("U0GUEST", is_restricted=True)
    slack.workspace.channels.describe("C0WARD", members=[AMINA, BOT, "U0GUEST"])
    clock.now = 59
    assert await known.closed(WARD)
    clock.now = 60
    assert not await known.closed(WARD)
    assert len(slack.called("users.list")) == 1


async def test_long_lists_are_read_to_their_end(slack: SlackDouble) -> None:
    for number in range(2100):
        slack.workspace.add_user(f"U{number:07d}")
    everyone = list(slack.workspace.users)
    slack.workspace.channels.describe("C0WARD", members=everyone)
    assert await places(slack, Clock()).closed(WARD)
    slack.workspace.channels.describe("C0WARD", members=[*everyone, "U0UNKNOWN"])
    assert not await places(slack, Clock()).closed(WARD)


async def test_the_channels_of_a_person_are_theirs_alone(slack: SlackDouble) -> None:
    slack.workspace.channels.describe("C0OTHER", members=["U0BEN"])
    assert await places(slack, Clock()).channels_of(Author(AMINA)) == {"C0WARD"}


async def test_a_direct_message_is_never_asked_about(slack: SlackDouble) -> None:
    known = places(slack, Clock())
    assert not await known.shared("D0AMINA")
    assert known.is_direct(Conversation("slack", TEAM, "D0AMINA"))
    assert slack.called("conversations.info") == []


async def test_a_channel_of_which_slack_does_not_speak_counts_as_shared_until_it_does(slack: SlackDouble) -> None:
    slack.fail("conversations.info", Broken())
    known = places(slack, Clock())
    assert await known.shared("C0WARD")
    assert not await known.shared("C0WARD")
    assert await places(slack, Clock(), patience=0).shared("C0WARD")


@pytest.mark.parametrize(
    ("marks", "shared"),
    [
        ({}, False),
        ({"is_ext_shared": True}, True),
        ({"is_shared": True}, True),
        ({"is_org_shared": True}, True),
        ({"is_pending_ext_shared": True}, True),
        ({"pending_shared": ["T2"]}, True),
        ({"pending_connected_team_ids": ["T2"]}, True),
        ({"connected_team_ids": [TEAM]}, False),
        ({"connected_team_ids": [TEAM, "T2"]}, True),
        ({"id": ""}, True),
    ],
)
def test_what_counts_as_shared(marks: dict[str, Any], *, shared: bool) -> None:
    assert is_shared({"id": "C1", **marks}, TEAM) is shared


async def test_many_who_wait_cost_one_question_and_one_who_leaves_stops_nobody() -> None:
    asked: list[str] = []
    answer = asyncio.Event()

    async def ask(key: str) -> str:
        asked.append(key)
        await answer.wait()
        return key.upper()

    kept = Kept(ask, Clock(), ttl=10)
    waiting = [asyncio.create_task(kept.of("a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    answer.set()
    assert await asyncio.gather(*waiting[1:]) == ["A", "A"]
    assert await kept.of("a") == "A"
    assert asked == ["a"]


async def test_a_failure_is_not_kept_and_the_oldest_answer_goes_first() -> None:
    answers = iter([ValueError("no"), "first", "second", "third", "again"])

    async def ask(_: str) -> object:
        said = next(answers)
        if isinstance(said, Exception):
            raise said
        return said

    kept = Kept(ask, Clock(), ttl=10, capacity=2)
    with pytest.raises(ValueError, match="no"):
        await kept.of("a")
    assert [await kept.of(key) for key in ("a", "b", "c", "a")] == ["first", "second", "third", "again"]
