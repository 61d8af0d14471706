"""The SDK's adapter with our parts in it: nothing is lost, nothing is added, and every error stays what it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from botbuilder.core.cloud_adapter_base import CloudAdapterBase

from adapters.teams.activities import Malformed
from adapters.teams.address import Address
from adapters.teams.auth import Gate, Refused, Rules
from adapters.teams.bot_framework import BotFramework
from adapters.teams.connector import Connector
from adapters.teams.errors import Unshowable
from adapters.teams.keys import OpenId, SigningKeys
from adapters.teams.responses import Response
from bot.errors import Permanent, Transient
from tests.doubles.teams import APP, BOT, TENANT, Dropped, RateLimited, Refuses, TeamsDouble
from tests.doubles.teams.openid import ISSUER
from tests.doubles.teams.people import AMINA
from tests.doubles.teams.server import CHANNEL
from tests.e2e.teams_rig import StaticToken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.teams.activities import Activity

CHAT = "a:1amina"
ODD: dict[str, Any] = {
    "type": "message",
    "text": "a [1] b",
    "entities": [
        {
            "type": "https://schema.org/Message",
            "@type": "Message",
            "@context": "https://schema.org",
            "@id": "",
            "additionalType": ["AIGeneratedContent"],
            "citation": [
                {
                    "@type": "Claim",
                    "position": 1,
                    "appearance": {"name": "n", "abstract": "a", "@type": "DigitalDocument"},
                }
            ],
        },
    ],
    "channelData": {"feedbackLoop": {"type": "default"}},
    "suggestedActions": {"whatever": [None, 1.5, {"is": "new"}]},
    "fromTheFuture": {"as": "it is"},
}


@pytest.fixture
async def teams() -> AsyncIterator[TeamsDouble]:
    async with TeamsDouble() as teams:
        yield teams


@pytest.fixture
async def sdk(teams: TeamsDouble) -> AsyncIterator[BotFramework]:
    hosts = ["127.0.0.1"]
    async with aiohttp.ClientSession() as session:
        keys = SigningKeys(OpenId(session, teams.openid_url), lambda: 0.0)
        gate = Gate(Rules(APP, TENANT, ISSUER, hosts), keys)
        yield BotFramework(gate, Connector(session, StaticToken(teams.token), hosts))


def there(teams: TeamsDouble, **more: str) -> Address:
    given = {"service_url": teams.service_url, "conversation": CHAT, "kind": "personal", "tenant": TENANT, "bot": BOT}
    return Address.model_validate(given | more)


async def nothing(_: Activity) -> None:
    raise AssertionError("it was let through")


def test_it_is_the_sdks_own_adapter() -> None:
    assert issubclass(BotFramework, CloudAdapterBase)


@pytest.mark.parametrize("where", [CHAT, f"{CHANNEL};messageid=17"])
async def test_an_activity_arrives_as_it_was_written_and_replies_to_nothing(
    teams: TeamsDouble, sdk: BotFramework, where: str
) -> None:
    before = json.dumps(ODD)
    sent_as = await sdk.send(there(teams, conversation=where), ODD)
    [posted] = teams.messages()
    assert posted.activity == {**ODD, "from": {"id": BOT}, "conversation": {"id": where}}
    assert (posted.id, posted.conversation) == (sent_as, where)
    assert json.dumps(ODD) == before


async def test_a_message_is_taken_away_where_it_stands(teams: TeamsDouble, sdk: BotFramework) -> None:
    kept, gone = [await sdk.send(there(teams), ODD) for _ in range(2)]
    await sdk.take_away(there(teams), gone)
    assert [posted.id for posted in teams.messages()] == [kept]


async def test_a_chat_of_its_own_is_opened_with_a_person(teams: TeamsDouble, sdk: BotFramework) -> None:
    alone = await sdk.chat_with(AMINA.id, there(teams, conversation=CHANNEL, kind="channel"))
    assert (alone.kind, alone.bot, alone.service_url) == ("personal", BOT, teams.service_url)
    await sdk.send(alone, ODD)
    assert [posted.to for posted in teams.messages()] == [AMINA.id]
    assert teams.rejections == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (RateLimited(7), Transient),
        (Dropped(), Transient),
        (Refuses(413, "MessageSizeTooBig"), Unshowable),
        (Refuses(403, "BotNotInConversationRoster"), Permanent),
    ],
)
async def test_an_error_stays_what_it_was(
    teams: TeamsDouble, sdk: BotFramework, fault: Any, error: type[Exception]
) -> None:
    teams.fail("send", fault)
    with pytest.raises(error) as raised:
        await sdk.send(there(teams), ODD)
    if isinstance(fault, RateLimited):
        assert isinstance(raised.value, Transient)
        assert raised.value.retry_after == 7


@pytest.mark.parametrize("service", ["https://evil.example/", "http://127.0.0.1@evil.example/", "file:///etc"])
async def test_nothing_goes_to_a_host_that_is_not_on_the_list(
    teams: TeamsDouble, sdk: BotFramework, service: str
) -> None:
    elsewhere = there(teams, service_url=service)
    for call in (sdk.send(elsewhere, ODD), sdk.take_away(elsewhere, "1"), sdk.chat_with(AMINA.id, elsewhere)):
        with pytest.raises(Permanent):
            await call


def test_an_address_that_names_no_service_is_none(teams: TeamsDouble) -> None:
    stored = there(teams).model_dump()
    assert Address.read(json.dumps(stored)) is not None
    assert Address.read(json.dumps(stored | {"service_url": ""})) is None


async def test_what_comes_in_is_read_and_its_turn_tells_what_to_respond(teams: TeamsDouble, sdk: BotFramework) -> None:
    read: list[Activity] = []

    async def turn(activity: Activity) -> Response | None:
        read.append(activity)
        return Response(200, {"task": {"@odd": [None]}}) if activity.type == "invoke" else None

    said = teams.message(CHAT, AMINA, "when?")
    assert await sdk.receive(f"Bearer {teams.token_for(said)}", json.dumps(said).encode(), turn) is None
    asked = teams.activity(CHAT, AMINA, type="invoke", name="task/fetch", value={}, deliveryMode="expectReplies")
    given = await sdk.receive(f"Bearer {teams.token_for(asked)}", json.dumps(asked).encode(), turn)
    assert given == Response(200, {"task": {"@odd": [None]}})
    assert [one.text for one in read] == ["when?", None]
    assert teams.connector.calls == []


async def test_an_error_of_a_turn_is_not_swallowed(teams: TeamsDouble, sdk: BotFramework) -> None:
    async def turn(_: Activity) -> None:
        raise Transient("the disk is full")

    said = teams.message(CHAT, AMINA, "when?")
    with pytest.raises(Transient, match="disk"):
        await sdk.receive(f"Bearer {teams.token_for(said)}", json.dumps(said).encode(), turn)


@pytest.mark.parametrize("header", ["", "Bearer x", "Bearer a.b.c"])
async def test_the_token_is_looked_at_before_the_body(sdk: BotFramework, header: str) -> None:
    with pytest.raises(Refused) as refused:
        await sdk.receive(header, b"\xff not JSON", nothing)
    assert refused.value.status == 401


async def test_a_body_that_cannot_be_read_is_no_turn(teams: TeamsDouble, sdk: BotFramework) -> None:
    said = teams.message(CHAT, AMINA, "when?")
    with pytest.raises(Malformed):
        await sdk.receive(f"Bearer {teams.token_for(said)}", b"[]", nothing)


async def test_no_stream_is_taken(sdk: BotFramework) -> None:
    with pytest.raises(PermissionError):
        await sdk.bot_framework_authentication.authenticate_streaming_request("Bearer x", "msteams")
