"""One backend at a time goes away while the application runs, and comes back. `OUTAGES` says what that costs.

Whatever is away, each question is answered from the documents or told honestly that it cannot be, within the turn's
deadline; a person in crisis is given the lines; and the next question after it is answered as if nothing had been.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import pytest

from adapters.app import build, utc_now
from adapters.console import PLATFORM, message
from adapters.documents import fill_in, take_in
from adapters.settings import Settings
from bot.messages import TurnKind
from memory.errors import MemoryUnavailable
from retrieval.document import PUBLIC
from tests.adapters.platform import Platform, until
from tests.bot.engine import LEAFLETS
from tests.doubles import claude as claudes
from tests.doubles import onnx
from tests.doubles import voyage as voyages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any

    from adapters.app import Application
    from bot.messages import Reply
    from bot.wording import Wording
    from tests.doubles.weaviate import WeaviateDouble

QUESTIONS = {"When is the flu clinic open?": "Tuesdays from 9 am to 12 noon", "And for children?": "on Saturdays"}
"""Each with what the documents say. The second is asked in the conversation of the first."""
CRISIS, ABOUT = "I want to kill myself", "What are the signs of suicide risk in teenagers?"

FAILS_AT = "Hello"
"""The word at which a model on this machine fails, for a file that is loaded cannot be pulled away."""

Shown: TypeAlias = "Mapping[str, tuple[object, object]]"
"""By stage, of those that did not run as they should: what ran in the end, and why."""


@dataclass(slots=True)
class Rig:
    """The application as it is built, a platform to ask it on, and the backends that can be taken from it."""

    app: Application
    home: Path
    caplog: pytest.LogCaptureFixture
    voyage: voyages.VoyageDouble
    claude: claudes.ClaudeDouble
    weaviate: WeaviateDouble
    platform: Platform = field(default_factory=Platform)
    _ids: Iterator[int] = field(default_factory=count)

    async def ask(self, text: str, *, thread: str = "t") -> Reply:
        """The one reply to a message, which comes within the turn's deadline."""
        asked = message(text, id_=f"m{next(self._ids)}", thread=thread, at=utc_now(), country="GB")
        with suppress(MemoryUnavailable):  # where nothing can be stored, the platform is not told that it arrived
            await self.app.dispatcher.accept(asked)
        async with asyncio.timeout(self.app.settings.turn_deadline + 10):
            await until(lambda: self.platform.shown[asked.id] and not self.app.dispatcher.busy)
        (reply,) = self.platform.shown[asked.id]
        return reply

    def shows(self, reply: Reply) -> Shown:
        """What the operator's log says of the turn."""
        lines = (record.getMessage() for record in self.caplog.records if record.name == "bot.turn")
        found: dict[str, tuple[object, object]] = {}
        for line in lines:
            turn, *stages = line.split(" | ")
            if turn == f"turn {reply.kind.value} {reply.trace_id}":
                for stage in stages:
                    name, _, attributes = re.split(r" ([\d.]+) ms ?", stage)
                    said = dict(one.partition("=")[::2] for one in attributes.split(" "))
                    if why := said.get("degraded") or said.get("failed") or said.get("error"):
                        # A model on this machine is named after its folder and a hash of its files.
                        found[name] = (re.sub(r"-[0-9a-f]{8,}$", "", said.get("backend", "")), why)
        return found


def voyage(fault: voyages.Scripted) -> Callable[[Rig], AbstractContextManager[None]]:
    @contextmanager
    def away(rig: Rig) -> Iterator[None]:
        rig.voyage.script = [fault] * 100
        yield
        rig.voyage.script = []

    return away


def claude(fault: claudes.Scripted) -> Callable[[Rig], AbstractContextManager[None]]:
    """In all it does: it rewrites follow-ups, makes up passages, reranks, finds other words, and writes answers."""

    @contextmanager
    def away(rig: Rig) -> Iterator[None]:
        double = rig.claude
        double.replies, double.judging, double.rewording = [fault] * 100, [fault] * 100, [fault] * 100
        yield
        double.replies, double.judging, double.rewording = [], [], []

    return away


@contextmanager
def deleted(rig: Rig) -> Iterator[None]:
    """The application has it open, and goes on with it."""
    for file in rig.home.glob("index.db*"):
        file.unlink()
    yield


def damaged(name: str) -> Callable[[Rig], AbstractContextManager[None]]:
    """While another process writes, so that what SQLite had read of the file before does not serve."""

    @contextmanager
    def away(rig: Rig) -> Iterator[None]:
        _written_to(rig.home / name)
        before = {file: file.read_bytes() for file in (rig.home / name, rig.home / f"{name}-wal")}
        for file, content in before.items():
            _overwrite(file, b"\xa5" * len(content))
        yield
        for file, content in before.items():
            _overwrite(file, content)

    return away


def locked(name: str) -> Callable[[Rig], AbstractContextManager[None]]:
    """By another process that writes."""

    @contextmanager
    def away(rig: Rig) -> Iterator[None]:
        other = sqlite3.connect(rig.home / name, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.close()

    return away


def at_a_word(_: Rig) -> AbstractContextManager[None]:
    """The model fails at what it is asked."""
    return nullcontext()


def _written_to(database: Path) -> None:
    other = sqlite3.connect(database)
    with other:
        other.execute(f"PRAGMA user_version = {other.execute('PRAGMA user_version').fetchone()[0]}")
    other.close()


def _overwrite(file: Path, content: bytes) -> None:
    with file.open("r+b") as held:
        held.write(content)


@dataclass(frozen=True, slots=True)
class Outage:
    """A backend of an application that `uses` it, and how it is kept `away`; then what is shown, and how turns end.

    `deadline` is the turn's, in seconds, and short where a backend would be waited for. `asking` stands before the
    questions.
    """

    what: str
    uses: str
    away: Callable[[Rig], AbstractContextManager[None]]
    shows: Shown
    ends: TurnKind = TurnKind.FACT
    deadline: float = 60
    asking: str = ""


def _voyage(why: str) -> Shown:
    return {
        "embed": ("voyage-4", f"embedder-{why}"),
        "search": ("sqlite", f"embedder-{why}"),
        "rerank": ("fitted", f"reranker-{why}"),
    }


def _claude(error: str) -> Shown:
    return {
        "followup": ("rules", error),
        "hyde": (claudes.SMALL_MODEL, "hyde-failed"),
        "rerank": ("fitted", "reranker-failed"),
        "rewrite": (claudes.SMALL_MODEL, "rewriter-failed"),
        "answer": ("extractive", error),
    }


_CLAUDE_HANGS: Shown = {
    "followup": ("rules", "Transient"),
    "hyde": (claudes.SMALL_MODEL, "hyde-slow"),
    "rerank": ("fitted", "reranker-slow"),
    "answer": ("extractive", "Transient"),
}
"""Nothing is searched for again: there is no time."""

_CLAUDE_REFUSES: Shown = {
    "followup": ("rules", "Refused"),
    "hyde": (claudes.SMALL_MODEL, "hyde-declined"),
    "rerank": ("fitted", "reranker-failed"),
    "rewrite": (claudes.SMALL_MODEL, "rewriter-declined"),
    "answer": (claudes.MODEL, "Refused"),
}


OUTAGES = [
    Outage("Voyage: the key is revoked, 401", "voyage", voyage(voyages.Fails(401)), _voyage("failed")),
    Outage("Voyage: a storm of 429", "voyage", voyage(voyages.Fails(429, {"Retry-After": "60"})), _voyage("failed")),
    Outage("Voyage: connections drop", "voyage", voyage(voyages.Drops()), _voyage("failed")),
    Outage("Voyage: down, 503", "voyage", voyage(voyages.Fails(503)), _voyage("failed")),
    Outage("Voyage: out of shape", "voyage", voyage(voyages.Sends(b"<html>", "text/html")), _voyage("failed")),
    Outage("Voyage: it hangs", "voyage", voyage(voyages.Hangs()), _voyage("slow"), deadline=6),
    Outage("Claude: the key is revoked, 401", "claude", claude(claudes.Fails(401)), _claude("Misconfigured")),
    Outage("Claude: a storm of 429", "claude", claude(claudes.Fails(429, {"retry-after": "60"})), _claude("Transient")),
    Outage("Claude: overloaded, 529", "claude", claude(claudes.Fails(529, {"retry-after": "0"})), _claude("Transient")),
    Outage("Claude: connections drop", "claude", claude(claudes.Drops()), _claude("Transient")),
    Outage("Claude: it hangs", "claude", claude(claudes.Hangs()), _CLAUDE_HANGS, deadline=6),
    Outage("Claude: out of shape", "claude", claude(claudes.Writes("Of course!")), _claude("Malformed")),
    Outage("Claude: it refuses", "claude", claude(claudes.Refuses()), _CLAUDE_REFUSES, ends=TurnKind.REFUSAL),
    Outage("Weaviate: it is killed", "weaviate", lambda rig: rig.weaviate.gone(), {}, ends=TurnKind.ERROR, deadline=4),
    Outage("Weaviate: it hangs", "weaviate", lambda rig: rig.weaviate.hanging(), {}, ends=TurnKind.ERROR, deadline=3),
    Outage("index file: deleted", "files", deleted, {}),
    Outage(
        "index file: damaged",
        "files",
        damaged("index.db"),
        {"retrieval": ("", "IndexUnavailable")},
        ends=TurnKind.ERROR,
    ),
    Outage("index file: another process writes", "files", locked("index.db"), {}),
    Outage("memory file: damaged", "files", damaged("memory.db"), {"memory": ("", "MemoryDamaged")}),
    Outage("memory file: locked", "files", locked("memory.db"), {"memory": ("", "MemoryUnavailable")}, deadline=6),
    Outage(
        "the embedding model here fails",
        "embedder",
        at_a_word,
        {"embed": ("encoder", "embedder-failed"), "search": ("sqlite", "embedder-failed")},
        asking=FAILS_AT,
    ),
    Outage(
        "the cross-encoder here fails",
        "cross-encoder",
        at_a_word,
        {"rerank": ("fitted", "reranker-failed")},
        asking=FAILS_AT,
    ),
]


def served(body: Mapping[str, Any]) -> claudes.Scripted:
    """What a Claude in good health says: in an answer, the first sentence of the first passage."""
    asked = body["output_config"]["format"]["schema"]["properties"]
    if "passage" in asked:
        return claudes.Says({"passage": "The flu clinic is open."})
    if "question" in asked:
        return claudes.Says({"question": "When is the flu clinic open for children?"})
    passages = re.findall(r'<passage id="(p\d+)">.*?<text>(.*?)</text>', body["messages"][-1]["content"], re.DOTALL)
    said = [{"text": _first(text), "passage_id": id_, "quote": _first(text)} for id_, text in passages[:2]]
    return claudes.Says({"kind": "fact", "missing": "", "sentences": said})


def _first(text: str) -> str:
    return text.partition(". ")[0] + "."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the documents and the models, and no `.env` and no key of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("VOYAGE_API_KEY", "VOYAGE_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "WEAVIATE_URL"):
        monkeypatch.delenv(name, raising=False)
    for title, text in LEAFLETS.items():
        (tmp_path / "documents").mkdir(exist_ok=True)
        (tmp_path / "documents" / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
    knows = " ".join([*LEAFLETS, *LEAFLETS.values(), *QUESTIONS])
    for name, fails_at in (("encoder", ""), ("failing", FAILS_AT)):
        onnx.encoder(tmp_path / name / "encoder", knows=knows, fails_at=fails_at)
        onnx.cross_encoder(tmp_path / name / "judge", knows=knows, fails_at=fails_at)
    return tmp_path


@asynccontextmanager
async def rigged(
    outage: Outage, folder: Path, weaviate: WeaviateDouble, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[Rig]:
    caplog.set_level("INFO", logger="bot.turn")
    async with AsyncExitStack() as stack:
        voyage_double = await stack.enter_async_context(voyages.VoyageDouble())
        claude_double = await stack.enter_async_context(claudes.ClaudeDouble([], otherwise=served))
        given = {
            "voyage": {"VOYAGE_API_KEY": voyages.KEY, "VOYAGE_BASE_URL": voyage_double.url},
            "claude": {"ANTHROPIC_API_KEY": claudes.KEY, "ANTHROPIC_BASE_URL": claude_double.url},
            "weaviate": {"WEAVIATE_URL": weaviate.url},
            "embedder": {"embedder": str(folder / "failing" / "encoder")},
            "cross-encoder": {"reranker": str(folder / "failing" / "judge")},
            "files": {},
        }[outage.uses]
        given = ({} if outage.uses == "voyage" else {"embedder": str(folder / "encoder" / "encoder")}) | given
        weak = {"evidence_threshold": 0, "confident_threshold": 1}  # so that it searches again, where it can
        settings = await asyncio.to_thread(
            lambda: Settings.load(home=folder / "home", turn_deadline=outage.deadline, **weak, **given)
        )
        app = await stack.enter_async_context(await build(settings))
        await take_in(app, [folder / "documents"], collection=PUBLIC, prune=False)
        await fill_in(app)
        rig = Rig(app, folder / "home", caplog, voyage_double, claude_double, weaviate)
        app.dispatcher.register(PLATFORM, rig.platform)
        yield rig


async def assert_well(rig: Rig) -> None:
    """Both questions are answered from the documents, and every stage runs as it should."""
    for question, fact in QUESTIONS.items():
        reply = await rig.ask(question)
        assert (reply.kind, rig.shows(reply)) == (TurnKind.FACT, {})
        assert fact in reply.text


@pytest.fixture
def _watched(outage: Outage, request: pytest.FixtureRequest) -> None:
    """No call may block the event loop; but that of gRPC's own which ends its thread cannot be told from ours."""
    if outage.uses != "weaviate":
        request.getfixturevalue("nothing_blocks_the_loop")


@pytest.mark.usefixtures("_watched")
@pytest.mark.parametrize("outage", OUTAGES, ids=lambda outage: outage.what)
async def test_a_backend_that_goes_away_costs_what_it_adds_and_comes_back_by_itself(
    outage: Outage, folder: Path, weaviate: WeaviateDouble, caplog: pytest.LogCaptureFixture
) -> None:
    async with rigged(outage, folder, weaviate, caplog) as rig:
        await assert_well(rig)
        shown: dict[str, tuple[object, object]] = {}
        with outage.away(rig):
            replies = await asyncio.gather(
                *(rig.ask(f"{outage.asking} {question}".strip()) for question in QUESTIONS),
                rig.ask(CRISIS, thread="c"),
                rig.ask(ABOUT, thread="a"),
            )
        for reply, fact in zip(replies, QUESTIONS.values(), strict=False):
            assert_honest(reply, outage.ends, fact, rig.app.engine.wording)
            shown |= rig.shows(reply)
        assert shown == outage.shows
        in_crisis, about = replies[-2:]
        assert (in_crisis.kind, in_crisis.private, bool(in_crisis.resources)) == (TurnKind.CRISIS, True, True)
        assert about.resources
        await assert_well(rig)


def assert_honest(reply: Reply, kind: TurnKind, fact: str, words: Wording) -> None:
    """It says what the documents say, or what is written for such a case and nothing else."""
    assert reply.kind is kind
    if kind is TurnKind.FACT:
        assert fact in reply.text
        assert reply.sources
    elif kind is TurnKind.REFUSAL:
        assert reply.text == words.refusal.model
    else:
        fixed = (words.error.general, words.error.timeout)
        assert reply.text in {text.format(reference=reply.trace_id) for text in fixed}
