"""An engine on fakes, for tests: an index in RAM, rules for rewriting, a scripted answerer, nothing on disk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

from bot.answer import Fact, Sentence
from bot.answerer import Asked, ScriptedAnswerer
from bot.extractive import ExtractiveAnswerer
from bot.followup import RuleRewriter
from bot.messages import Author, IncomingMessage
from bot.safety import SafetyVerdict, assess
from bot.settings import TurnSettings
from bot.turn import Engine, Memories
from bot.wording import wording
from memory.conversation import Conversation
from memory.ram import RamMemory
from retrieval.document import PUBLIC, Document, Passage
from retrieval.grade import Grader
from retrieval.ram_index import RamIndex
from retrieval.search import PipelineSettings, Searcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.answer import Answer
    from bot.answerer import Answerer
    from memory.store import Memory

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
LEAFLETS = {
    "Flu clinic": "The flu clinic is open on Tuesdays from 9 am to 12 noon. Bring your clinic card.",
    "Children": "Children's flu sessions are on Saturdays from 9.30 am to 11 am. A parent must come with the child.",
    "Visiting": "Visiting hours on the ward are from 2 pm to 7 pm. Pets are not allowed, apart from assistance dogs.",
    "Blood tests": "Blood tests are done from Monday to Friday. Drink plain water before a fasting blood test.",
}
CONVERSATION = Conversation("console", "local", "terminal", "t1")


@dataclass(frozen=True, slots=True)
class Bench:
    """The engine and the parts that tests look into."""

    engine: Engine
    index: RamIndex
    answerer: ScriptedAnswerer
    durable: Memory
    guests: Memory


def first_sentence(asked: Asked) -> Answer:
    """A well-behaved model: it says the best passage's first sentence."""
    passage = asked.evidence.hits[0].passage
    sentence = passage.text.split(". ")[0].rstrip(".") + "."
    return Fact((Sentence(sentence, passage.id, sentence),))


async def bench(
    write: Callable[[Asked], Answer] = first_sentence,
    *,
    leaflets: dict[str, str] | None = None,
    collection: str = PUBLIC,
    memory: Memory | None = None,
    gate: Callable[[str], SafetyVerdict] = assess,
    fallback: Answerer | None = None,
) -> Bench:
    """The engine over these leaflets (title: text), each a document of one passage."""
    index = RamIndex()
    for n, (title, text) in enumerate((LEAFLETS if leaflets is None else leaflets).items(), start=1):
        document = Document(f"d{n}", title, f"/d{n}.md", collection, str(n), url=f"https://larkfield.example/{n}")
        await index.replace(document, [Passage(f"d{n}#1", document.id, 1, text, title, (title,), (0, len(text)))])
    answerer = ScriptedAnswerer(write)
    durable, guests = memory or RamMemory(), RamMemory()
    ids = count(1)
    engine = Engine(
        searcher=Searcher(index, None, Grader.fitted(), today=NOW.date),
        index=index,
        answerer=answerer,
        fallback=fallback or ExtractiveAnswerer(index),
        rewriter=RuleRewriter(),
        memories=Memories(durable, guests),
        wording=wording(),
        settings=TurnSettings(country="GB"),
        pipeline=PipelineSettings(),
        clock=lambda: NOW,
        new_id=lambda: f"trace{next(ids)}",
        assess=gate,
    )
    return Bench(engine, index, answerer, durable, guests)


_ids = count(1)


def said(text: str, *, conversation: Conversation = CONVERSATION, guest: bool = False) -> IncomingMessage:
    """A message of this text, with an id of its own."""
    return IncomingMessage(f"m{next(_ids)}", conversation, Author("ann", guest=guest), text, NOW)
