"""What a message means after a crisis, or after a question about self-harm, in its thread."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.aftercare import FOR, MENTION_TURNS, TURNS, plain_question, with_care
from bot.messages import Author, TurnKind
from bot.safety import Clear, Mention, SafetyVerdict, SelfHarm, Violence, assess, graver
from bot.wording import wording
from memory.errors import MemoryUnavailable
from memory.ram import RamMemory
from memory.turn import Turn
from tests.bot.engine import CONVERSATION, NOW, bench, said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memory.conversation import Conversation

ANN, BEN = Author("ann"), Author("ben")
CLINIC = "When is the flu clinic open?"
SIGNS = "What are the signs of suicide risk in teenagers?"
PLAIN = [
    CLINIC,
    "Do I need an appointment?",
    "what are the visiting hours on the ward",
    "Can I bring my dog?",
    "¿Cuándo abre la clínica de vacunas?",
    "Quand ouvre la clinique ?",
    "Wann ist die Praxis geöffnet?",
    "Onde está a recepção?",
    "Quando apre l'ambulatorio?",
    "Wanneer is de praktijk open?",
    "Kiedy otwarta jest przychodnia?",
    "Klinik ne zaman açık?",
    "متى تفتح العيادة؟",
    "क्लिनिक कब खुलता है?",
    "诊所什么时候开门？",
    "クリニックはいつ開きますか？",
    "병원은 언제 여나요?",
]
NOT_PLAIN = [
    "",
    "I already took them",
    "I already took them?",
    "how many would be enough?",
    "How many do I need?",
    "what if I do?",
    "will it hurt?",
    "when is it open?",
    "how long does paracetamol need?",
    "ok",
    "thanks",
    "bye",
    "the river tonight?",
    "Is anyone there?",
    CLINIC + " I have tried for so long to be well" * 12,
    "Ya las tomé",
    "¿Cuántas pastillas hay en la farmacia?",
    "Je les ai déjà prises",
    "combien de comprimés faut-il ?",
    "Ich habe sie schon genommen",
    "Wie viele Tabletten braucht man?",
    "Já tomei tudo",
    "Le ho già prese",
    "Ik heb ze al genomen",
    "Już je wziąłem",
    "Hepsini içtim",
    "لقد أخذتها",
    "मैंने ले ली हैं",
    "我已经吃了",
    "もう飲みました",
    "이미 먹었어요",
    "Где поликлиника?",
]


def turn(kind: TurnKind, *, author: str = "ann", ago: timedelta = timedelta(minutes=1), question: str = "") -> Turn:
    return Turn(CONVERSATION, author, kind, NOW - ago, "m", "t", question=question)


CRISIS = turn(TurnKind.CRISIS)
FACT = turn(TurnKind.FACT, question=CLINIC)


def read(text: str, *turns: Turn, verdict: SafetyVerdict | None = None, now: datetime = NOW) -> SafetyVerdict:
    return with_care(verdict or Clear(), text, ANN, turns, now=now, assess=assess)


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_change_of_subject_is_answered_with_the_lines_beside_it(text: str) -> None:
    assert read(text, CRISIS) == Mention("follow.crisis")


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_whatever_may_speak_of_the_crisis_is_taken_to(text: str) -> None:
    assert read(text, CRISIS) == SelfHarm("follow.crisis")
    assert not plain_question(text)


def test_more_of_an_answer_is_asked_for_where_there_is_one() -> None:
    assert read("What else?", FACT, CRISIS) == Mention("follow.crisis")
    assert read("What else?", CRISIS) == SelfHarm("follow.crisis")


def test_it_holds_for_five_turns_of_the_person_and_a_day() -> None:
    others = [turn(TurnKind.FACT, author="ben")] * 5
    assert read("ok", CRISIS, *[FACT] * (TURNS - 1), *others) == SelfHarm("follow.crisis")
    assert read("ok", CRISIS, *[FACT] * TURNS) == Clear()
    assert read("ok", turn(TurnKind.CRISIS, ago=FOR)) == SelfHarm("follow.crisis")
    assert read("ok", turn(TurnKind.CRISIS, ago=FOR + timedelta(seconds=1))) == Clear()


def test_one_person_is_never_answered_for_anothers_crisis() -> None:
    assert read("ok", turn(TurnKind.CRISIS, author="ben")) == Clear()


def test_a_verdict_is_only_ever_raised() -> None:
    assert read(CLINIC, CRISIS, verdict=SelfHarm("self.die.en")) == SelfHarm("self.die.en")
    assert read(SIGNS, CRISIS, verdict=Mention("mention.signs.en")) == SelfHarm("follow.crisis")
    assert read("ok", CRISIS, verdict=Violence("violence.kill.en")) == Violence("violence.kill.en")


def test_the_lines_go_on_standing_beside_what_follows_a_question_about_self_harm() -> None:
    asked = turn(TurnKind.FACT, author="ben", question=SIGNS)
    assert read("And what should I do then?", asked) == Mention("follow.mention")
    assert read("And what should I do then?", asked, FACT) == Mention("follow.mention")
    assert read("And what should I do then?", asked, *[FACT] * MENTION_TURNS) == Clear()
    assert read(CLINIC, asked) == Clear()
    assert read("thanks", asked) == Clear()


KINDS = st.sampled_from(list(TurnKind))
VERDICTS = st.sampled_from([Clear(), Mention("m"), SelfHarm("s"), Violence("v")])


@given(st.text(max_size=60), VERDICTS, st.lists(KINDS, max_size=8))
def test_no_message_and_no_history_break_it_or_lower_a_verdict(
    text: str, verdict: SafetyVerdict, kinds: list[TurnKind]
) -> None:
    careful = read(text, *(turn(kind) for kind in kinds), verdict=verdict)
    assert graver(careful, verdict) == careful
    if TurnKind.CRISIS in kinds[-TURNS:]:
        assert not isinstance(careful, Clear)


# In a turn


@pytest.mark.parametrize("guest", [False, True])
async def test_what_follows_a_crisis_is_no_question_about_drugs(*, guest: bool) -> None:
    b = await bench()
    await b.engine.respond(said("I want to kill myself", guest=guest))
    reply = await b.engine.respond(said("I already took them", guest=guest))
    words = wording().crisis
    assert (reply.kind, reply.private, b.answerer.asked) == (TurnKind.CRISIS, True, [])
    assert reply.text.startswith(f"{words.about_follow}\n\n{words.emergency.format(number='999')}")
    assert "116 123" in reply.text
    assert reply.if_alerted == ""
    kept = await (b.guests if guest else b.durable).turns(CONVERSATION)
    assert [(one.kind, one.question) for one in kept] == [(TurnKind.CRISIS, "")] * 2


async def test_another_subject_after_a_crisis_is_answered_with_the_lines_beside_it() -> None:
    b = await bench()
    await b.engine.respond(said("I want to kill myself"))
    reply = await b.engine.respond(said(CLINIC))
    assert (reply.kind, reply.private) == (TurnKind.FACT, False)
    assert any("116 123" in (resource.phone or "") for resource in reply.resources)


async def test_a_history_that_cannot_be_read_with_care_takes_the_safe_branch() -> None:
    def breaks_over(text: str) -> SafetyVerdict:
        if text == CLINIC:
            raise RuntimeError(text)
        return Clear()

    b = await bench()
    await b.engine.respond(said(CLINIC))
    engine = replace(b.engine, assess=breaks_over)
    assert (await engine.respond(said("And then?"))).kind is TurnKind.CRISIS


class Full(RamMemory):
    """A memory that can be read and takes nothing in."""

    async def record(self, turn: Turn) -> None:
        raise MemoryUnavailable("the disk is full")


class Gone(Full):
    """One that cannot be read either."""

    async def turns(self, conversation: Conversation, *, limit: int = 50) -> Sequence[Turn]:
        raise MemoryUnavailable("the disk is gone")


@pytest.mark.parametrize("memory", [Full, Gone])
async def test_a_crisis_that_cannot_be_written_down_is_still_known(memory: type[RamMemory]) -> None:
    b = await bench(memory=memory())
    await b.engine.respond(said("I want to kill myself"))
    assert (await b.engine.respond(said("I already took them"))).kind is TurnKind.CRISIS
