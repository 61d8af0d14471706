"""The third layer of the safety gate: what a message in Latin letters means, to the local model tuned for it.

The model was tuned to hear a person at risk, in English and eight other languages. It looks while the search runs,
and may only raise the verdict. Where the model is missing or fails, nothing changes. docs/safety-card.md says what it
learned from and how much it finds.
"""

from __future__ import annotations

import asyncio
import io
import threading
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from bot.language import ENGLISH, in_latin_letters, language_of
from bot.safety import Clear, SelfHarm
from bot.safety_classifier import bundled as bundled_classifier
from bot.safety_rules import bundled as rules
from retrieval.local import checked_minilm
from retrieval.minilm import LAYER_TENSORS, tensors
from retrieval.onnx_encoder import token_mean
from retrieval.onnx_model import OnnxModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bot.safety import Layer, SafetyVerdict

FILE = "safety_meaning.npz"
KINDS = ("ordinary", "subject", "distress", "risk")
"""What the model sorts messages into, in the order of the head's columns."""
MAX_TOKENS = 256
STRETCH, STEP = 180, 120
"""How many words are read at once, some 256 tokens, and after how many the next stretch begins."""
MOST_READ = 4_000
"""Characters of a message that are read; in a longer one the first and the last of them, half of this each."""
FINEST = 3
"""A changed weight differs from the model's own by so many steps at most, one way or the other."""


class Meant(NamedTuple):
    """What a message means: the log-odds of a person at risk, and whether somebody else than the writer is."""

    risk: float
    other: bool


class Head(NamedTuple):
    """What is told from a message's mean token vector: a column for each of `KINDS` and what is added to it; somebody
    else rather than the writer, with what is added last.
    """

    kinds: NDArray[np.float32]
    bias: NDArray[np.float32]
    other: NDArray[np.float32]

    def judged(self, vectors: NDArray[np.floating[Any]]) -> list[Meant]:
        """What each row means."""
        logits = vectors @ self.kinds + self.bias
        risks = logits[:, -1] - np.logaddexp.reduce(logits[:, :-1], axis=1)
        others = vectors @ self.other[:-1] + self.other[-1] > 0
        return [Meant(float(risk), bool(other)) for risk, other in zip(risks, others, strict=True)]


class Judge(Protocol):
    """What tells the meaning of texts, each short enough to be read whole. Blocking."""

    def __call__(self, texts: Sequence[str]) -> list[Meant]:
        """One a text, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the tuned model differs from the one that is installed, and its head.

    `steps` and `scales` are those of all tensors of its six layers one behind the other, a scale a column. `least` is
    the score from which on a person is at risk, by the message's language; "" stands for every other language.
    """

    steps: NDArray[np.int8]
    scales: NDArray[np.float32]
    head: Head
    least: Mapping[str, float]

    @classmethod
    def of(
        cls,
        own: dict[str, NDArray[np.float32]],
        tuned: dict[str, NDArray[np.float32]],
        head: Head,
        least: Mapping[str, float],
    ) -> Tuning:
        """With the differences of tuned tensors from the model's own, in steps of a seventh of each column's range."""
        steps, scales = [], []
        for name in LAYER_TENSORS:
            change = np.atleast_2d(tuned[name] - own[name])
            scale = np.maximum(np.abs(change).max(axis=0) / FINEST, 1e-12).astype(np.float32)
            steps.append(np.round(change / scale).astype(np.int8).ravel())
            scales.append(scale)
        return cls(np.concatenate(steps), np.concatenate(scales), head, least)

    def tensors(self, own: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        """The tuned tensors by name, out of the model's own."""
        found: dict[str, NDArray[np.float32]] = {}
        at = column = 0
        for name, shape in LAYER_TENSORS.items():
            size, columns = int(np.prod(shape)), shape[-1]
            change = self.steps[at : at + size].reshape(-1, columns) * self.scales[column : column + columns]
            found[name] = own[name] + change.reshape(shape)
            at, column = at + size, column + columns
        return found

    def packed(self) -> bytes:
        """The weights file."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            allow_pickle=False,
            steps=self.steps,
            scales=self.scales,
            **self.head._asdict(),
            languages=np.array(list(self.least)),
            least=np.array(list(self.least.values())),
        )
        return file.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> Tuning:
        """The tuning of a weights file. ValueError where it is none."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                head = Head(*(file[name] for name in Head._fields))
                least = dict(zip(file["languages"].tolist(), file["least"].tolist(), strict=True))
                return cls(file["steps"], file["scales"], head, least)
        except Exception as error:  # numpy raises many kinds for a file that is no archive
            raise ValueError(f"not a weights file of the look at the meaning ({type(error).__name__})") from error

    @classmethod
    def bundled(cls) -> Tuning:
        """The one that ships with the package."""
        return cls.unpacked(resources.files("bot").joinpath("data", FILE).read_bytes())


class TunedModel:
    """The installed model with a tuning. Loading checks its files and raises what `checked_minilm` raises."""

    def __init__(self, tuning: Tuning, *, folder: Path | None = None) -> None:
        found = checked_minilm(folder)
        self._head = tuning.head
        self._model = OnnxModel(
            found / "onnx" / "model.onnx",
            found / "tokenizer.json",
            max_tokens=MAX_TOKENS,
            threads=1,  # it runs beside a search, which has the other cores
            replaced=tuning.tensors(tensors(found)),
        )

    def vectors(self, texts: Sequence[str]) -> NDArray[np.floating[Any]]:
        """The mean of each text's token vectors."""
        return token_mean(*self._model.run(texts))

    def __call__(self, texts: Sequence[str]) -> list[Meant]:
        """What each text means."""
        return self._head.judged(self.vectors(texts))


class MeaningLayer:
    """A layer of the gate: `SelfHarm` or `Clear`, of a message in Latin letters that says enough.

    The model is opened with the first such message. Blocking; calls may overlap. It raises what opening raises.
    """

    def __init__(self, judge: Judge | None = None, tuning: Tuning | None = None) -> None:
        self._judge = judge
        self._tuning = tuning
        self._opening = threading.Lock()

    def __call__(self, text: str) -> SafetyVerdict:
        """The verdict on one message: its gravest stretch counts."""
        classifier = bundled_classifier()
        judged = classifier.judged(rules().read(text)) if classifier else None
        if judged is None or not in_latin_letters(text):
            return Clear()
        judge, tuning = self._opened()
        gravest = max(judge(stretches(text)))
        language = ENGLISH if judged.english else language_of(text)
        if gravest.risk < tuning.least.get(language or "", tuning.least[""]):
            return Clear()
        return SelfHarm("other.meaning" if gravest.other else "self.meaning")

    def _opened(self) -> tuple[Judge, Tuning]:
        with self._opening:
            self._tuning = self._tuning or Tuning.bundled()
            self._judge = self._judge or TunedModel(self._tuning)
            return self._judge, self._tuning


class MeaningLook:
    """The layer as a look beside the search, in a thread."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer

    @property
    def name(self) -> str:
        """What looks, as traces give it."""
        return "meaning"

    async def look(self, text: str) -> SafetyVerdict:
        """What the layer says. Raises what it raises."""
        return await asyncio.to_thread(self._layer, text)


def stretches(text: str) -> list[str]:
    """A message in stretches that the model can read whole; of one that is short, itself."""
    if len(text) > MOST_READ:
        text = f"{text[: MOST_READ // 2]} {text[-MOST_READ // 2 :]}"
    words = text.split()
    if len(words) <= STRETCH:
        return [text]
    return [" ".join(words[at : at + STRETCH]) for at in range(0, len(words) - STRETCH + STEP, STEP)]
