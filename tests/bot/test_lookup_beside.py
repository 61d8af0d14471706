"""Two questions in one: which is for a table, and what a passage may not say beside its row."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from bot.answer import Fact, Sentence
from bot.lookup import Registry
from bot.lookup_beside import Beside, parted
from bot.lookup_heard import hear
from bot.lookups import Lookups
from bot.messages import TurnKind
from bot.wording import wording
from tests.adapters.lookup_tables import STOCK, TABLES, table
from tests.bot.engine import bench, said

if TYPE_CHECKING:
    from pathlib import Path

    from bot.answerer import Asked
    from bot.messages import Reply

LEAFLETS = {
    "Vaccines": "You need an appointment for MMR. Bring your red book. There are 40 MMR doses left. MMR is ordered. "
    "Bring 2 pens. None remain."
}
BOTH = "How many doses left of MMR and do I need an appointment for MMR?"
ROW = "MMR – doses left: 12. [1]"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("When is it open and do I need a form?", ("When is it open", "do I need a form?")),
        ("When is it open? Do I need a form?", ("When is it open", "Do I need a form?")),
        ("When is it open, and also where is it?", ("When is it open", "where is it?")),
        ("When are flu and MMR given?", None),
        ("When is it open and where is it and who is there?", None),
        ("", None),
    ],
)
def test_a_question_has_two_parts_or_none(question: str, parts: tuple[str, str] | None) -> None:
    assert next(parted(question), None) == parts


@pytest.mark.parametrize(
    ("question", "part", "rest"),
    [
        (BOTH, "How many doses left of MMR", "do I need an appointment for MMR?"),
        ("Why is it late and how many doses left of MMR?", "how many doses left of MMR?", "Why is it late"),
        ("How many doses are left and are they for MMR?", "How many doses are left and are they for MMR?", ""),
        ("How many doses left of MMR and is Flu there?", "How many doses left of MMR and is Flu there?", ""),
        (
            "Doses left of MMR and what are the doses ordered of Flu?",
            "Doses left of MMR and what are the doses ordered of Flu?",
            "",
        ),
    ],
)
def test_the_part_that_is_for_a_table_has_all_that_it_understands(
    tmp_path: Path, question: str, part: str, rest: str
) -> None:
    one = table(tmp_path, "stock")
    heard = hear(question, [(one, one.vocabulary())], date(2026, 11, 30))
    assert (heard.part, heard.rest) == (part, rest)
    one.close()


def test_beside_a_name_a_figure_may_stand_and_the_name_may_not() -> None:
    rows = Beside("", "", frozenset({"registrar"}), frozenset({("dr", "osei")}), figures=False)
    assert rows.allows(["Call 4411 at night."])
    assert not rows.allows(["Call 4411 at night.", "Dr. Osei is off today."])


async def answered(folder: Path, sentences: list[str], question: str = BOTH, **changed: Any) -> Reply:
    """The reply where the documents' part of the answer has these sentences, each its own quote."""

    def write(asked: Asked) -> Fact:
        [hit, *_] = asked.evidence.hits
        return Fact(tuple(Sentence(one, hit.passage.id, one) for one in sentences))

    made = await bench(write, leaflets=LEAFLETS)
    one = table(folder, "stock", **changed)
    reply = await replace(made.engine, lookups=Lookups(Registry([one]), wording())).respond(said(question))
    one.close()
    return reply


async def test_a_row_and_a_passage_stand_in_one_answer_each_with_its_source(tmp_path: Path) -> None:
    reply = await answered(tmp_path, ["You need an appointment for MMR.", "Bring your red book."])
    assert reply.kind is TurnKind.FACT
    assert reply.text == f"{ROW}\n\nYou need an appointment for MMR. Bring your red book. [2]"
    assert [source.n for source in reply.sources] == [1, 2]
    assert [source.title for source in reply.sources] == ["Stock", "Vaccines"]


@pytest.mark.parametrize(
    "sentence", ["There are 40 MMR doses left.", "MMR is ordered.", "Bring 2 pens.", "None remain."]
)
async def test_a_passage_with_a_figure_or_on_the_same_column_leaves_the_row_alone(
    tmp_path: Path, sentence: str
) -> None:
    reply = await answered(
        tmp_path,
        ["You need an appointment for MMR.", sentence],
        "Doses left and doses ordered of MMR and do I need an appointment for MMR?",
    )
    assert "appointment for MMR." not in reply.text
    assert "40 MMR" not in reply.text
    assert len(reply.sources) == 1
    assert wording().lookups.rest_apart in reply.text


async def test_the_rest_that_nothing_is_found_on_is_said_to_be_so(tmp_path: Path) -> None:
    reply = await answered(tmp_path, [], "How many doses left of MMR and is there a helicopter pad?")
    assert reply.text == f"{ROW}\n\n{wording().lookups.rest_missing}"


async def test_documents_still_answer_their_part_where_a_table_fails(tmp_path: Path) -> None:
    reply = await answered(
        tmp_path,
        ["You need an appointment for MMR."],
        text=STOCK.replace("MMR,12", "MMR,a dozen"),
    )
    assert reply.kind is TurnKind.FACT
    assert "You need an appointment for MMR. [1]" in reply.text
    assert "I could not read that in “Stock”" in reply.text
    assert "dozen" not in reply.text


async def test_an_own_row_stays_private_beside_a_passage(tmp_path: Path) -> None:
    made = await bench(
        lambda asked: Fact(
            (Sentence("Bring your red book.", asked.evidence.hits[0].passage.id, "Bring your red book."),)
        ),
        leaflets=LEAFLETS,
    )
    own, declared = TABLES["leave"]
    one = table(tmp_path, "leave", own.replace("U1", "ann"), **declared)
    engine = replace(made.engine, lookups=Lookups(Registry([one]), wording()))
    reply = await engine.respond(said("How many days left do I have and what should I bring for MMR?"))
    assert reply.private
    assert "days left: 12" in reply.text
    assert "Bring your red book. [2]" in reply.text
    assert "12" not in str(await made.durable.turns(said("").conversation))
    one.close()
