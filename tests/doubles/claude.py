"""A server on loopback that speaks `POST /v1/messages` as Anthropic's does, and is strict about what it is sent.

It answers a well-formed request with the next reply of its script, and a request that the real API would refuse with
the same status and error body; `refused` then says why. As with the real one, what stands up to a `cache_control` is
cached from the first reply on if it is long enough, and `usage` tells what was written, read and neither.

It is thinner than the real thing: no tools, no images, no batches, no beta headers; it counts a token a
word, knows only the models it is given, does not hold a reply to `max_tokens`, and keeps what it caches for as long as
it lives. Of the schema it checks validity, the keywords that structured output takes, and that a scripted `Says` obeys
it. Requests to judge passages take nothing from the script: each passage gets ten times the share of the question's
words that it holds. Nor do requests for other words to search for: the question comes back as it was.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import anthropic  # noqa: F401 - loaded by now, so that what is asked first in a test has all its time
from aiohttp import web
from jsonschema import Draft202012Validator

from bot.claude_api import Claude
from tests.doubles.claude_checks import beyond_a_simple_server, blocks, wrongs
from tests.doubles.claude_sse import begin, events, send

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from bot.claude_message import Usage

KEY = "test-key-of-the-double"
MODEL = "claude-sonnet-5-5"
SMALL_MODEL = "claude-haiku-5-5"

_QUESTION = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_PASSAGE = re.compile(r'<passage id="(p\d+)">(.*?)</passage>', re.DOTALL)
_WORD = re.compile(r"\w+")
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
class Judges:
    """How relevant each passage of the request truly is, by the words that it shares with the question."""


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
    """Any body: a proxy's page, or half a message."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Stops:
    """The reply begins and goes no further: the connection ends, or hangs until the double closes."""

    body: bytes = b'{"type": "message", "content": [{"type": "text", "te'
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the double closes."""


@dataclass(frozen=True, slots=True)
class Drops:
    """The connection ends without an answer."""


@dataclass(frozen=True, slots=True)
class Breaks:
    """A streamed reply that comes as far as `before` (or to its end), then does what is said:

    the connection ends, the stream ends, an error event comes, the model refuses, it waits for `ClaudeDouble.go` and
    goes on, or what comes is no event.
    """

    content: Mapping[str, Any]
    before: str
    then: Literal["drops", "ends", "fails", "refuses", "waits", "babbles"]


def a_summary(_body: Mapping[str, Any]) -> Scripted:
    """What is said for a summary unless a test says otherwise."""
    return Says({"summary": "Things were asked."})


Scripted: TypeAlias = Says | Judges | Writes | Refuses | Fails | Sends | Stops | Hangs | Drops | Breaks


class ClaudeDouble:
    """Use it as an async context manager; `url` is the base URL for a client.

    `requests` holds the bodies that passed the checks, `refused` what was wrong with the others, `replies` what is
    still to be sent; after these, `otherwise` makes the reply. `judging` is the script of requests to judge passages,
    behind whose end it judges, and `rewording` that of requests for other words, behind whose end the question comes
    back. Summaries are asked for beside the conversation, at any time: `summarise` makes them, and these requests
    stand in `summarised` instead. `limits` are headers of scripted whole replies that tell of rate limits. `latency`
    is in seconds; what is shorter than `cached_from` tokens is not cached. A `simple` server answers the script alone
    and takes only what is oldest in the Messages API: no schema, no effort, no marks for the cache. Replies that wait
    go on once `go` is set.
    `hanging` is set once a request hangs, `held` counts those, `abandoned` those of them that the client let go of.
    """

    def __init__(
        self,
        replies: Sequence[Scripted],
        *,
        rewording: Sequence[Scripted] = (),
        key: str = KEY,
        models: Sequence[str] = (MODEL, SMALL_MODEL),
        otherwise: Callable[[Mapping[str, Any]], Scripted] | None = None,
        summarise: Callable[[Mapping[str, Any]], Scripted] = a_summary,
        latency: float = 0.0,
        cached_from: int = 512,
        simple: bool = False,
    ) -> None:
        self.replies = list(replies)
        self.judging: list[Scripted] = []
        self.rewording = list(rewording)
        self.hanging = asyncio.Event()
        self.go = asyncio.Event()
        self.held = self.abandoned = 0
        self._otherwise = otherwise
        self._summarise = summarise
        self.summarised: list[dict[str, Any]] = []
        self._latency = latency
        self._cached_from = cached_from
        self._simple = simple
        self._cached: set[tuple[str, ...]] = set()
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.url = ""
        self.limits: Mapping[str, str] = {}
        self._key = key
        self._models = models
        self._closing = asyncio.Event()
        application = web.Application()
        application.router.add_post("/v1/messages", self._messages)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0, handler_cancellation=True)

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
        if wrong := next(beyond_a_simple_server(body) if self._simple else wrongs(body), None):
            return self._refuse(400, wrong)
        if "summary" in body.get("output_config", {}).get("format", {}).get("schema", {}).get("properties", {}):
            self.summarised.append(body)
            return await self._reply(self._summarise(body), body, request)
        self.requests.append(body)
        if self._simple:
            return await self._reply(self.replies.pop(0), body, request)
        if "judgements" in body["output_config"]["format"]["schema"]["properties"]:
            return await self._reply(self.judging.pop(0) if self.judging else Judges(), body, request)
        if "query" in body["output_config"]["format"]["schema"]["properties"]:
            return await self._reply(self.rewording.pop(0) if self.rewording else _the_question(body), body, request)
        if not self.replies and self._otherwise is None:
            return self._refuse(500, "the script has no reply for this request")
        reply = self.replies.pop(0) if self.replies or self._otherwise is None else self._otherwise(body)
        return await self._reply(reply, body, request)

    def _bill(self, body: dict[str, Any]) -> dict[str, int]:
        """What the request costs as it comes in: a prefix that is still being written for another is not read.

        As the real server does, it looks back from a mark for what an earlier mark had cached.
        """
        whole = blocks(body)
        marked = [prefix for prefix in _prefixes(whole) if _count(prefix) >= self._cached_from]
        longest = max(marked, key=len, default=())
        read = max((_count(longest[:n]) for n in range(1, len(longest) + 1) if longest[:n] in self._cached), default=0)
        kept = _count(longest)
        return {
            "input_tokens": _count(tuple(text for text, _ in whole)) - max(read, kept),
            "cache_creation_input_tokens": max(0, kept - read),
            "cache_read_input_tokens": read,
        }

    async def _reply(self, reply: Scripted, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        billed = self._bill(body)
        await asyncio.sleep(self._latency)
        if isinstance(reply, Says | Writes | Refuses):
            self._cached |= {prefix for prefix in _prefixes(blocks(body)) if _count(prefix) >= self._cached_from}
        if body.get("stream") and isinstance(reply, Says | Writes | Refuses):
            return await _streamed(await self._reply(reply, {**body, "stream": False}, request), request)
        match reply:
            case Says(content, thought):
                Draft202012Validator(body["output_config"]["format"]["schema"]).validate(content)
                said = _message(body, json.dumps(content), billed, thought=thought)
                said.headers.update(self.limits)
                return said
            case Judges():
                return await self._reply(Says({"judgements": _judgements(body)}), body, request)
            case Writes(text, stop_reason):
                return _message(body, text, billed, stop_reason=stop_reason)
            case Refuses(category):
                details = {"type": "refusal", "category": category, "explanation": None}
                return _message(body, None, billed, stop_reason="refusal", stop_details=details)
            case Fails(status, headers):
                return _error(status, "scripted", headers)
            case Sends(sent, content_type, status):
                return web.Response(body=sent, content_type=content_type, status=status)
            case Stops(begun, hangs):
                begins = web.StreamResponse(headers={"content-type": "application/json", "content-length": "9999"})
                await begins.prepare(request)
                await begins.write(begun)
                if hangs:
                    await self._closing.wait()
                assert request.transport is not None
                request.transport.close()
                return begins
            case Hangs():
                self.hanging.set()
                self.held += 1
                try:
                    await self._closing.wait()
                except asyncio.CancelledError:
                    self.abandoned += 1
                    raise
                return _error(500, "closing")
            case Breaks():
                return await self._break(reply, body, request, billed)
            case Drops():
                assert request.transport is not None
                request.transport.close()
                return web.Response()

    async def _break(
        self, reply: Breaks, body: dict[str, Any], request: web.Request, billed: Mapping[str, int]
    ) -> web.StreamResponse:
        whole = json.dumps(reply.content)
        cut = whole.index(reply.before) if reply.before else len(whole)
        come, rest = (list(events(_body(_message(body, text, billed)))) for text in (whole[:cut], whole[cut:]))
        response = await begin(request)
        for event in come[:-3]:
            await send(response, event)
        match reply.then:
            case "waits":
                await self.go.wait()
                for event in rest[3:]:
                    await send(response, event)
            case "fails":
                await send(response, {"type": "error", "error": {"type": "overloaded_error", "message": "scripted"}})
            case "refuses":
                delta = {"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": "bio"}}
                await send(response, {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})
                await send(response, {"type": "message_stop"})
            case "babbles":
                await response.write(b"event: message_delta\ndata: {\n\n")
            case "drops":
                assert request.transport is not None
                request.transport.close()
            case "ends":
                pass
        return response

    def _refuse(self, status: int, message: str) -> web.Response:
        self.refused.append(message)
        return _error(status, message)


@asynccontextmanager
async def connected(
    double: ClaudeDouble,
    *,
    key: str = KEY,
    model: str = MODEL,
    timeout: float = 20.0,  # noqa: ASYNC109 - the client's
    on_usage: Callable[[Usage], None] | None = None,
) -> AsyncIterator[Claude]:
    """A client of the double that does not pause before it tries again."""
    claude = await asyncio.to_thread(
        Claude.connect, api_key=key, model=model, base_url=double.url, timeout=timeout, pause=0, on_usage=on_usage
    )
    try:
        yield claude
    finally:
        await claude.aclose()


def _judgements(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read from the prompt as it is, tags and all."""
    asked = body["messages"][-1]["content"]
    question = set(_WORD.findall("".join(_QUESTION.findall(asked)).lower()))
    return [
        {"passage_id": id_, "relevance": 10 * len(question & set(_WORD.findall(text.lower()))) // max(1, len(question))}
        for id_, text in _PASSAGE.findall(asked)
    ]


def _the_question(body: Mapping[str, Any]) -> Says:
    return Says({"query": _QUESTION.findall(body["messages"][-1]["content"])[-1]})


def _body(response: web.Response) -> dict[str, Any]:
    assert isinstance(response.body, bytes)
    body: dict[str, Any] = json.loads(response.body)
    return body


async def _streamed(response: web.StreamResponse, request: web.Request) -> web.StreamResponse:
    assert isinstance(response, web.Response)
    stream = await begin(request)
    for event in events(_body(response)):
        await send(stream, event)
    return stream


def _prefixes(blocks: Sequence[tuple[str, Any]]) -> list[tuple[str, ...]]:
    """What stands up to each mark."""
    return [
        tuple(text for text, _ in blocks[: number + 1]) for number, (_, mark) in enumerate(blocks) if mark is not None
    ]


def _count(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _message(
    body: dict[str, Any],
    text: str | None,
    billed: Mapping[str, int],
    *,
    stop_reason: str = "end_turn",
    stop_details: dict[str, Any] | None = None,
    thought: bool = False,
) -> web.Response:
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}] if thought else []
    content += [{"type": "text", "text": text, "citations": None}] if text is not None else []
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
                **billed,
                "output_tokens": len((text or "").split()),
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
