"""The third layer of the safety gate: what an English message means to the local embedding model, beside its words.

It looks while the search embeds the question, and may only raise the verdict. Where there is no such model, or it
fails, nothing changes. docs/safety-card.md says how much it finds.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from bot.safety import Clear, SelfHarm
from bot.safety_classifier import bundled as bundled_classifier
from bot.safety_rules import bundled as rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from numpy.typing import NDArray

    from bot.safety import SafetyVerdict

MOST_READ = 2_000
"""Characters of a message that are embedded: the model reads no further."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A linear head over a message's vector, added to the classifier's score at `share`; raised from `least` up."""

    weights: NDArray[np.float32]
    bias: float
    share: float
    least: float

    def raises(self, risk: float, vector: NDArray[np.float32]) -> bool:
        """Whether a message of this score and vector tells of a person at risk."""
        return risk + self.share * (float(self.weights @ vector) + self.bias) >= self.least

    def packed(self) -> bytes:
        """The weights file."""
        file = io.BytesIO()
        np.savez_compressed(file, weights=self.weights, numbers=np.array([self.bias, self.share, self.least]))
        return file.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> Meaning:
        """The head of a weights file."""
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            bias, share, least = map(float, file["numbers"])
            return cls(file["weights"], bias, share, least)


class MeaningLook:
    """A look at each English message by the local model. `embed` gives a text's vector of length 1."""

    def __init__(self, embed: Callable[[str], Awaitable[NDArray[np.float32]]]) -> None:
        self._embed = embed

    @property
    def name(self) -> str:
        """What looks, as traces give it."""
        return "meaning"

    async def look(self, text: str) -> SafetyVerdict:
        """`SelfHarm` or `Clear`. Raises what `embed` raises, and where a weights file cannot be read."""
        classifier = bundled_classifier()
        if classifier is None:
            return Clear()
        judged = classifier.judged(rules().read(text))
        if judged is None or not judged.english:
            return Clear()
        if not bundled().raises(judged.risk, await self._embed(text[:MOST_READ])):
            return Clear()
        return SelfHarm("other.meaning" if classifier.about_another(judged) else "self.meaning")


@cache
def bundled() -> Meaning:
    """The head that ships with the package, read once."""
    return Meaning.unpacked(resources.files("bot").joinpath("data", "safety_meaning.npz").read_bytes())
