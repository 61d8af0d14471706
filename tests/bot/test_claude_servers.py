"""Any server that speaks the Messages API will do: one without schemas, caches, counts or known models."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bot.answer import Fact, Sentence
from bot.claude import ClaudeAnswerer
from bot.claude_api import Claude
from bot.claude_message import objects_in
from bot.errors import Malformed, Permanent
from bot.prompts import prompt
from memory.replay import Exchange
from tests.bot.evidence import evidence, hit
from tests.doubles.claude import MODEL, ClaudeDouble, Fails, Says, Scripted, Sends, Writes, connected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.claude_message import Usage

OPEN = "The flu clinic is open on Tuesdays from 9 to 12."
DRAFT: dict[str, Any] = {
    "kind": "fact",
    "sentences": [{"text": "On Tuesdays.", "passage_id": "p1", "quote": OPEN}],
    "missing": "",
}
FACT = Fact((Sentence("On Tuesdays.", "doc1#1", OPEN),))
FOUND = evidence(hit(OPEN))
BEFORE = [Exchange("Where is it?", "In hall B.")]
JSON = json.dumps(DRAFT)
NOT_YET = json.dumps(DRAFT | {"sentences": []})


@asynccontextmanager
async def answering(*replies: Scripted, simple: bool = False, **given: Any) -> AsyncIterator[tuple[Any, ClaudeDouble]]:
    models = [given.get("model", MODEL)]
    async with ClaudeDouble(replies, simple=simple, models=models) as double, connected(double, **given) as claude:
        yield ClaudeAnswerer(claude, prompt("answer")), double
        assert not double.replies


@pytest.mark.parametrize(
    "written",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"Here is the answer:\n\n{JSON}\n\nI hope that helps {{you}}!",
        f"The form is {{kind, sentences}}, so: {JSON}",
        f"<think>Perhaps {NOT_YET}? No, it says so.</think>\n{json.dumps(DRAFT, indent=2)}",
        f"{JSON} {{",
        json.dumps(DRAFT | {"missing": None}),
    ],
    ids=["bare", "fenced", "in prose", "after braces", "after thought", "before a brace", "null for nothing"],
)
async def test_the_one_object_in_shape_is_read_out_of_whatever_was_written(written: str) -> None:
    async with answering(Writes(written)) as (answerer, _):
        assert await answerer.answer("When?", FOUND, ()) == FACT


@pytest.mark.parametrize(
    "written",
    [
        "On Tuesdays.",
        JSON[:-1],
        json.dumps([DRAFT["sentences"]]),
        json.dumps({"answer": DRAFT}),
        json.dumps(DRAFT | {"sources": ["https://evil.example"]}),
        json.dumps(DRAFT | {"kind": "Fact"}),
        json.dumps(DRAFT | {"sentences": "On Tuesdays."}),
        json.dumps(DRAFT | {"sentences": [{"text": "On Tuesdays."}]}),
        json.dumps(DRAFT | {"sentences": DRAFT["sentences"] * 41}),
        JSON.replace('"', "'"),
    ],
)
async def test_what_is_not_in_shape_is_no_answer(written: str) -> None:
    async with answering(Writes(written), Writes(written)) as (answerer, _):
        with pytest.raises(Malformed):
            await answerer.answer("When?", FOUND, ())


async def test_a_server_that_takes_no_schema_is_asked_without_from_then_on() -> None:
    async with answering(Writes(JSON), Writes(JSON), simple=True) as (answerer, double):
        assert await answerer.answer("When?", FOUND, BEFORE) == FACT
        assert await answerer.answer("When?", FOUND, BEFORE) == FACT
        assert len(double.refused) == 1
        for sent in double.requests:
            assert sent["system"] == prompt("answer").text
            assert sent["messages"][1] == {"role": "assistant", "content": "In hall B."}


async def test_requests_that_were_under_way_when_that_was_found_out_are_sent_again_too() -> None:
    async with answering(*[Writes(JSON)] * 6, simple=True) as (answerer, double):
        answers = await asyncio.gather(*(answerer.answer("When?", FOUND, ()) for _ in range(6)))
        assert answers == [FACT] * 6
        assert len(double.refused) > 1


async def test_a_server_that_checks_its_fields_as_fastapi_does_is_understood() -> None:
    detail = [{"type": "extra_forbidden", "loc": ["body", "output_config"], "msg": "Extra inputs are not permitted"}]
    refusal = Sends(json.dumps({"detail": detail}).encode(), status=422)
    async with ClaudeDouble([refusal, Writes(JSON)]) as double, connected(double) as claude:
        with pytest.raises(Permanent):  # the double, which is not simple, wants its schema back
            await ClaudeAnswerer(claude, prompt("answer")).answer("When?", FOUND, ())
        assert double.refused == ["output_config.format: the double is asked for structured output only"]


async def test_another_fault_of_the_request_is_not_taken_for_that() -> None:
    async with answering(Fails(400), Says(DRAFT)) as (answerer, double):
        with pytest.raises(Permanent):
            await answerer.answer("When?", FOUND, ())
        assert await answerer.answer("When?", FOUND, ()) == FACT
        assert all("output_config" in sent for sent in double.requests)


@pytest.mark.parametrize("usage", [{}, {"usage": None}, {"usage": {}}, {"usage": {"input_tokens": None}}])
async def test_a_server_that_counts_no_tokens_is_believed_to_have_taken_none(usage: dict[str, Any]) -> None:
    told: list[Usage] = []
    message = {"type": "message", "content": [{"type": "text", "text": JSON}], "stop_reason": None} | usage
    async with answering(Sends(json.dumps(message).encode()), on_usage=told.append) as (answerer, _):
        assert await answerer.answer("When?", FOUND, ()) == FACT
    assert [(one.input_tokens, one.output_tokens, one.cache_read_tokens) for one in told] == [(0, 0, 0)]


async def test_a_block_without_text_is_passed_over() -> None:
    content = [{"type": "text", "text": None}, {"type": "text"}, {"type": "text", "text": JSON}]
    message = {"type": "message", "content": content, "stop_reason": "end_turn"}
    async with answering(Sends(json.dumps(message).encode())) as (answerer, _):
        assert await answerer.answer("When?", FOUND, ()) == FACT


async def test_a_model_of_any_name_is_asked() -> None:
    async with answering(Writes(JSON), simple=True, model="qwen3:4b-instruct") as (answerer, double):
        assert answerer.name == "qwen3:4b-instruct"
        assert await answerer.answer("When?", FOUND, ()) == FACT
        assert double.requests[0]["model"] == "qwen3:4b-instruct"


async def test_an_address_may_have_a_path_of_its_own_and_a_bar_at_its_end() -> None:
    async with ClaudeDouble([Says(DRAFT)]) as double:
        claude = Claude.connect(api_key="test-key-of-the-double", base_url=f"{double.url}/")
        assert await ClaudeAnswerer(claude, prompt("answer")).answer("When?", FOUND, ()) == FACT
        await claude.aclose()


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("", []),
        ("{", []),
        ("}{", []),
        ('{"a": {"b": 1}} {"c": 2}', ['{"c": 2}', '{"a": {"b": 1}}']),
        ('{"a": "}"}', ['{"a": "}"}']),
        ('{{"a": 1}}', ['{"a": 1}']),
        ("{" * 100_000, []),
    ],
)
def test_objects_are_found_in_a_text_the_last_one_first(text: str, objects: list[str]) -> None:
    assert objects_in(text) == objects
