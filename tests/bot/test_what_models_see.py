"""Promise 5 from outside: whatever people say, a model is sent nothing of what went wrong before."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.claude import ClaudeAnswerer, ClaudeRewriter
from bot.claude_summary import ClaudeSummaryWriter
from bot.followup import RuleRewriter
from bot.messages import TurnKind
from bot.prompts import prompt
from bot.summary import Summaries
from bot.wording import wording
from memory.replay import CHARACTERS_PER_TOKEN
from retrieval.grade import Grader
from retrieval.search import Searcher
from tests.bot.engine import bench, said
from tests.doubles.claude import ClaudeDouble, Fails, Refuses, Says, Scripted, connected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.turn import Engine

BUDGET = 150
"""Tokens of earlier exchanges: three or four of those below."""

MESSAGES = {
    "answered": "When is the flu clinic open, {mark}?",
    "declined": "Which parking is nearest to the flu clinic, {mark}?",
    "refused": "What kills germs at the flu clinic, {mark}?",
    "broken": "Who runs the flu clinic, {mark}?",
    "crisis": "I want to kill myself {mark}",
    "threat": "I am going to shoot my boss {mark}",
    "about suicide": "What are the signs of suicide in teenagers, {mark}?",
    "too long": "{mark} flu clinic " + "and then " * 1000,
    "thanks": "thanks",
}
_MARK = re.compile(r"zq\d+q")
_LAST = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_WORDS = wording()
OURS = (
    _WORDS.answer.ungrounded,
    _WORDS.answer.ungrounded_about.partition("{")[0],
    _WORDS.answer.ungrounded_hint,
    _WORDS.refusal.model,
    _WORDS.refusal.violence,
    _WORDS.error.general.partition("(")[0],
    _WORDS.error.too_long,
    _WORDS.crisis.about_self,
    _WORDS.crisis.mention,
    _WORDS.courtesy.thanks,
)
"""What we say where we do not answer."""


def text_of(message: Mapping[str, Any]) -> str:
    """What stands in a message, whether or not it is cut into blocks."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def task(body: Mapping[str, Any]) -> str:
    """What a model is asked for, by a field of the form."""
    fields = body["output_config"]["format"]["schema"]["properties"]
    return next(name for name in ("sentences", "question", "summary") if name in fields)


def model(body: Mapping[str, Any]) -> Scripted:
    """A model that says all it was told, and fails as the questions above ask it to."""
    content = text_of(body["messages"][-1])
    question = _LAST.findall(content)[-1]
    match task(body):
        case "question":
            return Says({"question": question})
        case "summary":
            return Says({"summary": " ".join(dict.fromkeys(_MARK.findall(content))) or "Nothing."})
    if "kills" in question:
        return Refuses()
    if "runs" in question:
        return Fails(400)
    if "parking" in question:
        return Says({"kind": "ungrounded", "sentences": [], "missing": " ".join(_MARK.findall(question))})
    found = re.findall(r'<passage id="(p\d)">.*?<text>(.*?\.) ', content, re.DOTALL)
    id_, quote = found[0]
    return Says({"kind": "fact", "sentences": [{"text": quote, "passage_id": id_, "quote": quote}], "missing": ""})


def replayed(body: Mapping[str, Any]) -> int:
    """The characters of earlier exchanges and their summary."""
    *messages, last = body["messages"]
    summary = re.findall(r"<summary>(.*?)</summary>", text_of(last), re.DOTALL)
    return sum(len(text_of(message)) for message in messages) + sum(map(len, summary))


async def talked(engine: Engine, double: ClaudeDouble, summaries: Summaries, kinds: Sequence[str]) -> None:
    """Hold the conversation, and look at every request once it is made."""
    endings: dict[str, TurnKind] = {}
    for number, kind in enumerate(kinds):
        mark = f"zq{number}q"
        before, summarised = len(double.requests), len(double.summarised)
        reply = await engine.respond(said(MESSAGES[kind].format(mark=mark)))
        await summaries.settle()
        answered = {one for one, ending in endings.items() if ending is TurnKind.FACT}
        asked = {one for one, ending in endings.items() if ending in {TurnKind.FACT, TurnKind.UNGROUNDED}}
        endings[mark] = reply.kind
        now = {mark} if reply.kind is TurnKind.FACT else set()
        for body in [*double.requests[before:], *double.summarised[summarised:]]:
            marks = set(_MARK.findall(json.dumps(body)))
            allowed = {"sentences": answered | {mark}, "question": asked | {mark}, "summary": answered | now}
            assert marks <= allowed[task(body)]
            assert not any(text in json.dumps(body, ensure_ascii=False) for text in OURS)
            roles = [message["role"] for message in body["messages"]]
            assert roles == [("user", "assistant")[at % 2] for at in range(len(roles))]
            assert roles[-1] == "user"
            if task(body) == "sentences":
                assert replayed(body) <= BUDGET * CHARACTERS_PER_TOKEN
    expected = {"crisis": TurnKind.CRISIS, "threat": TurnKind.REFUSAL, "refused": TurnKind.REFUSAL}
    for at, (kind, ending) in enumerate(zip(kinds, endings.values(), strict=True)):
        follows_crisis = ending is TurnKind.CRISIS and "crisis" in kinds[:at]
        assert ending is expected.get(kind, ending) or follows_crisis


async def hold(kinds: Sequence[str]) -> ClaudeDouble:
    async with ClaudeDouble([], otherwise=model, summarise=model) as double, connected(double) as claude:
        made = await bench()
        writer = ClaudeSummaryWriter(claude, prompt("summary"))
        summaries = Summaries(writer, budget_tokens=BUDGET)
        engine = replace(
            made.engine,
            searcher=Searcher(made.index, None, Grader.fitted(evidence=0.0)),
            answerer=ClaudeAnswerer(claude, prompt("answer")),
            rewriter=ClaudeRewriter(claude, prompt("standalone"), fallback=RuleRewriter()),
            settings=replace(made.engine.settings, replay_tokens=BUDGET),
            summarise=summaries.grow,
        )
        await talked(engine, double, summaries, kinds)
        assert not double.refused
    return double


@settings(max_examples=20)
@given(st.lists(st.sampled_from([*MESSAGES, "answered", "answered"]), max_size=12))
async def test_a_model_is_sent_nothing_of_what_was_not_answered(kinds: list[str]) -> None:
    await hold(kinds)


async def test_a_long_conversation_is_summarised_and_the_summary_is_shown() -> None:
    double = await hold(["answered", "declined", "crisis"] * 6)
    last = [body for body in double.requests if task(body) == "sentences"][-1]
    assert "<summary>zq0q" in text_of(last["messages"][-1])
    assert double.summarised
