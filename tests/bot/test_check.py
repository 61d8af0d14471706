"""What is shown of an answer before its end, and what a second opinion does to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Fact, Sentence, Ungrounded
from bot.check import STAGE, Check
from bot.compose import beginning, compose
from bot.entailment import ScriptedEntailment
from bot.errors import Misconfigured, Refused, Transient
from bot.trace import Trace
from bot.verify import Statement, check, verify
from tests.bot.evidence import evidence, hit

if TYPE_CHECKING:
    from bot.entailment import Opinion

FOUND = evidence(
    hit("It is open on Tuesdays. Bring a card. It is free. Parking is behind the house."),
    hit("The desk opens at 9 am. Dogs stay outside.", n=2),
)
OPEN = Sentence("It is open on Tuesdays.", "doc1#1", "It is open on Tuesdays.")
CARD = Sentence("Bring a card.", "doc1#1", "Bring a card.")
FREE = Sentence("It is free.", "doc1#1", "It is free.")
DESK = Sentence("The desk opens at 9 am.", "doc2#1", "The desk opens at 9 am.")
DOGS = Sentence("- Dogs stay outside.", "doc2#1", "Dogs stay outside.", new_paragraph=True)
WRONG = Sentence("It is open on Fridays.", "doc1#1", "It is open on Tuesdays.")
MADE_UP = Sentence("It is free.", "doc9#1", "It is free.")
ONLY = Sentence("It opens only on Tuesdays.", "doc1#1", "It is open on Tuesdays.")


async def settled() -> None:
    """All tasks that need nobody from outside have run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def shown(*steps: tuple[Sentence, ...], entailment: ScriptedEntailment | None = None) -> list[str]:
    """What has been shown once each of these was heard, and no end has come."""
    texts: list[str] = []
    async with Check(FOUND, Trace("t"), entailment=entailment, show=texts.append) as checking:
        for step in steps:
            checking.hear(step)
            await settled()
    return texts


async def test_a_sentence_is_shown_once_the_answer_would_stand_without_the_next() -> None:
    assert await shown((OPEN,)) == []
    assert await shown((OPEN,), (OPEN, CARD), (OPEN, CARD, FREE)) == [
        "It is open on Tuesdays. Bring a card.",
        "It is open on Tuesdays. Bring a card. It is free.",
    ]


async def test_a_sentence_that_falls_is_never_shown_and_those_after_it_wait_for_the_balance() -> None:
    steps = [(OPEN, CARD), (OPEN, CARD, WRONG), (OPEN, CARD, WRONG, FREE), (OPEN, CARD, WRONG, FREE, DESK)]
    texts = await shown(*steps)
    assert texts == [
        "It is open on Tuesdays. Bring a card.",
        "It is open on Tuesdays. Bring a card. It is free.",
        "It is open on Tuesdays. Bring a card. It is free. [1] The desk opens at 9 am.",
    ]


async def test_nothing_is_shown_where_the_first_sentence_falls() -> None:
    assert await shown((WRONG, OPEN, CARD, FREE)) == []


async def test_a_draft_begun_anew_is_shown_only_where_it_goes_on_from_what_was_shown() -> None:
    first = (OPEN, CARD)
    assert await shown(first, (), (OPEN,), (OPEN, CARD), (OPEN, CARD, FREE)) == [
        "It is open on Tuesdays. Bring a card.",
        "It is open on Tuesdays. Bring a card. It is free.",
    ]
    assert await shown(first, (), (DESK, OPEN, CARD, FREE)) == ["It is open on Tuesdays. Bring a card."]


async def test_a_draft_begun_anew_before_anything_was_shown_is_shown_as_any_other() -> None:
    assert await shown((OPEN,), (), (DESK, CARD)) == ["The desk opens at 9 am. [1] Bring a card."]


SENTENCES = st.lists(st.sampled_from([OPEN, CARD, FREE, DESK, DOGS, WRONG, MADE_UP, ONLY]), max_size=7, unique=True)


@given(SENTENCES, SENTENCES, st.booleans(), st.booleans())
async def test_what_was_shown_holds_passed_sentences_only_and_begins_the_answer_unless_that_falls_or_begins_anew(
    sentences: list[Sentence], another: list[Sentence], asked: bool, anew: bool
) -> None:
    texts: list[str] = []
    entailment = ScriptedEntailment(lambda one: "no" if one.text == ONLY.text else "yes") if asked else None
    async with Check(FOUND, Trace("t"), entailment=entailment, show=texts.append) as checking:
        for end in range(1, len(sentences)):
            checking.hear(tuple(sentences[:end]))
            await settled()
        draft = Fact(tuple(another if anew else sentences))
        verified = await checking.whole(draft)
    fallen = [WRONG.text, *([ONLY.text] if asked else [])]
    assert not any(text in one for text in fallen for one in texts)
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    if texts and not anew and verified.statements:
        assert compose(verified.statements)[0].startswith(texts[-1])
    if not asked:
        assert verified == verify(draft, FOUND)


@pytest.mark.parametrize(
    "pattern", [one for length in (1, 2, 3) for one in product([True, False], repeat=length)], ids=str
)
async def test_no_answer_of_up_to_three_sentences_is_taken_back(pattern: tuple[bool, ...]) -> None:
    good, bad = iter((OPEN, CARD, FREE)), iter((WRONG, MADE_UP, Sentence("See above.", "doc1#1", "Not there.")))
    sentences = tuple(next(good) if passes else next(bad) for passes in pattern)
    texts: list[str] = []
    async with Check(FOUND, Trace("t"), show=texts.append) as checking:
        for end in range(len(sentences)):
            checking.hear(sentences[: end + 1])
            await settled()
        assert not texts or (await checking.whole(Fact(sentences))).statements


@given(SENTENCES.filter(bool), st.integers(0, 7))
def test_the_beginning_of_an_answer_begins_it(sentences: list[Sentence], some: int) -> None:
    statements = [one for one in (check(sentence, FOUND) for sentence in sentences) if isinstance(one, Statement)]
    if statements:
        assert compose(statements)[0].startswith(beginning(statements[:some]))


async def test_who_cannot_show_an_answer_early_still_gets_it() -> None:
    calls = []

    def broken(text: str) -> None:
        calls.append(text)
        raise OSError("the screen is gone")

    async with Check(FOUND, Trace("t"), show=broken) as checking:
        checking.hear((OPEN, CARD))
        await settled()
        checking.hear((OPEN, CARD, FREE))
        await settled()
        assert len((await checking.whole(Fact((OPEN, CARD, FREE)))).statements) == 3
    assert len(calls) == 1


@dataclass(slots=True)
class Held:
    """A second opinion that waits until it is told; it knows how many wait."""

    opinions: dict[str, asyncio.Future[Opinion]] = field(default_factory=dict)
    name: str = "held"
    cancelled: int = 0

    async def follows(self, statement: Statement, question: str) -> Opinion:
        assert question == FOUND.query.standalone
        future = self.opinions[statement.text] = asyncio.get_running_loop().create_future()
        try:
            opinion: Opinion = await future
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return opinion


def reworded(sentence: Sentence) -> Sentence:
    """The same in words that are not its quote's, so that an opinion is asked for."""
    return Sentence(f"Here, {sentence.text[0].lower()}{sentence.text[1:]}", sentence.passage_id, sentence.quote)


A, B, C = reworded(OPEN), reworded(CARD), reworded(FREE)


async def test_no_sentence_is_shown_before_its_second_opinion_nor_before_the_one_in_front_of_it() -> None:
    held, texts = Held(), list[str]()
    async with Check(FOUND, Trace("t"), entailment=held, show=texts.append) as checking:
        checking.hear((A, B, C))
        await settled()
        assert set(held.opinions) == {A.text, B.text, C.text}  # all at once
        held.opinions[B.text].set_result("yes")
        held.opinions[C.text].set_result("yes")
        await settled()
        assert texts == []
        held.opinions[A.text].set_result("yes")
        await settled()
        assert texts[-1] == f"{A.text} {B.text} {C.text}"


async def test_the_turn_goes_another_way_and_nobody_waits_for_opinions_any_more() -> None:
    held = Held()
    async with Check(FOUND, Trace("t"), entailment=held, show=lambda _: None) as checking:
        checking.hear((A, B))
        await settled()
    assert held.cancelled == 2


async def test_opinions_that_come_late_show_nothing_of_a_draft_that_was_begun_anew() -> None:
    held, texts = Held(), list[str]()
    async with Check(FOUND, Trace("t"), entailment=held, show=texts.append) as checking:
        checking.hear((A, B))
        await settled()
        checking.hear(())
        for opinion in held.opinions.values():
            opinion.set_result("yes")
        await settled()
        assert texts == []


async def whole(entailment: ScriptedEntailment, *sentences: Sentence) -> tuple[list[str], tuple[str, ...], Trace]:
    """What stands of the draft, why the others fell, and the trace."""
    trace = Trace("t")
    async with Check(FOUND, trace, entailment=entailment) as checking:
        verified = await checking.whole(Fact(sentences))
    return [one.text for one in verified.statements], verified.dropped, trace


async def test_no_makes_a_sentence_fall_and_only_no() -> None:
    opinions: dict[str, Opinion] = {A.text: "yes", B.text: "no", C.text: "unsure"}
    kept, dropped, _ = await whole(ScriptedEntailment(lambda one: opinions[one.text]), A, B, C)
    assert (kept, dropped) == ([A.text, C.text], ("not_entailed",))


async def test_the_answer_falls_with_its_first_sentence_whoever_says_no() -> None:
    kept, dropped, _ = await whole(ScriptedEntailment(lambda one: "no" if one.text == A.text else "yes"), A, B, C)
    assert (kept, dropped) == ([], ("not_entailed",))


@pytest.mark.parametrize("error", [Transient("busy"), Misconfigured("bad key"), Refused("bio")])
async def test_an_opinion_that_does_not_come_costs_nothing_and_is_told(error: Exception) -> None:
    def fails(statement: Statement) -> Opinion:
        if statement.text == B.text:
            raise error
        return "yes"

    kept, dropped, trace = await whole(ScriptedEntailment(fails), A, B, C)
    assert (kept, dropped) == ([A.text, B.text, C.text], ())
    (span,) = trace.spans
    assert span.stage == STAGE
    counts = {"asked": 3, "yes": 2, "unanswered": 1}
    assert span.attributes == {"backend": "scripted", "model": "scripted", **counts, "degraded": type(error).__name__}


async def test_nobody_is_asked_about_a_sentence_that_is_its_quote() -> None:
    entailment = ScriptedEntailment(lambda _: "no")
    kept, dropped, trace = await whole(entailment, OPEN, CARD, DOGS)
    assert (len(kept), dropped, entailment.asked, trace.spans) == (3, (), [], [])


async def test_nobody_is_asked_about_an_answer_that_falls_without_it() -> None:
    entailment = ScriptedEntailment()
    assert (await whole(entailment, WRONG, A, B))[0] == []
    assert entailment.asked == []


async def test_a_sentence_heard_is_asked_about_once() -> None:
    entailment = ScriptedEntailment()
    async with Check(FOUND, Trace("t"), entailment=entailment, show=lambda _: None) as checking:
        checking.hear((A,))
        checking.hear((A, B))
        await checking.whole(Fact((A, B, C)))
    assert entailment.asked == [A.text, B.text, C.text]


async def test_a_decline_is_what_verify_makes_of_it() -> None:
    async with Check(FOUND, Trace("t"), entailment=ScriptedEntailment()) as checking:
        assert await checking.whole(Ungrounded("what")) == verify(Ungrounded("what"), FOUND)
