"""The local server speaks the Messages API, as the SDK and the product expect it. What it runs is scripted here."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anthropic
import pytest
from aiohttp import web

from bot.claude_api import Claude
from bot.claude_message import StructuredReply, Usage
from scripts.messages_server import HOST, Service, Wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence


class Answer(StructuredReply):
    text: str
    more: tuple[str, ...] = ()


class Scripted:
    """Sends these pieces, raises where one is an error, and keeps what it was asked."""

    def __init__(self, *said: str | Wrong, ends: str = "stop") -> None:
        self._said = said
        self._ends = ends
        self.asked: list[Mapping[str, Any]] = []

    async def chunks(self, asked: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        self.asked.append(asked)
        for said in self._said:
            if isinstance(said, Wrong):
                raise said
            yield {"choices": [{"delta": {"content": said}, "finish_reason": None}]}
        yield {"choices": [{"delta": {}, "finish_reason": self._ends}]}
        yield {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 7}}


@asynccontextmanager
async def served(engine: Scripted) -> AsyncIterator[str]:
    runner = web.AppRunner(Service(engine, items=2, letters=50).application(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield f"http://{HOST}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def sdk(url: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(api_key="any", base_url=url, max_retries=0) as client:
        yield client


ASKED: Sequence[Any] = [{"role": "user", "content": "Hello?"}]


@pytest.mark.parametrize(("ends", "reason"), [("stop", "end_turn"), ("length", "max_tokens")])
async def test_a_message_comes_whole_or_streamed_and_is_the_same(ends: str, reason: str) -> None:
    async with served(Scripted("Good ", "day", ends=ends)) as url, sdk(url) as client:
        whole = await client.messages.create(model="local", max_tokens=9, messages=ASKED)
        async with client.messages.stream(model="local", max_tokens=9, messages=ASKED) as stream:
            pieces = [text async for text in stream.text_stream]
            streamed = await stream.get_final_message()
    assert pieces == ["Good ", "day"]
    for message in (whole, streamed):
        assert [block.text for block in message.content if block.type == "text"] == ["Good day"]
        assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == (reason, 30, 7)


async def test_the_product_gets_its_structured_reply_and_the_model_a_bounded_schema() -> None:
    engine, used = Scripted('{"text": "Good day", ', '"more": []}'), list[Usage]()
    async with served(engine) as url:
        claude = Claude.connect(api_key="any", model="local", base_url=url, on_usage=used.append)
        reply = await claude.ask(Answer, system="Be brief.", content="Hello?")
        await claude.aclose()
    assert reply == Answer(text="Good day")
    assert (used[0].input_tokens, used[0].output_tokens) == (30, 7)
    [asked] = engine.asked
    assert [one["content"] for one in asked["messages"]] == ["Be brief.", "Hello?"]
    properties = asked["response_format"]["json_schema"]["schema"]["properties"]
    assert properties["text"]["maxLength"] == 50
    assert properties["more"]["maxItems"] == 2


async def test_a_prompt_that_is_too_long_is_the_requests_fault_and_a_broken_model_the_servers() -> None:
    for status in (400, 500):
        async with served(Scripted(Wrong(status, "no"))) as url, sdk(url) as client:
            with pytest.raises(anthropic.APIStatusError) as failed:
                await client.messages.create(model="local", max_tokens=9, messages=ASKED)
            assert failed.value.status_code == status
            with pytest.raises(anthropic.APIStatusError) as failed:
                async with client.messages.stream(model="local", max_tokens=9, messages=ASKED):
                    pass
            assert failed.value.status_code == status


async def test_a_stream_that_breaks_says_so() -> None:
    async with served(Scripted("Good ", Wrong(500, "out of memory"))) as url, sdk(url) as client:
        with pytest.raises(anthropic.APIStatusError, match="out of memory"):
            async with client.messages.stream(model="local", max_tokens=9, messages=ASKED) as stream:
                await stream.get_final_message()


async def test_what_is_not_text_is_refused() -> None:
    image: Any = [
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://x.example"}}]}
    ]
    async with served(Scripted("?")) as url, sdk(url) as client:
        with pytest.raises(anthropic.BadRequestError):
            await client.messages.create(model="local", max_tokens=9, messages=image)
