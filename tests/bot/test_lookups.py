"""Look-ups in a turn: beside documents, asked back, by who asks, and never before a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from bot.lookup import Registry
from bot.lookup_outcome import Asked, Given
from bot.lookups import Lookups
from bot.messages import Author, TurnKind
from bot.trace import Span
from bot.wording import wording
from memory.conversation import Conversation
from memory.replay import replay
from tests.adapters.lookup_tables import STOCK, TABLES, table
from tests.bot.engine import bench, said

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.messages import IncomingMessage, Reply
    from bot.turn_record import TurnRecord
    from tests.bot.engine import Bench


@dataclass
class Rig:
    """An engine with three tables, and the records of its turns."""

    bench: Bench
    records: list[TurnRecord]
    seen: frozenset[str] | None = None

    async def ask(self, text: str, *, by: str = "U1", guest: bool = False) -> Reply:
        return await self.bench.engine.respond(self.message(text, by, guest=guest))

    def message(self, text: str, by: str, *, guest: bool = False) -> IncomingMessage:
        return replace(said(text), author=Author(by, guest=guest))


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    records: list[TurnRecord] = []
    made = await bench()
    tables = [table(tmp_path, name, as_of=date(2026, 11, 1), stale_after=60) for name in TABLES]
    rig = Rig(made, records)

    async def access(*_: object) -> frozenset[str] | None:
        return rig.seen

    engine = replace(made.engine, lookups=Lookups(Registry(tables), wording()), keep=records.append, access=access)
    rig.bench = replace(made, engine=engine)
    yield rig
    for one in tables:
        one.close()


async def test_a_value_is_given_as_it_is_written_and_no_model_sees_it(rig: Rig) -> None:
    reply = await rig.ask("When does Northgate open on Friday?")
    assert reply.kind is TurnKind.FACT
    assert reply.text == "Northgate, Friday – opens: 09:00. [1]\nAs of 1 November 2026."
    assert [one.locator for one in reply.sources] == ["Northgate · Friday · as of 2026-11-01"]
    assert rig.bench.answerer.asked == []
    await rig.ask("When is the flu clinic open?")
    turns = await rig.bench.durable.turns(said("").conversation)
    assert [one.kind for one in turns] == [TurnKind.FACT, TurnKind.FACT]
    assert "09:00" not in str(replay(turns, budget_tokens=1000))
    assert all("09:00" not in str(asked) for asked in rig.bench.answerer.asked)


async def test_what_was_taken_for_another_name_is_said_first(rig: Rig) -> None:
    reply = await rig.ask("When does Nortgate open on Friday?")
    assert reply.text.startswith("I took “nortgate” to mean “Northgate”.\nNorthgate, Friday – opens: 09:00. [1]")


async def test_documents_answer_what_no_table_does(rig: Rig) -> None:
    reply = await rig.ask("When is the flu clinic open?")
    assert "Tuesdays from 9 am" in reply.text


async def test_a_missing_key_is_asked_for_and_the_next_message_completes_it(rig: Rig) -> None:
    asked = await rig.ask("When does the clinic open on Friday?")
    assert (asked.kind, asked.text.partition("?")[0]) == (TurnKind.COURTESY, "Which clinic")
    assert "10:30" in (await rig.ask("Mill Lane please")).text
    assert (await rig.ask("Mill Lane please")).kind is not TurnKind.FACT


async def test_what_one_person_was_asked_nobody_else_completes(rig: Rig) -> None:
    await rig.ask("When does the clinic open on Friday?")
    assert "10:30" not in (await rig.ask("Mill Lane please", by="U2")).text


async def test_an_unknown_key_is_told_which_there_are(rig: Rig) -> None:
    reply = await rig.ask("When does Southfield open on Friday?")
    assert reply.kind is TurnKind.UNGROUNDED
    assert reply.text == "“Clinic hours” does not have that clinic. There are: Northgate, Mill Lane."


async def test_an_unknown_key_that_completes_a_question_is_told_which_there_are(rig: Rig) -> None:
    await rig.ask("When does the clinic open on Friday?")
    reply = await rig.ask("Southfield")
    assert reply.text == "“Clinic hours” does not have that clinic. There are: Northgate, Mill Lane."


async def test_own_rows_are_private_unremembered_and_by_the_platforms_id(rig: Rig) -> None:
    mine = await rig.ask("How many days left do I have?")
    assert (mine.private, "days left: 12" in mine.text) == (True, True)
    others = await rig.ask("How many days left do I have? I am U2", by="U1")
    assert "days left: 3" not in others.text
    assert "days left: 3" in (await rig.ask("How many days left do I have?", by="U2")).text
    for reply in (await rig.ask("How many days left do I have?", guest=True), await rig.ask("Days left of U2?")):
        assert reply.kind is not TurnKind.FACT
    kept = str(await rig.bench.durable.turns(said("").conversation))
    assert "days left:" not in kept


async def test_collections_hold(rig: Rig) -> None:
    rig.seen = frozenset({"public"})
    assert (await rig.ask("How many days left do I have?")).kind is not TurnKind.FACT
    rig.seen = frozenset({"wards"})
    assert (await rig.ask("When does Northgate open on Friday?")).kind is not TurnKind.FACT


async def test_the_trace_names_the_call_and_no_value(rig: Rig) -> None:
    await rig.ask("How many days left do I have?")
    [stage] = [one for one in rig.records[-1].stages if one.name == "lookup"]
    assert stage.attributes == {"chosen": "Chosen", "lookup": "leave", "rows": 1}
    assert stage.words == {}
    assert "12" not in str(stage.attributes)


async def test_a_row_that_does_not_fit_is_ungrounded_and_its_words_stay_out_of_the_log(
    rig: Rig, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "stock.csv").write_text(STOCK.replace("MMR,12", "MMR,about a dozen"))
    reply = await rig.ask("Doses left of MMR?")
    assert reply.kind is TurnKind.UNGROUNDED
    assert "dozen" not in reply.text + caplog.text
    assert "look-up stock: a row of stock.csv does not fit in doses_left" in caplog.text


async def test_a_table_that_is_gone_costs_no_other_answer(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "stock.csv").unlink()
    assert "09:00" in (await rig.ask("When does Northgate open on Friday?")).text


@pytest.mark.parametrize(
    ("days", "kind", "says"),
    [
        ({"stale_after": 10}, TurnKind.FACT, "longer ago than it should be"),
        ({"expires_after": 10}, TurnKind.UNGROUNDED, "too old"),
        ({"stale_after": 29, "expires_after": 29}, TurnKind.FACT, "As of 1 November 2026."),
    ],
)
async def test_stale_rows_are_marked_and_expired_ones_decline(
    tmp_path: Path, days: dict[str, Any], kind: TurnKind, says: str
) -> None:
    one = table(tmp_path, "stock", as_of=date(2026, 11, 1), **days)
    made = await bench()
    reply = await replace(made.engine, lookups=Lookups(Registry([one]), wording())).respond(said("Doses left of MMR?"))
    assert (reply.kind, says in reply.text) == (kind, True)
    assert any(source.review_by for source in reply.sources) is ("stale_after" in days and days["stale_after"] == 10)
    one.close()


async def test_the_rest_is_for_its_place_and_a_persons_own_rows_for_them(tmp_path: Path) -> None:
    many = "who,days left\n" + "".join(f"U1,{n}\nU2,{100 + n}\n" for n in range(10))
    stock = STOCK + "".join(f"MMR,{n},{n}\n" for n in range(200, 210))
    tables = [table(tmp_path, "leave", many), table(tmp_path, "stock", stock)]
    lookups, day = Lookups(Registry(tables), wording()), date(2026, 11, 30)
    here, there = said("").conversation, Conversation("console", "local", "elsewhere", "t")

    async def asked(text: str, by: str, where: Conversation) -> Given | None:
        question = Asked(text, text, Author(by), where)
        found = await lookups.ask(question, collections=None, today=day, span=Span("lookup"))
        assert isinstance(found, Given)
        return found

    async def rest(id_: str, by: str, where: Conversation) -> str:
        found = await lookups.more(id_, Asked("", "", Author(by), where), collections=None, today=day, span=Span("x"))
        return found.text if isinstance(found, Given) else ""

    mine, all_ = await asked("How many days left do I have?", "U1", here), await asked("Doses left of MMR?", "U1", here)
    assert mine
    assert all_
    assert "days left: 7" in await rest(mine.more, "U1", there)  # they are answered in a chat of their own
    assert await rest(mine.more, "U2", here) == ""
    assert "doses left: 206" in await rest(all_.more, "U2", here)
    assert await rest(all_.more, "U1", there) == ""
    assert await rest("made up", "U1", here) == ""
    lookups.forget()
    assert await rest(all_.more, "U1", here) == ""
    for one in tables:
        one.close()


async def test_someone_in_need_comes_before_any_table(rig: Rig) -> None:
    reply = await rig.ask("I want to kill myself. When does Northgate open on Friday?")
    assert reply.kind is TurnKind.CRISIS


async def asked(tmp_path: Path, text: str, question: str, **declared: object) -> str:
    """What a table of its own says to a question."""
    one = table(tmp_path, "stock", text, **declared)
    asking = Asked(question, question, Author("U1"), Conversation("console", "local", "terminal", "t1"))
    outcome = await Lookups(Registry([one]), wording()).ask(
        asking, collections=None, today=date(2026, 11, 30), span=Span("lookup")
    )
    one.close()
    assert outcome is not None
    return outcome.text


async def test_of_rows_of_several_days_the_oldest_is_told(tmp_path: Path) -> None:
    columns: dict[str, object] = {"vaccine": {}, "left": {"type": "integer"}, "counted": {"type": "date"}}
    text = "vaccine,left,counted\nMMR,1,2026-11-29\nFlu,2,2026-01-01\n"
    said = {"columns": columns, "as_of_column": "counted", "stale_after": 30}
    given = await asked(tmp_path, text, "MMR and Flu left?", **said)
    assert "As of 1 January 2026, which is longer ago" in given


async def test_of_many_keys_the_first_are_named_and_how_many_more_there_are(tmp_path: Path) -> None:
    text = "vaccine,doses left,doses ordered\n" + "".join(f"Vaccine {n},1,2\n" for n in range(10))
    assert "Vaccine 7 and 2 more." in await asked(tmp_path, text, "How many doses left?")


async def test_where_all_keys_are_given_none_is_asked_for_to_see_fewer_rows(tmp_path: Path) -> None:
    text = "vaccine,doses left,doses ordered\n" + "MMR,1,2\n" * 10
    assert "say “more” for them." in await asked(tmp_path, text, "Doses left of MMR?")


async def test_which_there_are_needs_no_key(tmp_path: Path) -> None:
    assert "vaccine: Hepatitis B, doses left: 9." in await asked(tmp_path, STOCK, "Which vaccine has doses left?")


async def test_a_key_in_other_capitals_is_the_same_one_in_every_alphabet(tmp_path: Path) -> None:
    text = "vaccine,doses left,doses ordered\nÄther,1,2\näther,3,4\n"
    said = await asked(tmp_path, text, "Doses left of äther?")
    assert ("doses left: 1." in said, "doses left: 3." in said) == (True, True)
