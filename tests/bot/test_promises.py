"""Promises of the design that hold for every message, whatever the model does: 1, 2, 4 and 9."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from bot.answer import Fact, Sentence, Ungrounded
from bot.messages import TurnKind
from retrieval.document import PUBLIC, Document, Passage
from retrieval.evidence import Grade
from tests.bot.engine import LEAFLETS, bench, first_sentence, said

if TYPE_CHECKING:
    from bot.answer import Answer
    from bot.answerer import Asked
    from retrieval.evidence import Evidence

WORDS = sorted({word for text in LEAFLETS.values() for word in re.findall(r"[A-Za-z]+", text)})
QUESTIONS = st.lists(
    st.sampled_from([*WORDS, "when", "is", "the", "zebra", "?", "not", "5 mg", "kidney"]), min_size=1, max_size=8
).map(" ".join) | st.text(max_size=60)
LINKS = st.sampled_from(
    [
        "https://evil.example/a", "[x](https://evil.example)", "<https://evil.example|x>", "![x](//evil.example/x.png)",
        "www.evil.example", "evil.example", "<a href='https://evil.example'>x</a>", "<!channel>", "<@U1>", "@here",
        "[7]", "hxxp://e", "javascript:alert(1)", "h\u200bttps://evil.example", "&#104;ttps://evil.example",
    ]
)  # fmt: skip
LEADING = re.compile(r"https?:|evil|<|\]\(|javascript:|@\w|\[7\]")
STAFF = Document("staff", "Staff", "/staff.md", "staff", "0", url="https://larkfield.example/staff")
HIDDEN = "The flu clinic code for the ward is 4711."


async def asked_of(
    question: str, *, guest: bool = False, links: tuple[str, ...] = ()
) -> tuple[list[Asked], list[Evidence], TurnKind, str, list[str | None]]:
    """What the model was asked, what was found, and what came back."""

    def write(asked: Asked) -> Answer:
        draft = first_sentence(asked)
        if isinstance(draft, Ungrounded):
            return draft
        (true,) = draft.sentences
        return Fact((replace(true, text=" ".join([true.text, *links])), Sentence(HIDDEN, true.passage_id, HIDDEN)))

    b = await bench(write)
    await b.index.replace(STAFF, [Passage("staff#0", "staff", 0, HIDDEN, "Staff", (), (0, len(HIDDEN)))])
    seen: list[Evidence] = []
    engine = replace(b.engine, observe=lambda _, evidence: seen.append(evidence))
    reply = await engine.respond(said(question, guest=guest))
    return b.answerer.asked, seen, reply.kind, reply.text, [source.url for source in reply.sources]


@given(QUESTIONS)
@example("zebra kidney")
@example("When is the flu clinic open")
async def test_without_evidence_no_model_is_called_and_the_reply_is_a_decline(question: str) -> None:
    asked, seen, kind, _, sources = await asked_of(question)
    lacking = [one for one in seen if one.grade is Grade.INCORRECT or not one.hits]
    if lacking:
        assert (asked, kind, sources) == ([], TurnKind.UNGROUNDED, [])
    assert len(asked) <= len(seen)


@given(QUESTIONS)
@example("When is the flu clinic open")
async def test_every_answer_has_been_searched_for_and_the_model_decides_nothing_of_that(question: str) -> None:
    asked, seen, kind, _, _ = await asked_of(question)
    assert [one.evidence for one in asked] == [one for one in seen if one.hits and one.grade is not Grade.INCORRECT]
    if kind in {TurnKind.FACT, TurnKind.UNGROUNDED}:
        assert len(seen) == 1


@given(QUESTIONS, st.booleans())
@example("What is the flu clinic code for the ward", True)
@example("What is the flu clinic code for the ward", False)
async def test_a_guest_and_their_model_see_public_documents_alone(question: str, guest: bool) -> None:
    asked, seen, _, text, sources = await asked_of(question, guest=guest)
    if guest:
        hits = [hit for evidence in (*seen, *(one.evidence for one in asked)) for hit in evidence.hits]
        assert {hit.document.collection for hit in hits} <= {PUBLIC}
        assert "4711" not in text
        assert STAFF.url not in sources


@given(st.sampled_from(sorted(LEAFLETS)), st.lists(LINKS, max_size=4).map(tuple))
async def test_links_stand_in_sources_alone_and_are_the_indexs_own(title: str, links: tuple[str, ...]) -> None:
    _, _, _, text, sources = await asked_of(LEAFLETS[title].partition(".")[0], links=links)
    assert LEADING.findall(text) == []
    assert all(url is not None and url.startswith("https://larkfield.example/") for url in sources)
