"""The third layer of the gate: a look at what a message means, which only adds, and whose failure changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bot.messages import TurnKind
from bot.safety import Clear, SelfHarm, Violence, assess
from bot.safety_meaning import MOST_READ, Meaning, MeaningLook, bundled
from retrieval.errors import RetrievalError
from retrieval.local import MINILM_DIMENSIONS, LocalEmbedder
from tests.bot.engine import bench, said
from tests.bot.ordinary_messages import ORDINARY

if TYPE_CHECKING:
    from retrieval.embed import Vector

MISSED = "I feel nothing but emptiness and I think about being buried next to my sister"
OPEN = "When is the flu clinic open on the day after tomorrow?"
GERMAN = "Wann ist die Grippesprechstunde morgen geöffnet, und wo?"


class Embed:
    """Vectors that point where the head's weights do, or the other way."""

    def __init__(self, *, risky: bool) -> None:
        weights = bundled().weights * (100 if risky else -100)
        self.vector: Vector = weights.astype(np.float32)
        self.asked: list[str] = []

    async def __call__(self, text: str) -> Vector:
        self.asked.append(text)
        return self.vector


async def broken(_: str) -> Vector:
    raise RetrievalError("no model")


async def test_the_head_decides() -> None:
    assert await MeaningLook(Embed(risky=True)).look(OPEN) == SelfHarm("self.meaning")
    assert await MeaningLook(Embed(risky=False)).look(OPEN) == Clear()


async def test_other_languages_are_not_embedded_since_the_model_knows_none() -> None:
    embed = Embed(risky=True)
    assert await MeaningLook(embed).look(GERMAN) == Clear()
    assert embed.asked == []


async def test_of_a_long_message_the_start_is_embedded() -> None:
    embed = Embed(risky=False)
    await MeaningLook(embed).look(OPEN * 1000)
    assert [len(text) for text in embed.asked] == [MOST_READ]


def test_the_classifier_counts_beside_the_vector() -> None:
    head = Meaning(np.zeros(2, np.float32), bias=0.0, share=1.0, least=2.0)
    vector = np.zeros(2, np.float32)
    assert (head.raises(2.0, vector), head.raises(1.9, vector)) == (True, False)


def test_a_packed_head_is_the_same_head() -> None:
    again = Meaning.unpacked(bundled().packed())
    assert (again.bias, again.share, again.least) == (bundled().bias, bundled().share, bundled().least)
    assert np.array_equal(again.weights, bundled().weights)
    assert bundled().weights.shape == (MINILM_DIMENSIONS,)


async def test_with_the_model_it_finds_what_rules_and_classifier_miss_and_raises_nothing_ordinary() -> None:
    look = MeaningLook(LocalEmbedder.minilm().embed_query)
    assert assess(MISSED) == Clear()
    assert await look.look(MISSED) == SelfHarm("self.meaning")
    for text in ORDINARY[::8]:
        assert await look.look(text) == Clear()


# In a turn


@pytest.mark.parametrize("text", [OPEN, "Is the flu clinic open on the day after my last one?"])
async def test_who_is_seen_to_be_at_risk_gets_people(text: str) -> None:
    made = await bench()
    reply = await replace(made.engine, meaning=MeaningLook(Embed(risky=True))).respond(said(text))
    assert (reply.kind, reply.private) == (TurnKind.CRISIS, True)


async def test_a_look_that_fails_changes_nothing() -> None:
    made = await bench()
    reply = await replace(made.engine, meaning=MeaningLook(broken)).respond(said(OPEN))
    without = await (await bench()).engine.respond(said(OPEN))
    assert (reply.kind, reply.text, reply.resources) == (without.kind, without.text, without.resources)


async def test_one_that_fails_does_not_keep_the_other_from_looking() -> None:
    made = await bench()
    engine = replace(made.engine, meaning=MeaningLook(broken), second_look=MeaningLook(Embed(risky=True)))
    assert (await engine.respond(said(OPEN))).kind is TurnKind.CRISIS


async def test_a_threat_stays_a_threat() -> None:
    made = await bench()
    embed = Embed(risky=True)
    threat = "I am going to kill my neighbour"
    assert isinstance(assess(threat), Violence)
    reply = await replace(made.engine, meaning=MeaningLook(embed)).respond(said(threat))
    assert (reply.kind, embed.asked) == (TurnKind.REFUSAL, [])
