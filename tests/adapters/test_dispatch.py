from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import deque
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from adapters.dispatch import Courier, Dispatcher
from adapters.payload import to_payload
from bot.errors import Misconfigured, Permanent, Transient
from memory.errors import MemoryUnavailable
from memory.file import MemoryFile
from memory.inbox import InboxEntry, RamInbox, SqliteInbox
from tests.adapters.platform import NOON, Fault, Platform, a_message, a_reply, failed, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from bot.messages import IncomingMessage, Reply
    from memory.inbox import Inbox


async def no_wait(_: float) -> None:
    await asyncio.sleep(0)


def an_entry_of(message: IncomingMessage, *, minutes: float = 0) -> InboxEntry:
    return InboxEntry(message.key, message.conversation.key, to_payload(message), NOON + timedelta(minutes=minutes))


class Turns:
    """A `respond` that notes what it is asked, and answers a message once its gate is open."""

    def __init__(self, *, shut: bool = False) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.shut = shut
        self.at_once = 0
        self.most_at_once = 0

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    async def __call__(self, message: IncomingMessage) -> Reply:
        self.begun.append(message.id)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.shut:
                await self.gate(message.id).wait()
            else:
                await asyncio.sleep(0)
        finally:
            self.at_once -= 1
        return a_reply(message)


class Bench:
    """Dispatchers, each a life of one process, over the same inboxes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = MemoryFile(path)
        self.durable = SqliteInbox(self.file)
        self.ephemeral = RamInbox()
        self.platform = Platform()
        self.started: list[Dispatcher] = []

    def start(
        self,
        respond: Callable[[IncomingMessage], Awaitable[Reply]] | None = None,
        *,
        durable: Inbox | None = None,
        on_failure: Callable[[IncomingMessage, BaseException], Reply] = failed,
        concurrency: int = 8,
        deadline: float = 60.0,
    ) -> Dispatcher:
        dispatcher = Dispatcher(
            respond or Turns(),
            durable=durable or self.durable,
            ephemeral=self.ephemeral,
            on_failure=on_failure,
            clock=lambda: NOON,
            concurrency=concurrency,
            deadline=deadline,
            courier=Courier(tries=3, sleep=no_wait, chance=lambda: 0.5),
        )
        dispatcher.register("slack", self.platform)
        self.started.append(dispatcher)
        return dispatcher

    async def pending(self) -> list[str]:
        return [entry.key for inbox in (self.durable, self.ephemeral) for entry in await inbox.pending()]

    def texts(self) -> dict[str, list[str]]:
        return {name: [reply.text for reply in replies] for name, replies in self.platform.shown.items()}


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path / "memory.db")
    await bench.file.open()
    yield bench
    for dispatcher in bench.started:
        await dispatcher.drain(0)
    await bench.file.close()


async def idle(dispatcher: Dispatcher) -> None:
    await until(lambda: not dispatcher.busy)


async def test_a_message_is_answered_and_then_done(bench: Bench) -> None:
    dispatcher = bench.start()
    assert await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.texts() == {"1": ["secret fact to 1"]}
    assert bench.platform.worked_on == ["1"]
    assert await bench.pending() == []


async def test_accepting_returns_before_any_answer_and_with_the_message_stored(bench: Bench) -> None:
    dispatcher = bench.start(Turns(shut=True))
    assert await dispatcher.accept(a_message())
    assert bench.platform.shown == {}
    assert await bench.pending() == [a_message().key]


async def test_a_message_is_not_done_before_its_reply_stands(bench: Bench) -> None:
    class Slow(Platform):
        arrived, go_on = asyncio.Event(), asyncio.Event()

        async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
            self.arrived.set()
            await self.go_on.wait()
            await super().deliver(message, reply)

    platform = Slow()
    dispatcher = bench.start()
    dispatcher.register("slack", platform)
    await dispatcher.accept(a_message())
    await platform.arrived.wait()
    assert await bench.pending() == [a_message().key]
    platform.go_on.set()
    await idle(dispatcher)
    assert await bench.pending() == []


async def test_one_conversation_is_answered_in_order_and_one_at_a_time(bench: Bench) -> None:
    turns = Turns()
    dispatcher = bench.start(turns)
    for number in range(8):
        await dispatcher.accept(a_message(str(number)))
    await idle(dispatcher)
    assert bench.platform.order == [str(number) for number in range(8)]
    assert turns.most_at_once == 1


async def test_conversations_do_not_wait_for_each_other(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns)
    await dispatcher.accept(a_message("1", thread="slow"))
    await dispatcher.accept(a_message("2", thread="fast"))
    turns.gate("2").set()
    await until(lambda: bench.platform.order == ["2"])
    assert turns.at_once == 1, "the slow one is still running"


async def test_no_more_turns_run_at_once_than_the_cap(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns, concurrency=3)
    for number in range(7):
        await dispatcher.accept(a_message(str(number), thread=f"t{number}"))
        turns.gate(str(number))
    await until(lambda: turns.at_once == 3)
    for gate in turns.gates.values():
        gate.set()
    await idle(dispatcher)
    assert (turns.most_at_once, len(bench.platform.shown)) == (3, 7)


async def test_a_duplicate_is_named_and_not_answered(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns)
    assert await dispatcher.accept(a_message())
    assert not await dispatcher.accept(a_message()), "while it runs"
    turns.gate("1").set()
    await idle(dispatcher)
    assert not await dispatcher.accept(a_message()), "after it was answered"
    await idle(dispatcher)
    assert (turns.begun, bench.platform.order) == (["1"], ["1"])


class Unwritable(SqliteInbox):
    """An inbox on a disk that is full."""

    async def accept(self, entry: InboxEntry) -> bool:
        raise MemoryUnavailable("the disk is full")


async def test_what_cannot_be_stored_is_answered_once_though_the_platform_is_not_told_that_it_arrived(
    bench: Bench,
) -> None:
    dispatcher = bench.start(durable=Unwritable(bench.file))
    with pytest.raises(MemoryUnavailable):
        await dispatcher.accept(a_message())
    assert not await dispatcher.accept(a_message())
    await until(lambda: not dispatcher.busy)
    assert bench.texts() == {"1": ["secret fact to 1"]}


async def test_what_was_answered_before_the_disk_was_full_is_not_answered_again(bench: Bench) -> None:
    await bench.start().accept(a_message())
    await until(lambda: bench.platform.shown)
    with pytest.raises(MemoryUnavailable):
        await bench.start(durable=Unwritable(bench.file)).accept(a_message())
    await until(lambda: not any(dispatcher.busy for dispatcher in bench.started))
    assert bench.texts() == {"1": ["secret fact to 1"]}


async def test_a_guest_is_answered_where_the_durable_inbox_cannot_be_read(bench: Bench) -> None:
    dispatcher = bench.start()
    await bench.file.close()
    with pytest.raises(MemoryUnavailable):
        await dispatcher.accept(a_message(guest=True))
    await until(lambda: not dispatcher.busy)
    assert bench.texts() == {"1": ["secret fact to 1"]}


@pytest.mark.parametrize("guest", [False, True])
async def test_of_twins_at_once_one_is_answered(bench: Bench, guest: bool) -> None:
    dispatcher = bench.start()
    accepted = await asyncio.gather(*(dispatcher.accept(a_message(guest=guest)) for _ in range(5)))
    await idle(dispatcher)
    assert (sum(accepted), bench.platform.order) == (1, ["1"])


async def test_a_turn_that_fails_ends_in_the_failure_reply(bench: Bench) -> None:
    async def respond(message: IncomingMessage) -> Reply:
        raise LookupError("lost")

    dispatcher = bench.start(respond)
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.texts() == {"1": ["LookupError: lost"]}
    assert await bench.pending() == []


async def test_a_cancellation_inside_the_turn_is_a_failure_like_others(bench: Bench) -> None:
    async def respond(message: IncomingMessage) -> Reply:
        raise asyncio.CancelledError

    dispatcher = bench.start(respond)
    await dispatcher.accept(a_message("1"))
    await dispatcher.accept(a_message("2"))
    await idle(dispatcher)
    assert bench.texts() == {"1": ["CancelledError: "], "2": ["CancelledError: "]}


async def test_a_turn_past_its_deadline_ends_in_the_failure_reply(bench: Bench) -> None:
    dispatcher = bench.start(Turns(shut=True), deadline=0.01)
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.texts() == {"1": ["TimeoutError: "]}
    assert await bench.pending() == []


async def test_a_sign_of_work_may_fail_or_hang(bench: Bench) -> None:
    class Signless(Platform):
        async def working(self, message: IncomingMessage) -> None:
            if message.id == "1":
                raise Permanent("no such scope")
            await asyncio.Event().wait()

    platform = Signless()
    dispatcher = bench.start()
    dispatcher.register("slack", platform)
    await dispatcher.accept(a_message("1"))
    await dispatcher.accept(a_message("2"))
    await idle(dispatcher)
    assert platform.order == ["1", "2"]


async def test_no_sign_of_work_comes_after_the_reply(bench: Bench) -> None:
    events: list[str] = []

    class Late(Platform):
        async def working(self, message: IncomingMessage) -> None:
            for _ in range(50):
                events.append("working")
                await asyncio.sleep(0)

        async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
            events.append("reply")
            await super().deliver(message, reply)

    dispatcher = bench.start()
    dispatcher.register("slack", Late())
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert events[0] == "working"
    assert events[-1] == "reply"


async def test_a_delivery_that_fails_for_a_while_is_made_once(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(Transient("down")), Fault(Transient("slow down", retry_after=9))])
    dispatcher = bench.start()
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert (bench.platform.order, bench.platform.tries) == (["1"], 3)
    assert await bench.pending() == []


async def test_what_cannot_be_delivered_waits_for_resume_and_holds_up_no_other(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(Transient("down"))] * 3)
    dispatcher = bench.start()
    await dispatcher.accept(a_message("1"))
    await dispatcher.accept(a_message("2"))
    await idle(dispatcher)
    assert bench.platform.order == ["2"]
    assert await bench.pending() == [a_message("1").key]
    assert await dispatcher.resume() == 1
    await idle(dispatcher)
    assert bench.platform.order == ["2", "1"]


async def test_a_reply_refused_for_good_is_done(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(Permanent("channel is archived"))])
    dispatcher = bench.start()
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.platform.tries == 1
    assert await bench.pending() == []


async def test_a_reply_that_breaks_its_translator_becomes_the_failure_reply(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(KeyError("blocks"))])
    dispatcher = bench.start()
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.texts() == {"1": ["KeyError: 'blocks'"]}


async def test_a_translator_that_breaks_after_showing_the_reply_shows_no_second_one(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(KeyError("ts"), shown=True)])
    dispatcher = bench.start()
    await dispatcher.accept(a_message())
    await idle(dispatcher)
    assert bench.texts() == {"1": ["secret fact to 1"]}


async def test_a_failure_that_even_the_failure_reply_meets_spares_the_next_message(bench: Bench) -> None:
    bench.platform.faults = deque([Fault(KeyError("blocks")), Fault(KeyError("blocks"))])
    dispatcher = bench.start()
    await dispatcher.accept(a_message("1"))
    await dispatcher.accept(a_message("2"))
    await idle(dispatcher)
    assert bench.platform.order == ["2"]
    assert await bench.pending() == [a_message("1").key]


async def test_logs_hold_keys_and_no_text(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    async def respond(message: IncomingMessage) -> Reply:
        raise ValueError(message.text)

    bench.platform.faults = deque([Fault(ValueError("secret reply")), Fault(ValueError("secret reply"))])
    dispatcher = bench.start(respond)
    await bench.durable.accept(InboxEntry("broken", "c", "secret payload", NOON))
    with caplog.at_level(logging.DEBUG):
        await dispatcher.resume()
        await dispatcher.accept(a_message())
        await idle(dispatcher)
    records = [record for record in caplog.records if record.name.startswith("adapters")]
    said = "\n".join(logging.Formatter().format(record) for record in records)
    assert len(records) >= 4
    assert a_message().key in said
    assert "secret" not in said


async def test_drain_finishes_what_runs_and_leaves_the_rest_for_the_next_life(bench: Bench) -> None:
    turns = Turns(shut=True)
    first = bench.start(turns)
    for name in ("1", "2"):
        await first.accept(a_message(name))
    await first.accept(a_message("3", thread="t2"))
    await until(lambda: turns.at_once == 2)
    draining = asyncio.create_task(first.drain(grace=20))
    await asyncio.sleep(0)
    with pytest.raises(Transient, match="shutting down"):
        await first.accept(a_message("4"))
    turns.gate("1").set()
    turns.gate("3").set()
    await draining
    assert (sorted(turns.begun), sorted(bench.platform.order)) == (["1", "3"], ["1", "3"])
    assert await bench.pending() == [a_message("2").key]

    second = bench.start()
    assert await second.resume() == 1
    await idle(second)
    assert sorted(bench.platform.order) == ["1", "2", "3"]
    assert await bench.pending() == []


async def test_a_turn_cut_off_at_the_end_of_the_grace_is_answered_in_the_next_life(bench: Bench) -> None:
    first = bench.start(Turns(shut=True))
    await first.accept(a_message())
    await until(lambda: first.busy)
    await first.drain(grace=0)
    assert (first.busy, bench.platform.order) == (0, [])

    second = bench.start()
    assert await second.resume() == 1
    await idle(second)
    assert bench.platform.order == ["1"]


async def test_drain_takes_no_turn_that_waits_for_a_slot(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns, concurrency=1)
    await dispatcher.accept(a_message("1", thread="t1"))
    await until(lambda: turns.begun == ["1"])
    await dispatcher.accept(a_message("2", thread="t2"))
    draining = asyncio.create_task(dispatcher.drain(grace=20))
    await asyncio.sleep(0)
    turns.gate("1").set()
    await draining
    assert (turns.begun, bench.platform.order) == (["1"], ["1"])
    assert await bench.pending() == [a_message("2").key]


async def test_drain_answers_the_guests_who_wait_since_nothing_could_bring_them_back(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns)
    for name in ("1", "2"):
        await dispatcher.accept(a_message(name, guest=True))
        turns.gate(name)
    draining = asyncio.create_task(dispatcher.drain(grace=20))
    await asyncio.sleep(0)
    for gate in turns.gates.values():
        gate.set()
    await draining
    assert bench.platform.order == ["1", "2"]


async def test_resume_does_not_answer_what_stands_there_already(bench: Bench) -> None:
    turns = Turns()
    await bench.durable.accept(an_entry_of(a_message()))
    bench.platform.shown["1"].append(a_reply(a_message()))
    dispatcher = bench.start(turns)
    assert await dispatcher.resume() == 1
    await idle(dispatcher)
    assert (turns.begun, bench.platform.tries) == ([], 0)
    assert await bench.pending() == []


async def test_resume_asks_again_where_the_platform_could_not_tell_at_first(bench: Bench) -> None:
    await bench.durable.accept(an_entry_of(a_message()))
    bench.platform.shown["1"].append(a_reply(a_message()))
    bench.platform.unsure = deque([Transient("down"), Transient("down"), None])
    dispatcher = bench.start()
    await dispatcher.resume()
    await idle(dispatcher)
    assert bench.platform.tries == 0
    assert await bench.pending() == []


async def test_resume_keeps_the_order_and_leaves_what_is_under_way_alone(bench: Bench) -> None:
    turns = Turns(shut=True)
    dispatcher = bench.start(turns)
    await dispatcher.accept(a_message("1"))
    await dispatcher.accept(a_message("2"))
    for minutes, name in ((2, "4"), (1, "3")):
        await bench.durable.accept(an_entry_of(a_message(name), minutes=minutes))
    assert await dispatcher.resume() == 2
    for name in ("1", "2", "3", "4"):
        turns.gate(name).set()
    await idle(dispatcher)
    assert bench.platform.order == ["1", "2", "3", "4"]


async def test_resume_leaves_alone_what_was_answered_while_it_looked(bench: Bench) -> None:
    class Slow(RamInbox):
        looked, go_on = asyncio.Event(), asyncio.Event()

        async def pending(self) -> Sequence[InboxEntry]:
            entries = await super().pending()
            self.looked.set()
            await self.go_on.wait()
            return entries

    inbox, turns = Slow(), Turns(shut=True)
    bench.platform.unsure = deque([Permanent("no right to read")] * 2)
    dispatcher = bench.start(turns, durable=inbox)
    await dispatcher.accept(a_message())
    resuming = asyncio.create_task(dispatcher.resume())
    await inbox.looked.wait()
    turns.gate("1").set()
    await idle(dispatcher)
    inbox.go_on.set()
    await resuming
    await idle(dispatcher)
    assert bench.platform.order == ["1"]


async def test_a_message_that_took_the_process_with_it_each_time_ends_in_a_failure_reply(bench: Bench) -> None:
    for _ in range(3):
        life = bench.start(Turns(shut=True))
        await life.resume() or await life.accept(a_message())
        await until(lambda: bench.platform.worked_on)
        bench.platform.worked_on.clear()
        await life.drain(grace=0)
    turns = Turns()
    last = bench.start(turns)
    assert await last.resume() == 1
    await idle(last)
    assert turns.begun == []
    assert bench.texts() == {"1": ["Permanent: begun 3 times and never finished"]}
    assert await bench.pending() == []


async def test_a_message_whose_failure_reply_takes_the_process_too_is_given_up(bench: Bench) -> None:
    await bench.durable.accept(an_entry_of(a_message()))
    for _ in range(6):
        await bench.durable.begin(a_message().key)
    dispatcher = bench.start()
    await dispatcher.resume()
    await idle(dispatcher)
    assert bench.platform.tries == 0
    assert await bench.pending() == []


async def test_a_payload_that_cannot_be_read_is_dropped_and_the_others_resume(bench: Bench) -> None:
    await bench.durable.accept(InboxEntry("broken", "c", '{"version": 99}', NOON))
    await bench.durable.accept(an_entry_of(a_message()))
    dispatcher = bench.start()
    assert await dispatcher.resume() == 1
    await idle(dispatcher)
    assert bench.platform.order == ["1"]
    assert await bench.pending() == []


async def test_messages_of_a_platform_that_is_not_set_up_wait(bench: Bench) -> None:
    teams = a_message(platform="teams")
    await bench.durable.accept(an_entry_of(teams))
    dispatcher = bench.start()
    assert await dispatcher.resume() == 0
    assert await bench.pending() == [teams.key]
    with pytest.raises(Misconfigured, match="teams"):
        await dispatcher.accept(a_message("2", platform="teams"))


@pytest.mark.parametrize("guest_first", [False, True])
async def test_one_message_taken_for_a_guests_and_for_a_members_is_answered_once(
    bench: Bench, guest_first: bool
) -> None:
    dispatcher = bench.start()
    assert await dispatcher.accept(a_message("1", guest=guest_first))
    assert not await dispatcher.accept(a_message("1", guest=not guest_first))
    await idle(dispatcher)
    assert bench.platform.order == ["1"]


async def test_a_guest_is_answered_and_leaves_nothing_on_the_disk(bench: Bench) -> None:
    dispatcher = bench.start()
    assert await dispatcher.accept(a_message("1", guest=True))
    assert not await dispatcher.accept(a_message("1", guest=True))
    await idle(dispatcher)
    assert bench.platform.order == ["1"]
    with closing(sqlite3.connect(bench.path)) as db:
        tables = ("inbox", "turns", "conversations", "sources")
        assert [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables] == [0, 0, 0, 0]
    assert b"secret" not in b"".join(file.read_bytes() for file in bench.path.parent.iterdir())


async def test_a_caller_that_goes_away_while_it_is_stored_leaves_no_message_behind(bench: Bench) -> None:
    class Slow(RamInbox):
        arrived, go_on = asyncio.Event(), asyncio.Event()

        async def accept(self, entry: InboxEntry) -> bool:
            self.arrived.set()
            await self.go_on.wait()
            return await super().accept(entry)

    inbox = Slow()
    dispatcher = bench.start(durable=inbox)
    caller = asyncio.create_task(dispatcher.accept(a_message()))
    await inbox.arrived.wait()
    caller.cancel()
    await asyncio.wait({caller})
    inbox.go_on.set()
    await until(lambda: bench.platform.order == ["1"])


async def test_a_message_that_cannot_be_stored_is_not_taken(bench: Bench) -> None:
    turns = Turns()
    dispatcher = bench.start(turns)
    with closing(sqlite3.connect(bench.path)) as db:
        db.execute("CREATE TRIGGER refuse BEFORE INSERT ON inbox BEGIN SELECT raise(ABORT, 'refused'); END")
    with pytest.raises(sqlite3.IntegrityError):
        await dispatcher.accept(a_message())
    assert (turns.begun, dispatcher.busy) == ([], 0)


async def test_workers_go_away_when_their_conversation_is_idle(bench: Bench) -> None:
    before = len(asyncio.all_tasks())
    dispatcher = bench.start()
    for number in range(30):
        await dispatcher.accept(a_message(str(number), thread=f"t{number}"))
    await idle(dispatcher)
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before
    await dispatcher.accept(a_message("31", thread="t1"))
    await idle(dispatcher)
    assert bench.platform.order[-1] == "31"


async def test_done_keys_are_kept_for_their_time_and_no_longer(bench: Bench) -> None:
    after = [(str(number), timedelta(days=1)) for number in range(3, 2003)]
    for name, age in (("1", timedelta(days=8)), ("2", timedelta(days=6)), *after):
        entry = an_entry_of(a_message(name), minutes=-age / timedelta(minutes=1))
        await bench.durable.accept(entry)
        await bench.durable.done(entry.key)
    dispatcher = bench.start()
    await dispatcher.resume()
    assert await dispatcher.accept(a_message("1"))
    assert not await dispatcher.accept(a_message("2"))
