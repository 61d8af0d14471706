"""How well follow-ups are understood: each searched for as typed, as rewritten here, and as its gold rewriting says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from adapters.evaluation_report import interval, percent, table
from retrieval.document_names import AmbiguousName, DocumentNames
from retrieval.evaluate import mean, share
from retrieval.evidence import Query
from retrieval.question_file import BadQuestions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.answerer import Rewriter
    from retrieval.conversation_file import Said, Talk
    from retrieval.evaluate import Figure
    from retrieval.index import Index
    from retrieval.search import PipelineSettings, Searcher

DEPTH = 20
_LABELS = {
    "recall@20_gold": "recall@20, gold rewriting",
    "recall@20_rewritten": "recall@20, rewritten here",
    "recall@20_typed": "recall@20, as typed",
    "same_as_gold": "passages shared with gold",
    "left_as_typed": "follow-ups left as typed",
    "stand_alone_changed": "changed though standing alone",
}


@dataclass(frozen=True, slots=True)
class Understood:
    """What became of one question: whether it was `changed`, and recall@20 of what answers it, in [0, 1].

    `gold`, `rewritten` and `typed` are None where nothing in the index is known to answer it. `shared` is the share of
    the gold rewriting's first 20 passages that are found here too; None for a first question and one without a gold
    rewriting.
    """

    talk: str
    turn: int
    stands_alone: bool
    changed: bool
    gold: float | None
    rewritten: float | None
    typed: float | None
    shared: float | None


class Listener:
    """Puts conversations to a rewriter and a search, and to nothing else: no answer is written, nothing is kept."""

    def __init__(self, index: Index, searcher: Searcher, rewriter: Rewriter, pipeline: PipelineSettings) -> None:
        self._index = index
        self._searcher = searcher
        self._rewriter = rewriter
        self._pipeline = pipeline
        self.missing: set[str] = set()
        """What the conversations name and the index does not have."""

    async def hear(self, talks: Sequence[Talk], *, on_progress: Callable[[int, int], None]) -> list[Understood]:
        """Every question of every conversation. Errors: BadQuestions, for a name that several documents share."""
        names = DocumentNames(await self._index.catalogue())
        heard: list[Understood] = []
        for number, talk in enumerate(talks):
            on_progress(number, len(talks))
            earlier: list[str] = []
            for turn, said in enumerate(talk.said, start=1):
                standalone = await self._rewriter.standalone(said.text, earlier)
                heard.append(await self._understood(talk, turn, standalone, names))
                earlier.append(standalone)
        on_progress(len(talks), len(talks))
        return heard

    async def _understood(self, talk: Talk, turn: int, standalone: str, names: DocumentNames) -> Understood:
        said = talk.said[turn - 1]
        gold = rewritten = typed = shared = None
        if turn > 1 and said.rewrite is not None:
            wanted = await self._wanted(said, names, talk.where)
            of_gold, of_ours = await self._found(said.rewrite), await self._found(standalone)
            shared = len(set(of_gold) & set(of_ours)) / len(of_gold) if of_gold else None
            if wanted:
                of_typed = await self._found(said.text)
                gold, rewritten, typed = (_recall(found, wanted) for found in (of_gold, of_ours, of_typed))
        alone = turn == 1 or said.stands_alone
        return Understood(talk.id, turn, alone, standalone != said.text, gold, rewritten, typed, shared)

    async def _found(self, question: str) -> list[str]:
        evidence = await self._searcher.search(Query(question, question), k=DEPTH, pipeline=self._pipeline)
        return [hit.passage.id for hit in evidence.hits]

    async def _wanted(self, said: Said, names: DocumentNames, where: str) -> list[frozenset[str]]:
        """The passages of each section or document that answers, as far as they are in the index."""
        wanted = []
        for name in said.relevant:
            try:
                document = names.find(name)
            except AmbiguousName as error:
                msg = f"{where}: {error}."
                raise BadQuestions(msg) from None
            if document is None:
                self.missing.add(name)
                continue
            passages = await self._index.passages_of(document.id)
            heading = " ".join(name.partition("#")[2].split())
            section = {one.id for one in passages if heading in {" ".join(part.split()) for part in one.headings}}
            wanted.append(frozenset(section or {one.id for one in passages}))
        return wanted


def _recall(found: Sequence[str], wanted: Sequence[frozenset[str]]) -> float:
    return sum(not one.isdisjoint(found) for one in wanted) / len(wanted)


def figures(heard: Sequence[Understood]) -> dict[str, Figure]:
    """Means over the questions that each figure speaks of; one that speaks of none is left out."""
    judged = [one for one in heard if not one.stands_alone and one.gold is not None]
    follow_ups = [one for one in heard if not one.stands_alone]
    found = {
        "recall@20_gold": mean([one.gold or 0.0 for one in judged]),
        "recall@20_rewritten": mean([one.rewritten or 0.0 for one in judged]),
        "recall@20_typed": mean([one.typed or 0.0 for one in judged]),
        "same_as_gold": mean([one.shared for one in follow_ups if one.shared is not None]),
        "left_as_typed": share([not one.changed for one in follow_ups]),
        "stand_alone_changed": share([one.changed for one in heard if one.stands_alone and one.turn > 1]),
    }
    return {name: figure for name, figure in found.items() if figure is not None}


def ratio(found: dict[str, Figure]) -> float | None:
    """What rewriting here reaches of what the gold rewriting does; None where that finds nothing."""
    gold = found.get("recall@20_gold")
    return found["recall@20_rewritten"].value / gold.value if gold is not None and gold.value else None


def report(heard: Sequence[Understood], rewriter: str) -> str:
    """The figures as people read them."""
    found = figures(heard)
    rows: list[Sequence[str]] = [("", "", "95 % interval", "questions")]
    rows += [(_LABELS[name], percent(one.value), interval(one), str(one.n)) for name, one in found.items()]
    reached = ratio(found)
    last = "" if reached is None else f"\n\nRewritten by {rewriter}: {percent(reached)} of the gold rewriting's recall."
    return f"{table(rows)}{last}"


def as_json(heard: Sequence[Understood], rewriter: str) -> dict[str, Any]:
    """What `citewell evaluate --json` gives of conversations; the names are stable."""
    found = figures(heard)
    return {
        "conversations": len({one.talk for one in heard}),
        "questions": len(heard),
        "rewriter": rewriter,
        "figures": {name: asdict(figure) for name, figure in found.items()},
        "ratio": ratio(found),
        "details": [asdict(one) for one in heard],
    }
