"""A server on loopback that speaks `POST /v1/messages` as Anthropic's does, and is strict about what it is sent.

It answers a well-formed request with the next reply of its script, and a request that the real API would refuse with
the same status and error body; `refused` then says why. It is thinner than the real thing: no streaming, no tools, no
images, no batches, no beta headers; it counts a token a word, reports no cache hits, knows only the models it is given,
and does not hold a reply to `max_tokens`. Of the schema it checks validity, the keywords that structured output
takes, and that a scripted `Says` obeys it. Requests for other words to search for take nothing from the script: the
question comes back as it was.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from aiohttp import web
from jsonschema import Draft202012Validator, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

KEY = "test-key-of-the-double"
MODEL = "claude-sonnet-5-5"

_FIELDS = {"model", "max_tokens", "messages", "system", "output_config", "metadata", "stop_sequences", "thinking"}
_ANNOTATIONS = {"title", "description", "default", "format"}
_SCHEMA_KEYWORDS = _ANNOTATIONS | {
    *("$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "items", "minItems", "properties"),
    *("required", "type"),
}
_ASKED = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Says:
    """A whole reply: `content` as JSON, which must obey the schema asked for. `thought` puts a thinking block first."""

    content: Mapping[str, Any]
    thought: bool = False


@dataclass(frozen=True, slots=True)
class Writes:
    """A reply of any text, whatever the schema says, as a server without structured output may give."""

    text: str
    stop_reason: str = "end_turn"


@dataclass(frozen=True, slots=True)
class Refuses:
    """The model declines: HTTP 200, `stop_reason: refusal`, and no content."""

    category: str | None = None


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error with the API's error body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sends:
    """HTTP 200 with any body: a proxy's page, or half a message."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the double closes."""


@dataclass(frozen=True, slots=True)
class Drops:
    """The connection ends without an answer."""


Scripted: TypeAlias = Says | Writes | Refuses | Fails | Sends | Hangs | Drops


class ClaudeDouble:
    """Use it as an async context manager; `url` is the base URL for a client.

    `requests` holds the bodies that passed the checks, `refused` what was wrong with the others, `replies` what is
    still to be sent. `rewording` is the script of requests for other words, behind whose end the question comes back.
    """

    def __init__(
        self,
        replies: Sequence[Scripted],
        *,
        rewording: Sequence[Scripted] = (),
        key: str = KEY,
        models: Sequence[str] = (MODEL,),
    ) -> None:
        self.replies = list(replies)
        self.rewording = list(rewording)
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.url = ""
        self._key = key
        self._models = models
        self._closing = asyncio.Event()
        application = web.Application()
        application.router.add_post("/v1/messages", self._messages)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)

    async def __aenter__(self) -> ClaudeDouble:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if given != self._key:
            return self._refuse(401, "invalid x-api-key")
        if not request.headers.get("anthropic-version"):
            return self._refuse(400, "anthropic-version: header is required")
        body = json.loads(await request.read())
        if body.get("model") not in self._models:
            return self._refuse(404, f"model: {body.get('model')}")
        if wrong := next(_wrongs(body), None):
            return self._refuse(400, wrong)
        self.requests.append(body)
        if "query" in body["output_config"]["format"]["schema"]["properties"]:
            return await self._reply(self.rewording.pop(0) if self.rewording else _the_question(body), body, request)
        if not self.replies:
            return self._refuse(500, "the script has no reply for this request")
        return await self._reply(self.replies.pop(0), body, request)

    async def _reply(self, reply: Scripted, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        match reply:
            case Says(content, thought):
                Draft202012Validator(body["output_config"]["format"]["schema"]).validate(content)
                return _message(body, json.dumps(content), thought=thought)
            case Writes(text, stop_reason):
                return _message(body, text, stop_reason=stop_reason)
            case Refuses(category):
                details = {"type": "refusal", "category": category, "explanation": None}
                return _message(body, None, stop_reason="refusal", stop_details=details)
            case Fails(status, headers):
                return _error(status, "scripted", headers)
            case Sends(sent, content_type):
                return web.Response(body=sent, content_type=content_type)
            case Hangs():
                await self._closing.wait()
                return _error(500, "closing")
            case Drops():
                assert request.transport is not None
                request.transport.close()
                return web.Response()

    def _refuse(self, status: int, message: str) -> web.Response:
        self.refused.append(message)
        return _error(status, message)


def _the_question(body: Mapping[str, Any]) -> Says:
    return Says({"query": _ASKED.findall(body["messages"][-1]["content"])[-1]})


def _wrongs(body: dict[str, Any]) -> Iterator[str]:
    """What the real API would answer with 400."""
    yield from (f"{name}: extra inputs are not permitted" for name in body.keys() - _FIELDS)
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: must be a positive integer"
    if not _text(body.get("system")).strip():
        yield "system: text content blocks must be non-empty"
    yield from _wrong_messages(body.get("messages") or [])
    wanted = body.get("output_config", {}).get("format")
    if wanted is None or wanted.get("type") != "json_schema":
        yield "output_config.format: the double is asked for structured output only"
    else:
        yield from _wrong_schema(wanted["schema"])


def _wrong_messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    if not messages:
        yield "messages: at least one message is required"
    for number, message in enumerate(messages):
        if message.get("role") != ("user", "assistant")[number % 2]:
            yield f"messages.{number}: roles must start with user and alternate"
        if not _text(message.get("content")).strip():
            yield f"messages.{number}: text content blocks must be non-empty"
    if len(messages) % 2 == 0:
        yield "messages: the conversation must end with a user message"


def _wrong_schema(schema: Any) -> Iterator[str]:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"output_config.format.schema: {error.message}"
        return
    if schema.get("type") != "object":
        yield "output_config.format.schema: the root must be an object"
    for part in _parts(schema):
        yield from (
            f"output_config.format.schema: {word!r} is not supported" for word in part.keys() - _SCHEMA_KEYWORDS
        )
        if part.get("type") == "object" and part.get("additionalProperties") is not False:
            yield "output_config.format.schema: 'additionalProperties' must be false"


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every schema inside it."""
    yield schema
    inner = [*schema.get("$defs", {}).values(), *schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for part in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from _parts(part)


def _text(content: Any) -> str:
    """The text of a string or of text blocks."""
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content or [] if block.get("type") == "text")


def _message(
    body: dict[str, Any],
    text: str | None,
    *,
    stop_reason: str = "end_turn",
    stop_details: dict[str, Any] | None = None,
    thought: bool = False,
) -> web.Response:
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}] if thought else []
    content += [{"type": "text", "text": text, "citations": None}] if text is not None else []
    asked = " ".join([_text(body["system"]), *(_text(message["content"]) for message in body["messages"])])
    return web.json_response(
        {
            "id": "msg_double",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "stop_details": stop_details,
            "usage": {
                "input_tokens": len(asked.split()),
                "output_tokens": len((text or "").split()),
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "service_tier": "standard",
            },
        },
        headers={"request-id": "req_double"},
    )


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    error = {"type": _ERROR_TYPES.get(status, "api_error"), "message": message}
    return web.json_response(
        {"type": "error", "error": error, "request_id": "req_double"}, status=status, headers=headers
    )
