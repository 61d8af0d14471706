"""The third layer of the gate: a look at what a message means, which only adds, and whose failure changes nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bot.messages import TurnKind
from bot.safety import Clear, SelfHarm, Violence, assess
from bot.safety_meaning import (
    FINEST,
    MAX_TOKENS,
    MOST_READ,
    STRETCH,
    Head,
    MeaningLayer,
    MeaningLook,
    Meant,
    TunedModel,
    Tuning,
    stretches,
)
from retrieval.errors import RetrievalError
from retrieval.local import installed_folder
from retrieval.minilm import LAYER_TENSORS, WIDTH, tensors
from retrieval.onnx_encoder import OnnxEncoder
from tests.bot.engine import bench, said
from tests.bot.ordinary_messages import ORDINARY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.safety import SafetyVerdict

MISSED = "I keep looking at the river on the way home and each night I stay a bit longer"
OF_ANOTHER = "My brother sorted out his papers and gave me his watch, and he will not say where he is going"
OPEN = "When is the flu clinic open on the day after tomorrow?"
SPANISH = "Mi hermano regaló su perro y sus libros y dice que ya no va a necesitar nada"
GERMAN = "Wann ist die Grippesprechstunde morgen geöffnet, und wo?"


class Judging:
    """The same score for every text, and a note of what was asked."""

    def __init__(self, *scores: float, other: bool = False) -> None:
        self.scores, self.other = scores, other
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[Meant]:
        self.asked += texts
        return [Meant(self.scores[number % len(self.scores)], self.other) for number in range(len(texts))]


def layer(judging: Judging) -> MeaningLayer:
    return MeaningLayer(judging, replace(Tuning.bundled(), least={"en": 1.0, "de": 2.0, "": 3.0}))


def look(*scores: float) -> MeaningLook:
    return MeaningLook(layer(Judging(*scores)))


def broken(_: str) -> SafetyVerdict:
    raise RetrievalError("no model")


@pytest.fixture(scope="module")
def real() -> MeaningLayer:
    return MeaningLayer()


def test_the_score_decides_and_who_is_meant_is_named() -> None:
    assert layer(Judging(1.0))(OPEN) == SelfHarm("self.meaning")
    assert layer(Judging(1.0, other=True))(OPEN) == SelfHarm("other.meaning")
    assert layer(Judging(0.9))(OPEN) == Clear()


def test_each_language_in_latin_letters_has_a_threshold_of_its_own() -> None:
    assert layer(Judging(2.0))(GERMAN) == SelfHarm("self.meaning")
    assert layer(Judging(1.9))(GERMAN) == Clear()
    assert layer(Judging(3.0))(SPANISH) == SelfHarm("self.meaning")
    assert layer(Judging(2.9))(SPANISH) == Clear()


@pytest.mark.parametrize("text", ["", "ok", "danke schön", "!!!", "今日は予約できますか", "क्या कल अस्पताल खुला रहेगा"])
def test_other_scripts_and_what_says_too_little_are_not_looked_at(text: str) -> None:
    judging = Judging(5.0)
    assert layer(judging)(text) == Clear()
    assert judging.asked == []


def test_the_gravest_stretch_of_a_long_message_counts() -> None:
    text = " ".join(f"{OPEN} {number}" for number in range(30))
    assert len(stretches(text)) > 1
    assert layer(Judging(0.0, 5.0))(text) == SelfHarm("self.meaning")


def test_every_word_of_a_long_message_is_read() -> None:
    words = [f"w{number}" for number in range(500)]
    read = stretches(" ".join(words))
    assert {word for one in read for word in one.split()} == set(words)
    assert max(len(one.split()) for one in read) == STRETCH


def test_of_a_very_long_message_both_ends_are_read() -> None:
    read = " ".join(stretches("first " + "word " * 10_000 + "last"))
    assert read.startswith("first ")
    assert read.endswith(" last")
    assert len(read) < 2 * MOST_READ


def test_a_tuning_says_what_it_was_made_from() -> None:
    draw = np.random.default_rng(0)
    own = {name: draw.normal(size=shape).astype(np.float32) for name, shape in LAYER_TENSORS.items()}
    tuned = {name: one + draw.normal(0, 0.01, one.shape).astype(np.float32) for name, one in own.items()}
    head = Head(np.ones((WIDTH, 4), np.float32), np.zeros(4, np.float32), np.ones(WIDTH + 1, np.float32))
    tuning = Tuning.of(own, tuned, head, {"en": 2.5, "": 1.5})
    again = Tuning.unpacked(tuning.packed())
    assert again.least == {"en": 2.5, "": 1.5}
    for name, one in again.tensors(own).items():
        furthest = np.abs(np.atleast_2d(tuned[name] - own[name])).max(axis=0)
        assert (np.abs(one - tuned[name]) <= furthest / FINEST / 2 + 1e-6).all()
        assert one.shape == own[name].shape


@pytest.mark.parametrize("data", [b"", b"PK", Tuning.bundled().packed()[:1000]])
def test_what_is_no_weights_file_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a weights file"):
        Tuning.unpacked(data)


def test_a_tuning_that_changes_nothing_gives_what_the_installed_model_gives() -> None:
    own = tensors(installed_folder())
    bundled = Tuning.bundled()
    nothing = Tuning.of(own, own, bundled.head, bundled.least)
    shipped = TunedModel(bundled).vectors([OPEN])
    unchanged = TunedModel(nothing).vectors([OPEN])
    folder = installed_folder()
    vector = OnnxEncoder(folder / "onnx" / "model.onnx", folder / "tokenizer.json").run([OPEN])
    assert np.allclose(unchanged / np.linalg.norm(unchanged), vector, atol=1e-5)
    assert not np.allclose(shipped, unchanged, atol=0.1)


def test_a_changed_model_is_not_tuned(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(installed_folder(), folder)
    with (folder / "onnx" / "model.onnx_data").open("r+b") as file:
        file.write(b"other")
    with pytest.raises(RetrievalError, match="was changed"):
        TunedModel(Tuning.bundled(), folder=folder)


def test_it_finds_what_rules_and_classifier_miss_and_raises_nothing_ordinary(real: MeaningLayer) -> None:
    assert assess(MISSED) == Clear()
    assert real(MISSED) == SelfHarm("self.meaning")
    assert real(OF_ANOTHER) == SelfHarm("other.meaning")
    assert [text for text in ORDINARY if real(text) != Clear()] == []


def test_in_another_language_too_it_finds_what_they_miss(real: MeaningLayer) -> None:
    assert assess(SPANISH) == Clear()
    assert real(SPANISH) == SelfHarm("other.meaning")
    assert real(GERMAN) == Clear()


def test_what_stands_further_down_than_can_be_read_at_once_is_still_found(real: MeaningLayer) -> None:
    filler = "I have a question about my appointment on Tuesday and about the parking. " * 25
    assert len(filler.split()) > MAX_TOKENS
    assert real(filler) == Clear()
    assert real(filler + f"{MISSED}. " * 20) == SelfHarm("self.meaning")


# In a turn


@pytest.mark.parametrize("text", [OPEN, "Is the flu clinic open on the day after my last one?"])
async def test_who_is_seen_to_be_at_risk_gets_people(text: str) -> None:
    made = await bench()
    reply = await replace(made.engine, meaning=look(5.0)).respond(said(text))
    assert (reply.kind, reply.private) == (TurnKind.CRISIS, True)


async def test_a_look_that_fails_changes_nothing() -> None:
    made = await bench()
    reply = await replace(made.engine, meaning=MeaningLook(broken)).respond(said(OPEN))
    without = await (await bench()).engine.respond(said(OPEN))
    assert (reply.kind, reply.text, reply.resources) == (without.kind, without.text, without.resources)


async def test_one_that_fails_does_not_keep_the_other_from_looking() -> None:
    made = await bench()
    engine = replace(made.engine, meaning=MeaningLook(broken), second_look=look(5.0))
    assert (await engine.respond(said(OPEN))).kind is TurnKind.CRISIS


async def test_a_threat_stays_a_threat() -> None:
    made = await bench()
    judging = Judging(5.0)
    threat = "I am going to kill my neighbour"
    assert isinstance(assess(threat), Violence)
    reply = await replace(made.engine, meaning=MeaningLook(layer(judging))).respond(said(threat))
    assert (reply.kind, judging.asked) == (TurnKind.REFUSAL, [])
