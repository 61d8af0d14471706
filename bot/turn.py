"""One turn, from message to reply: the only file that knows the order of things."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, assert_never

from bot.access import by_person
from bot.asking_on import WHAT_ELSE, InLanguage, More, Simpler, asking_on
from bot.caution import BROKEN, in_context, looked_at
from bot.check import Check
from bot.compose import compose, still_held
from bot.courtesy import courtesy
from bot.crisis import FOLLOW_UP, crisis_reply_text, lines_for, words_for
from bot.errors import Busy, CitewellError, Refused, outline
from bot.lapsed import lapsed_version
from bot.lookup_outcome import Asked, AskedBack, Declined, Given
from bot.messages import IncomingMessage, Reply, Source
from bot.restate import of_the_same, quotes, simpler, why
from bot.safety import Clear, Mention, SafetyVerdict, SelfHarm, Violence, assess
from bot.switches import Switches
from bot.trace import Trace
from bot.turn_record import TurnRecord, checked_words, found_counts, turn_record
from memory.replay import Said, earlier_questions, replay
from memory.turn import Turn, TurnKind
from retrieval.errors import RetrievalError
from retrieval.evidence import Evidence, Grade, Query, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from bot.access import Access
    from bot.answer import Answer
    from bot.answerer import Answerer, Hear, Rewriter
    from bot.crisis import Lines
    from bot.entailment import Entailment
    from bot.lookup_beside import Beside
    from bot.lookup_outcome import Outcome
    from bot.lookups import Lookups
    from bot.messages import Show
    from bot.restate import Manner
    from bot.safety import SecondLook
    from bot.settings import TurnSettings
    from bot.verify import Statement, Verified
    from bot.wording import Wording
    from memory.conversation import Conversation
    from memory.store import Memory
    from memory.summary import Summary
    from retrieval.index import Index
    from retrieval.search import PipelineSettings, Searcher

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Memories:
    """Where turns are kept: `durable` for members, `guests` in RAM only. It is chosen once, by one argument."""

    durable: Memory
    guests: Memory

    def of(self, *, guest: bool) -> Memory:
        """The memory for one author."""
        return self.guests if guest else self.durable


def _unsummarised(_memory: Memory, _conversation: Conversation) -> None:
    """What is too old to be shown whole is left out."""


def nowhere(_record: TurnRecord) -> None:
    """What becomes of a turn's record where nobody watches."""


def _never() -> bool:
    """No words are kept."""
    return False


def _unobserved(_trace: Trace, _evidence: Evidence) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers messages. Every part comes in from outside; `fallback` answers where `answerer` fails, and `entailment`
    has a second look at each sentence.

    `summarise` is told of each conversation that a clean turn was recorded in; it returns at once.
    `meaning` and `second_look` are asked beside the search whether a person is at risk whom `assess` did not see.
    `access` says which collections a message may be answered from, asked each time something is looked up.
    `switches` hold the stages of `pipeline` that are off for now.
    `keep` is given the record of each turn that has ended, with what was said only while `may_keep_words` says so.
    `lookups` answer from tables what is a question for them, before documents are searched.
    `observe` is shown what a turn found, before it is answered, and its trace, which goes on growing until the reply.
    """

    searcher: Searcher
    index: Index
    answerer: Answerer
    fallback: Answerer
    rewriter: Rewriter
    memories: Memories
    wording: Wording
    settings: TurnSettings
    pipeline: PipelineSettings
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    assess: Callable[[str], SafetyVerdict] = assess
    observe: Callable[[Trace, Evidence], None] = _unobserved
    entailment: Entailment | None = None
    summarise: Callable[[Memory, Conversation], None] = _unsummarised
    second_look: SecondLook | None = None
    meaning: SecondLook | None = None
    access: Access = by_person
    switches: Switches = field(default_factory=Switches)
    keep: Callable[[TurnRecord], None] = nowhere
    may_keep_words: Callable[[], bool] = _never
    lookups: Lookups | None = None

    async def respond(self, message: IncomingMessage, show: Show | None = None) -> Reply:
        """The reply to one message, recorded; its text goes to `show` as it passes the check, where that helps.

        It never raises for what a message, a document or a backend does.
        """
        trace = Trace(self.new_id(), keeps_words=not message.author.guest and self.may_keep_words())
        verdict = await in_context(
            self._gate(message, trace), message, trace, memories=self.memories, now=self.clock(), assess=self.assess
        )
        answering = asyncio.create_task(self._respond(message, verdict, trace, show))
        try:
            before, verdict = verdict, await looked_at(verdict, message, trace, self.meaning, self.second_look)
            if isinstance(verdict, SelfHarm | Violence) and verdict != before:
                turn, reply = await self._respond(message, verdict, trace, None)
            else:
                turn, reply = await answering
        except (CitewellError, RetrievalError, OSError) as error:
            logger.warning("turn %s failed: %s", trace.id, error)
            turn, reply = self._ending(message, trace, TurnKind.ERROR, self._error_text(trace))
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        reply = self._with_lines(reply, message, verdict)
        await self._record(turn, message, trace)
        self._keep(trace, message, reply, verdict)
        return reply

    def failure(self, message: IncomingMessage, error: BaseException) -> Reply:
        """What the person is told when a turn broke or ran out of time; nothing of the error but a reference.

        A person in crisis is told what they would have been told.
        """
        trace = Trace(self.new_id())
        logger.error("turn %s of %s broke: %s", trace.id, message.key, outline(error))
        verdict = self._gate(message, trace)
        if isinstance(verdict, SelfHarm):
            reply = self._crisis(message, verdict, trace)[1]
        else:
            said = self.wording.error
            words = (
                said.timeout
                if isinstance(error, TimeoutError)
                else said.busy
                if isinstance(error, Busy)
                else said.general
            )
            reply = Reply(TurnKind.ERROR, words.format(reference=trace.id), trace.id)
            reply = self._with_lines(reply, message, verdict)
        self._keep(trace, message, reply, verdict)
        return reply

    def _keep(self, trace: Trace, message: IncomingMessage, reply: Reply, verdict: SafetyVerdict) -> None:
        logger.info("turn %s %s", reply.kind.value, trace)
        try:
            self.keep(turn_record(trace, message, reply, verdict, self.clock()))
        except Exception as error:  # noqa: BLE001 - who watches must not cost anybody an answer
            logger.warning("turn %s could not be traced: %s", trace.id, type(error).__name__)

    def _gate(self, message: IncomingMessage, trace: Trace) -> SafetyVerdict:
        with trace.stage("safety") as span:
            try:
                verdict = self.assess(message.text)
            except Exception as error:  # noqa: BLE001 - whatever broke in the gate, the safe branch is taken (promise 6)
                logger.error("the safety gate broke: %s", type(error).__name__)  # noqa: TRY400 - a traceback may quote
                verdict = SelfHarm(BROKEN)
            span.set(verdict=type(verdict).__name__, rule=verdict.rule)
        return verdict

    async def _respond(
        self, message: IncomingMessage, verdict: SafetyVerdict, trace: Trace, show: Show | None
    ) -> tuple[Turn, Reply]:
        match verdict:
            case SelfHarm():
                return self._crisis(message, verdict, trace)
            case Violence():
                return self._ending(message, trace, TurnKind.REFUSAL, self.wording.refusal.violence)
            case Mention():
                return await self._question(message, trace, None)  # it comes whole, with the lines beside it
            case Clear():
                if kind := courtesy(message.text) if message.text.strip() else "help":
                    return self._ending(message, trace, TurnKind.COURTESY, getattr(self.wording.courtesy, kind))
                return await self._question(message, trace, show)
            case _:
                assert_never(verdict)

    def _crisis(self, message: IncomingMessage, verdict: SelfHarm, trace: Trace) -> tuple[Turn, Reply]:
        lines = self._lines(message)
        words = words_for(message.text, message.author.locale, self.wording)
        text = crisis_reply_text(verdict, lines, words)
        told = "" if verdict.rule in {FOLLOW_UP, BROKEN} else words.alerted
        reply = Reply(TurnKind.CRISIS, text, trace.id, resources=lines.resources, private=True, if_alerted=told)
        return self._turn(message, trace, TurnKind.CRISIS), reply

    def _with_lines(self, reply: Reply, message: IncomingMessage, verdict: SafetyVerdict) -> Reply:
        """Whatever became of a question about self-harm, the lines stand beside it."""
        return replace(reply, resources=self._lines(message).resources) if isinstance(verdict, Mention) else reply

    async def _question(self, message: IncomingMessage, trace: Trace, show: Show | None) -> tuple[Turn, Reply]:
        if len(message.text) > self.settings.question_limit:
            return self._ending(message, trace, TurnKind.ERROR, self.wording.error.too_long)
        turns, summary = await self._remembered(message)
        history = replay(turns, budget_tokens=self.settings.replay_tokens, summary=summary)
        answers = [turn for turn in turns if turn.kind is TurnKind.FACT]
        asks = asking_on(message.text)
        if isinstance(asks, More) and (more := await self._rest(message, turns, trace)) is not None:
            return self._from_table(more, message, trace)
        if asks is not None and not answers:
            return self._ending(message, trace, TurnKind.COURTESY, self.wording.asking_on.nothing_yet)
        if isinstance(asks, Simpler | InLanguage):
            if not answers[-1].replayable and (
                looked := await self._looked_up(message, answers[-1].standalone, (), trace)
            ):
                return self._from_table(looked, message, trace)
            return await self._restated(asks, answers[-1], message, history, trace)
        beside = answers if isinstance(asks, More) else ()
        return await self._answered(message, turns, history, trace, show, beside=beside)

    async def _answered(
        self,
        message: IncomingMessage,
        turns: Sequence[Turn],
        history: Sequence[Said],
        trace: Trace,
        show: Show | None,
        *,
        beside: Sequence[Turn],
    ) -> tuple[Turn, Reply]:
        """The answer to a question, or what there is `beside` the answers that it asks for more of."""
        with trace.stage("followup") as span:
            span.set(backend=self.rewriter.name)
            asked = WHAT_ELSE if beside else message.text
            question = await self.rewriter.standalone(asked, earlier_questions(turns))
            span.set(changed=question != asked)
            span.tell(lambda: {"asked": asked, "standalone": question})
            if beside and question == asked:
                question = beside[-1].standalone
        looked = None if beside else await self._looked_up(message, question, turns, trace)
        if isinstance(looked, Given | Declined) and looked.beside is not None:
            return await self._beside_rows(looked, looked.beside, message, history, trace)
        if looked is not None and looked.sure:
            return self._from_table(looked, message, trace)
        shown = {source.id for turn in beside for source in turn.sources}
        evidence = await self._search(message, question, trace, without=shown)
        evidence = of_the_same(evidence, beside[-1].sources) if beside else evidence
        self.observe(trace, evidence)
        if evidence.grade is Grade.INCORRECT or not evidence.hits:
            text = looked.text if looked else await self._ungrounded(message, evidence.query, more=bool(beside))
            return self._ending(message, trace, TurnKind.UNGROUNDED, text, standalone=question)
        try:
            verified = await self._checked_draft(question, evidence, history, trace, show)
        except Refused:
            return self._ending(message, trace, TurnKind.REFUSAL, self.wording.refusal.model, standalone=question)
        if not verified.statements:
            missing = verified.missing
            text = (
                looked.text if looked else await self._ungrounded(message, evidence.query, missing, more=bool(beside))
            )
            return self._ending(message, trace, TurnKind.UNGROUNDED, text, standalone=question)
        return self._fact(message, trace, question, self._composed(verified.statements), verified.confidence)

    async def _looked_up(
        self, message: IncomingMessage, question: str, turns: Sequence[Turn], trace: Trace
    ) -> Outcome | None:
        """What the tables have to say, which no model is asked about; None where it is no question for them."""
        if not self.lookups:
            return None
        collections = await self.access(message.conversation, message.author)
        last = next((turn for turn in reversed(turns) if turn.author == message.author.id), None)
        typed = message.text if turns else question
        asked = Asked(typed, question, message.author, message.conversation, last, trace.id)
        with trace.stage("lookup") as span:
            return await self.lookups.ask(asked, collections=collections, today=self.clock().date(), span=span)

    async def _beside_rows(
        self, looked: Given | Declined, beside: Beside, message: IncomingMessage, history: Sequence[Said], trace: Trace
    ) -> tuple[Turn, Reply]:
        """An answer from rows, and from passages what rows do not have: none that speaks of what the rows say."""
        statements: Sequence[Statement] = ()
        try:
            statements = await self._statements_beside(beside, message, history, trace)
        except (CitewellError, RetrievalError) as error:
            logger.warning("turn %s: rows are answered without passages: %s", trace.id, error)
        allowed = beside.allows(statement.text for statement in statements)
        if not statements or not allowed:
            says = self.wording.lookups
            left = "" if beside.whole else says.rest_apart if statements else says.rest_missing
            return self._from_table(replace(looked, text=_paragraphs(looked.text, left)), message, trace)
        given = looked if isinstance(looked, Given) else Given(looked.question, looked.text, (), personal=False)
        text, sources = compose(statements, self.clock().date(), after=len(given.sources))
        both = replace(given, text=_paragraphs(given.text, text), sources=(*given.sources, *sources))
        return self._from_table(both, message, trace)

    async def _statements_beside(
        self, beside: Beside, message: IncomingMessage, history: Sequence[Said], trace: Trace
    ) -> Sequence[Statement]:
        question = beside.question
        if not beside.whole:
            question = await self.rewriter.standalone(question, [beside.after])
        evidence = await self._search(message, question, trace)
        self.observe(trace, evidence)
        if evidence.grade is Grade.INCORRECT or not evidence.hits:
            return ()
        return (await self._checked_draft(question, evidence, history, trace, None)).statements

    async def _rest(self, message: IncomingMessage, turns: Sequence[Turn], trace: Trace) -> Outcome | None:
        """The rows that the last answer here left; None where it left none for this person."""
        last = turns[-1] if turns else None
        if not self.lookups or last is None or (left := self.lookups.left_by(last)) is None:
            return None
        collections = await self.access(message.conversation, message.author)
        asked = Asked(message.text, last.standalone, message.author, message.conversation, last, trace.id)
        with trace.stage("lookup") as span:
            return await self.lookups.more(left, asked, collections=collections, today=self.clock().date(), span=span)

    def _from_table(self, looked: Outcome, message: IncomingMessage, trace: Trace) -> tuple[Turn, Reply]:
        """Of a person's own rows nothing is kept but that they asked."""
        match looked:
            case Given(personal=True):
                turn, reply = self._ending(message, trace, TurnKind.COURTESY, "")
                reply = Reply(TurnKind.FACT, looked.text, reply.trace_id, sources=looked.sources, private=True)
                return turn, replace(reply, more=looked.more)
            case Given():
                turn, reply = self._fact(message, trace, looked.question, (looked.text, looked.sources), 1.0)
                return turn, replace(reply, confidence=None, more=looked.more)
            case AskedBack():
                return self._ending(message, trace, TurnKind.COURTESY, looked.text, standalone=looked.question)
            case Declined():
                return self._ending(message, trace, TurnKind.UNGROUNDED, looked.text, standalone=looked.question)
            case _:
                assert_never(looked)

    async def _restated(
        self, manner: Manner, last: Turn, message: IncomingMessage, history: Sequence[Said], trace: Trace
    ) -> tuple[Turn, Reply]:
        """The last answer once more: in simpler words where a model has some that hold, else in the documents' own.

        That these are all there is, is said to the person, and not remembered as a part of the answer.
        """
        with trace.stage("retrieval") as span:
            evidence = await self.searcher.again(
                Query(message.text, last.standalone),
                [source.id for source in last.sources],
                collections=await self.access(message.conversation, message.author),
                pipeline=self.switches.applied(self.pipeline),
            )
            span.set(**found_counts(evidence, self.searcher.thresholds))
        writes = self.answerer is not self.fallback and evidence.grade is not Grade.INCORRECT
        if isinstance(manner, Simpler) and writes:
            with trace.stage("answer") as span:
                span.set(backend=self.answerer.name)
                async with Check(evidence, trace, entailment=self.entailment) as check:
                    said = await simpler(evidence, history, self.answerer, check)
            if said is not None:
                return self._fact(message, trace, last.standalone, self._composed(said.statements), said.confidence)
        if not (sources := still_held(last.sources, evidence.hits, self.clock().date())):
            return self._ending(message, trace, TurnKind.COURTESY, self.wording.sources.gone)
        turn, reply = self._fact(
            message, trace, last.standalone, (quotes(sources, evidence), sources), round(evidence.best, 2)
        )
        return turn, replace(reply, text=f"{why(manner, self.wording)}\n\n{reply.text}")

    def _composed(self, statements: Sequence[Statement]) -> tuple[str, tuple[Source, ...]]:
        return compose(statements, self.clock().date())

    def _fact(
        self,
        message: IncomingMessage,
        trace: Trace,
        question: str,
        said: tuple[str, tuple[Source, ...]],
        confidence: float,
    ) -> tuple[Turn, Reply]:
        text, sources = said
        kept = {"question": message.text, "standalone": question, "text": text, "sources": sources}
        turn = self._turn(message, trace, TurnKind.FACT, **kept)
        return turn, Reply(TurnKind.FACT, text, trace.id, sources=sources, confidence=confidence)

    async def _remembered(self, message: IncomingMessage) -> tuple[Sequence[Turn], Summary | None]:
        """The conversation so far; without it a question is still answered, as one that stands alone."""
        memory = self.memories.of(guest=message.author.guest)
        try:
            turns, summary = await asyncio.gather(
                memory.turns(message.conversation), memory.summary(message.conversation)
            )
        except Exception as error:  # noqa: BLE001 - memory failing degrades memory only
            logger.warning("memory could not be read: %s", type(error).__name__)
            return (), None
        return turns, summary

    async def _search(
        self, message: IncomingMessage, question: str, trace: Trace, *, without: Collection[str] = ()
    ) -> Evidence:
        collections = await self.access(message.conversation, message.author)
        with trace.stage("retrieval") as span:
            evidence = await self.searcher.search(
                Query(message.text, question),
                k=self.settings.passages,
                collections=collections,
                pipeline=self.switches.applied(self.pipeline),
                without=without,
            )
            span.set(**found_counts(evidence, self.searcher.thresholds))
            span.tell(lambda: {"hits": [hit.as_json() for hit in evidence.hits]})
            for stage in evidence.stages:
                trace.add(
                    stage.name, stage.milliseconds, backend=stage.backend, returned=stage.returned, **_degraded(stage)
                )
        return evidence

    async def _checked_draft(
        self, question: str, evidence: Evidence, history: Sequence[Said], trace: Trace, show: Show | None
    ) -> Verified:
        async with Check(evidence, trace, entailment=self.entailment, show=show) as check:
            draft = await self._draft(question, evidence, history, trace, check.hear if show else None)
            with trace.stage("verify") as span:
                verified = await check.whole(draft)
                span.set(kept=len(verified.statements), dropped=",".join(verified.dropped))
                span.tell(lambda: checked_words(draft, verified))
        return verified

    async def _draft(
        self, question: str, evidence: Evidence, history: Sequence[Said], trace: Trace, hear: Hear | None
    ) -> Answer:
        with trace.stage("answer") as span:
            span.set(backend=self.answerer.name)
            try:
                return await self.answerer.answer(question, evidence, history, hear)
            except Refused:
                raise
            except CitewellError as error:
                logger.warning(
                    "turn %s: %s failed, %s answers: %s", trace.id, self.answerer.name, self.fallback.name, error
                )
                span.set(backend=self.fallback.name, degraded=type(error).__name__)
                return await self.fallback.answer(question, evidence, history)

    async def _ungrounded(
        self, message: IncomingMessage, query: Query, missing: str = "", *, more: bool = False
    ) -> str:
        """What is said where nothing was found, or with `more` nothing that had not been shown."""
        words = self.wording.answer
        if not (await self.index.status()).passages:
            return words.empty_index
        if more:
            return self.wording.asking_on.nothing_more
        said = words.ungrounded_about.format(missing=missing) if missing else words.ungrounded
        lapsed = await lapsed_version(
            self.searcher,
            self.index,
            query,
            self.wording,
            collections=await self.access(message.conversation, message.author),
            pipeline=self.switches.applied(self.pipeline),
            today=self.clock().date(),
        )
        return " ".join(filter(None, [said, lapsed, words.ungrounded_hint]))

    def _lines(self, message: IncomingMessage) -> Lines:
        author = message.author
        return lines_for(
            author.country,
            locale=author.locale,
            timezone=author.timezone,
            default=self.settings.country,
            people=self.settings.people,
        )

    def _error_text(self, trace: Trace) -> str:
        return self.wording.error.general.format(reference=trace.id)

    def _ending(
        self, message: IncomingMessage, trace: Trace, kind: TurnKind, text: str, *, standalone: str = ""
    ) -> tuple[Turn, Reply]:
        turn = self._turn(message, trace, kind, question=message.text, standalone=standalone or message.text, text=text)
        return turn, Reply(kind, text, trace.id)

    def _turn(self, message: IncomingMessage, trace: Trace, kind: TurnKind, **kept: object) -> Turn:
        return Turn(
            conversation=message.conversation,
            author=message.author.id,
            kind=kind,
            at=self.clock(),
            message=message.key,
            trace_id=trace.id,
            **kept,  # type: ignore[arg-type]
        )

    async def _record(self, turn: Turn, message: IncomingMessage, trace: Trace) -> None:
        with trace.stage("memory") as span:
            span.set(guest=message.author.guest)
            memory = self.memories.of(guest=message.author.guest)
            try:
                await memory.record(turn)
                if turn.kind.clean:
                    self.summarise(memory, message.conversation)
            except Exception as error:  # noqa: BLE001 - a reply that stands is sent, kept or not
                logger.warning("turn %s could not be recorded: %s", trace.id, type(error).__name__)
                span.set(failed=type(error).__name__)
                if turn.kind is TurnKind.CRISIS:
                    await self.memories.guests.record(turn)


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _degraded(stage: Stage) -> dict[str, str]:
    return {"degraded": stage.degraded} if stage.degraded else {}
