"""Bot Framework's adapter, which everything that comes in and goes out passes through.

It is the SDK's `CloudAdapterBase` with parts of our own put in: tokens are checked by `Gate`, and calls go out as plain
JSON by `Connector`, since the SDK's client drops what it does not know. A turn of the SDK's lasts only until what came
in is stored; what answers it is sent later, by continuing the conversation. Loading this module loads the SDK.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from botbuilder.core import InvokeResponse
from botbuilder.core.cloud_adapter_base import CloudAdapterBase
from botbuilder.schema import (
    Activity,
    ActivityTypes,
    ChannelAccount,
    ConversationAccount,
    ConversationParameters,
    ConversationReference,
    ConversationResourceResponse,
    ResourceResponse,
)
from botframework.connector.auth import BotFrameworkAuthentication, ClaimsIdentity
from botframework.connector.auth.authenticate_request_result import AuthenticateRequestResult
from botframework.connector.auth.connector_factory import ConnectorFactory

from adapters.teams.auth import CHANNEL
from adapters.teams.responses import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from botbuilder.core import TurnContext

    from adapters.teams.activities import Activity as Read
    from adapters.teams.address import Address
    from adapters.teams.auth import Gate
    from adapters.teams.connector import Connector


class Received(Activity):  # type: ignore[misc]  # the SDK has no types
    """What was sent to us, unread until its token is known to hold."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body
        self.read: Read | None = None

    def open(self, read: Read) -> None:
        """It is this, and the SDK may see of it what it goes by."""
        self.read = read
        self.type, self.id = read.type, read.id
        self.channel_id, self.service_url = read.channel_id, read.service_url
        self.conversation = ConversationAccount(id=read.conversation.id, tenant_id=read.tenant)
        self.from_property, self.recipient = ChannelAccount(id=read.sender.id), ChannelAccount(id=read.recipient.id)


class Plain(Activity):  # type: ignore[misc]  # the SDK has no types
    """An activity to send, as the JSON that it is: the SDK addresses it, and nothing of it is lost on the way."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(type=json["type"])
        self.json = json

    def __deepcopy__(self, _: dict[int, Any]) -> Plain:
        """The SDK addresses a copy; the JSON, which nobody changes, is shared with it."""
        return copy(self)

    def addressed(self) -> dict[str, Any]:
        """The JSON, with who sends it and where to."""
        return {**self.json, "from": {"id": self.from_property.id}, "conversation": {"id": self.conversation.id}}


class BotFramework(CloudAdapterBase):  # type: ignore[misc]  # the SDK has no types
    """Takes in what Teams sends, and is how anything goes out (`Sends`). Raises what `Gate` and `Connector` raise."""

    def __init__(self, gate: Gate, connector: Connector) -> None:
        super().__init__(_Authentication(gate, connector))
        self._app_id = gate.rules.app_id

    async def receive(
        self, header: str, body: bytes, turn: Callable[[Read], Awaitable[Response | None]]
    ) -> Response | None:
        """Run `turn` on what a request brings, once that is known to come from Teams; what to respond to an invoke.

        `header` is the request's Authorization. The token is checked before the body is looked at.
        """
        received = Received(body)

        async def logic(context: TurnContext) -> None:
            assert received.read is not None  # noqa: S101 - nothing gets here unread
            response = await turn(received.read)
            if response is not None:
                value = InvokeResponse(status=response.status, body=response.body)
                await context.send_activity(Activity(type=ActivityTypes.invoke_response, value=value))

        given = await self.process_activity(header, received, logic)
        return None if given is None else Response(int(given.status), given.body)

    async def send(self, to: Address, activity: Mapping[str, Any]) -> str:
        """Send an activity to a conversation, and give the id that it bears there."""
        sent: list[str] = []

        async def logic(context: TurnContext) -> None:
            sent.append((await context.send_activity(Plain(activity))).id)

        await self.continue_conversation(_reference(to), logic, self._app_id)
        return sent[0]

    async def take_away(self, of: Address, id_: str) -> None:
        """Delete a message of ours."""

        async def logic(context: TurnContext) -> None:
            await context.delete_activity(id_)

        await self.continue_conversation(_reference(of), logic, self._app_id)

    async def chat_with(self, person: str, of: Address) -> Address:
        """The chat between this person and us, opened if there is none."""
        opened: list[str] = []

        async def logic(context: TurnContext) -> None:
            opened.append(context.activity.conversation.id)

        asked = ConversationParameters(
            bot=ChannelAccount(id=of.bot), members=[ChannelAccount(id=person)], is_group=False, tenant_id=of.tenant
        )
        await self.create_conversation(self._app_id, logic, asked, CHANNEL, of.service_url)
        return of.model_copy(update={"conversation": opened[0], "kind": "personal"})


class _Authentication(BotFrameworkAuthentication):  # type: ignore[misc]  # the SDK has no types
    """Who may speak to us, and with what we speak."""

    def __init__(self, gate: Gate, connector: Connector) -> None:
        self._gate = gate
        self._connectors = _Connectors(connector)

    async def authenticate_request(self, activity: Received, auth_header: str) -> AuthenticateRequestResult:
        """Open what was received. Raises `Refused`, `Malformed`, or `Transient` while its key cannot be asked for."""
        claims, read = await self._gate.admitted(auth_header, activity.body)
        activity.open(read)
        result = AuthenticateRequestResult()
        result.audience = self._gate.rules.app_id
        result.claims_identity = ClaimsIdentity(claims or {}, claims is not None)
        result.connector_factory = self._connectors
        return result

    async def authenticate_streaming_request(self, _auth_header: str, _channel_id_header: str) -> None:
        """Teams speaks HTTP to us."""
        raise PermissionError("no streams are taken")

    def create_connector_factory(self, _claims_identity: ClaimsIdentity) -> ConnectorFactory:
        """The one there is: whatever goes out is from us."""
        return self._connectors

    async def create_user_token_client(self, _claims_identity: ClaimsIdentity) -> None:
        """None: nobody signs in to anything through us."""


class _Connectors(ConnectorFactory):  # type: ignore[misc]  # the SDK has no types
    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    async def create(self, service_url: str, _audience: str) -> _Client:
        """Asks nobody for anything: tokens are had when a call goes out."""
        return _Client(self._connector, service_url)


class _Client:
    """As much of the SDK's client as its adapter uses."""

    def __init__(self, connector: Connector, service_url: str) -> None:
        self.conversations = _Conversations(connector, service_url)


class _Conversations:
    def __init__(self, connector: Connector, service_url: str) -> None:
        self._connector = connector
        self._service = service_url

    async def send_to_conversation(self, conversation_id: str, activity: Plain) -> ResourceResponse:
        return ResourceResponse(id=await self._connector.post(self._service, conversation_id, activity.addressed()))

    async def reply_to_activity(self, conversation_id: str, _: str, activity: Plain) -> ResourceResponse:
        """As `send_to_conversation`: where a conversation is continued, the SDK makes up what is replied to."""
        return await self.send_to_conversation(conversation_id, activity)

    async def delete_activity(self, conversation_id: str, activity_id: str) -> None:
        await self._connector.delete(self._service, conversation_id, activity_id)

    async def create_conversation(self, asked: ConversationParameters) -> ConversationResourceResponse:
        body = {
            "bot": {"id": asked.bot.id},
            "members": [{"id": member.id} for member in asked.members],
            "isGroup": asked.is_group,
            "tenantId": asked.tenant_id,
            "channelData": {"tenant": {"id": asked.tenant_id}},
        }
        return ConversationResourceResponse(id=await self._connector.open(self._service, body))


def _reference(to: Address) -> ConversationReference:
    """What was kept, as the SDK has it."""
    return ConversationReference(
        channel_id=CHANNEL,
        service_url=to.service_url,
        conversation=ConversationAccount(id=to.conversation, tenant_id=to.tenant),
        bot=ChannelAccount(id=to.bot),
    )
