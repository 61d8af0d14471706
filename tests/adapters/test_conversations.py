"""How follow-ups are measured, on a few leaflets."""

from __future__ import annotations

import pytest

from adapters.conversations import Listener, Understood, as_json, figures, ratio, report
from bot.followup import RuleRewriter
from retrieval.conversation_file import Said, Talk
from retrieval.document import PUBLIC, Document
from retrieval.question_file import BadQuestions
from tests.bot.engine import bench

OPEN = "When is the flu clinic open?"


class Verbatim:
    """A rewriter that leaves everything as it is."""

    name = "verbatim"

    async def standalone(self, question: str, earlier: object) -> str:
        del earlier
        return question


async def heard(*said: Said, rewriter: object = None) -> tuple[list[Understood], Listener]:
    b = await bench()
    rewriter = rewriter or RuleRewriter()
    listener = Listener(b.index, b.engine.searcher, rewriter, b.engine.pipeline)  # type: ignore[arg-type]
    talk = Talk("c1", (Said(OPEN, OPEN, ("d1.md",)), *said), "talks.jsonl:1")
    return await listener.hear([talk], on_progress=lambda _done, _of: None), listener


async def test_each_question_is_searched_for_as_gold_as_rewritten_and_as_typed() -> None:
    children = Said("and for children?", "When is the flu clinic open for children?", ("d2.md",))
    (first, second), _ = await heard(children)
    assert (first.changed, first.stands_alone, first.gold) == (False, True, None)
    assert second.changed
    assert not second.stands_alone
    assert (second.gold, second.rewritten, second.typed, second.shared) == (1.0, 1.0, 1.0, 1.0)


async def test_what_rewriting_adds_is_seen_beside_what_was_typed() -> None:
    (_, rules), _ = await heard(Said("Is it open?", "Is the flu clinic open?", ("d1.md",)))
    (_, verbatim), _ = await heard(Said("and then?", "Is the flu clinic open?", ("d1.md",)), rewriter=Verbatim())
    assert (rules.gold, rules.rewritten) == (1.0, 1.0)
    assert (verbatim.gold, verbatim.rewritten, verbatim.typed, verbatim.changed) == (1.0, 0.0, 0.0, False)


async def test_of_a_section_its_own_passages_count_and_of_a_name_without_one_the_whole_document() -> None:
    (_, section), _ = await heard(Said("and then?", "Is the flu clinic open?", ("d1.md#Flu clinic",)))
    (_, other), _ = await heard(Said("and then?", "Is the flu clinic open?", ("d1.md#7",)))
    assert section.gold == other.gold == 1.0


async def test_what_the_index_lacks_is_named_and_not_counted() -> None:
    (_, one), listener = await heard(Said("and then?", "Is the flu clinic open?", ("nowhere.md",)))
    assert one.gold is None
    assert listener.missing == {"nowhere.md"}


async def test_a_question_whose_rewriting_is_not_known_is_only_rewritten() -> None:
    (_, one), _ = await heard(Said("and for children?", None, ("d1.md",)))
    assert (one.changed, one.gold, one.shared) == (True, None, None)


def _one(*, alone: bool, changed: bool, gold: float | None = None, ours: float | None = None) -> Understood:
    return Understood("c", 2, alone, changed, gold, ours, 0.0 if gold is not None else None, 0.5)


def test_figures_are_of_follow_ups_and_of_questions_that_stand_alone_apart() -> None:
    some = [
        _one(alone=False, changed=True, gold=1.0, ours=1.0),
        _one(alone=False, changed=False, gold=1.0, ours=0.0),
        _one(alone=True, changed=True, gold=1.0, ours=0.0),
        _one(alone=True, changed=False),
    ]
    found = figures(some)
    assert {name: (one.value, one.n) for name, one in found.items()} == {
        "recall@20_gold": (1.0, 2),
        "recall@20_rewritten": (0.5, 2),
        "recall@20_typed": (0.0, 2),
        "same_as_gold": (0.5, 2),
        "left_as_typed": (0.5, 2),
        "stand_alone_changed": (0.5, 2),
    }
    assert ratio(found) == 0.5
    assert "Rewritten by rules: 50 % of the gold rewriting's recall." in report(some, "rules")
    assert as_json(some, "rules")["ratio"] == 0.5


def test_without_anything_known_there_is_no_ratio() -> None:
    assert ratio(figures([_one(alone=False, changed=True)])) is None
    assert figures([]) == {}


async def test_a_name_that_several_documents_share_is_refused_with_its_line() -> None:
    b = await bench()
    for folder in ("a", "b"):
        await b.index.replace(Document(folder, "Twice", f"/{folder}/twice.md", PUBLIC, "1"), [])
    listener = Listener(b.index, b.engine.searcher, RuleRewriter(), b.engine.pipeline)
    talk = Talk("c1", (Said(OPEN, OPEN, ()), Said("and?", "Is it open?", ("twice.md",))), "talks.jsonl:1")
    with pytest.raises(BadQuestions, match=r"talks\.jsonl:1: 'twice\.md' names 2 documents"):
        await listener.hear([talk], on_progress=lambda _done, _of: None)
