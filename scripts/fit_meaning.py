"""Tune the local model to hear a person at risk, and write how it differs to `bot/data/safety_meaning.npz`.

    pip install -e '.[fit]' -c constraints.txt
    python -m scripts.fit_meaning SHARED             # tune, report, write
    python -m scripts.fit_meaning SHARED --report    # only report on what is written

It learns from the texts in Latin letters of `scripts/safety_corpus.py` in four of five groups; the report and the
thresholds are of the fifth, which the model that ships has never learned from. It takes an hour on two cores, and
floating-point sums differ from machine to machine.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bot.language import in_latin_letters
from bot.safety import SelfHarm, by_rules
from bot.safety_classifier import ENGLISH
from bot.safety_classifier import bundled as bundled_classifier
from bot.safety_features import Features
from bot.safety_meaning import FILE, KINDS, MAX_TOKENS, Head, Meant, TunedModel, Tuning, stretches
from bot.safety_rules import bundled as rules
from bot.safety_text import PAUSES
from retrieval.local import installed_folder
from retrieval.minilm import LAYER_TENSORS, WIDTH, tensors
from scripts.safety_corpus import amid, corpus, messages
from scripts.safety_regression import fit_dense

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import jax
    from numpy.typing import NDArray

    from scripts.minilm_training import Tensors
    from scripts.safety_corpus import Example

WEIGHTS = Path(__file__).resolve().parent.parent / "bot" / "data" / FILE
SEEDS = (0, 1)
"""Of the runs whose tensors are averaged: each is wrong elsewhere."""
EPOCHS, BATCH, RATE, WARM = 3, 32, 1e-4, 0.1
DECAY, SMOOTHED, STEEPEST = 0.01, 0.05, 1.0
SCALE = 4.0
"""A head's weights begin at nought and learn as fast as the layers do: its inputs are made larger."""
LENGTHS = (12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256)
"""What texts are padded to, so that few shapes are compiled."""
PARTS = 5
ALARMS = {"ordinary": 0.005, "subject": 0.03, "distress": 0.03}
"""The share of each kind that may be raised, held out, in English."""
ELSEWHERE, FEWEST = 0.02, 100
"""In each other language the share of all that is harmless, of which half resembles a person at risk on purpose, and
how much of it there has to be."""
UNCOUNTED = ("mixtures", "amid", "rules")


def held_out(one: Example) -> bool:
    """Whether a text is of the fifth that nothing is learned from."""
    return hashlib.sha256(one.group.encode()).digest()[0] % PARTS == 0


def english(examples: Sequence[Example]) -> NDArray[np.bool_]:
    """Which of them the gate would take for English, as the layer does."""
    classifier = bundled_classifier()
    if classifier is None:
        raise SystemExit("The classifier is missing: run scripts.fit_safety first.")

    def known(text: str) -> float:
        words = [word for word in rules().read(text) if word not in PAUSES]
        return Features.of(words, classifier.classes).known if words else 0.0

    return np.array([known(one.text) >= ENGLISH for one in examples])


def learnt_from(shared: Path) -> list[Example]:
    """The corpus with what is for this layer alone, of what is in Latin letters; without what is joined from
    fragments and what harms nobody named.
    """
    draw = random.Random(7)
    further = [one for folder in ("voices", "oblique") for one in messages(folder)]
    sides = [[one for one in further if held_out(one) == side] for side in (False, True)]
    every = [*corpus(shared, draw), *further, *(one for side in sides for one in amid(side, draw))]
    return [one for one in every if one.origin != "fragments" and one.kind != "harm" and in_latin_letters(one.text)]


@dataclass(frozen=True, slots=True)
class Texts:
    """Examples as token numbers, with their kinds and weights."""

    ids: Sequence[Sequence[int]]
    kind: NDArray[np.int64]
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, examples: Sequence[Example], folder: Path) -> Texts:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        kind = np.array([KINDS.index(one.kind) for one in examples])
        weight = np.array([one.weight for one in examples], np.float32)
        risk = kind == KINDS.index("risk")
        weight[risk] *= np.sqrt(weight[~risk].sum() / weight[risk].sum())  # half way to both weighing the same
        ids = [encoding.ids for encoding in tokenizer.encode_batch([one.text for one in examples])]
        return cls(ids, kind, weight / weight.mean())

    def batches(self, draw: np.random.Generator) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Token numbers, which are a text's own, kinds and weights; every text once, in an order of their own."""
        lengths = np.array([next(length for length in LENGTHS if len(one) <= length) for one in self.ids])
        found = []
        for length in np.unique(lengths):
            of_it = draw.permutation(np.flatnonzero(lengths == length))
            size = max(8, min(BATCH, 2048 // int(length)))
            found += [(int(length), of_it[at : at + size], size) for at in range(0, len(of_it), size)]
        for number in draw.permutation(len(found)):
            length, chosen, size = found[number]
            ids, mask = np.zeros((size, length), np.int32), np.zeros((size, length), np.bool_)
            mask[:, 0] = True
            kind, weight = np.zeros(size, np.int64), np.zeros(size, np.float32)
            kind[: len(chosen)], weight[: len(chosen)] = self.kind[chosen], self.weight[chosen]
            for row, text in enumerate(chosen):
                ids[row, : len(self.ids[text])] = self.ids[text]
                mask[row, : len(self.ids[text])] = True
            yield ids, mask, kind, weight


def tuned(texts: Texts, own: dict[str, NDArray[np.float32]], seed: int) -> Tensors:
    """The layers' tensors and the head after one run of AdamW with a warm start and a cosine."""
    import jax
    import jax.numpy as jnp

    from scripts.minilm_training import Encoder

    encode = Encoder(own)
    theta: Tensors = {name: jnp.asarray(own[name]) for name in LAYER_TENSORS}
    theta |= {"head": jnp.zeros((WIDTH, len(KINDS))), "bias": jnp.zeros(len(KINDS))}

    def loss(theta: Tensors, key: jax.Array, *batch: jax.Array) -> jax.Array:
        ids, mask, kind, weight = batch
        logits = SCALE * encode(theta, ids, mask, key) @ theta["head"] + theta["bias"]
        wanted = jax.nn.one_hot(kind, len(KINDS)) * (1 - SMOOTHED) + SMOOTHED / len(KINDS)
        return -((wanted * jax.nn.log_softmax(logits)).sum(-1) * weight).sum() / BATCH

    def step(
        theta: Tensors, mean: Tensors, square: Tensors, number: jax.Array, rate: jax.Array, *rest: jax.Array
    ) -> tuple[Tensors, Tensors, Tensors]:
        slope = jax.grad(loss)(theta, *rest)
        length = jnp.sqrt(sum(jnp.vdot(one, one) for one in slope.values()))
        slope = {name: one / jnp.maximum(length / STEEPEST, 1.0) for name, one in slope.items()}
        mean = {name: 0.9 * mean[name] + 0.1 * one for name, one in slope.items()}
        square = {name: 0.999 * square[name] + 0.001 * one**2 for name, one in slope.items()}
        for name, one in theta.items():
            change = mean[name] / (1 - 0.9**number) / (jnp.sqrt(square[name] / (1 - 0.999**number)) + 1e-8)
            theta = theta | {name: one - rate * (change + DECAY * one)}
        return theta, mean, square

    stepping = jax.jit(step)
    draw = np.random.default_rng(seed)
    steps = EPOCHS * sum(1 for _ in texts.batches(np.random.default_rng(0)))
    mean, square = jax.tree.map(jnp.zeros_like, theta), jax.tree.map(jnp.zeros_like, theta)
    key, number = jax.random.key(seed), 0
    for epoch in range(EPOCHS):
        for batch in texts.batches(draw):
            number += 1
            along = (number - WARM * steps) / (steps - WARM * steps)
            rate = RATE * (number / (WARM * steps) if along < 0 else 0.01 + 0.99 * (1 + np.cos(np.pi * along)) / 2)
            theta, mean, square = stepping(
                theta, mean, square, np.float32(number), np.float32(rate), jax.random.fold_in(key, number), *batch
            )
        print(f"run {seed}, epoch {epoch + 1} of {EPOCHS}", flush=True)
    return theta


def about_others(model: TunedModel, examples: Sequence[Example]) -> NDArray[np.float32]:
    """What tells somebody else from the writer, of those that say who is at risk."""
    about = [one for one in examples if one.other is not None and one.origin not in ("mixtures", "amid")]
    vectors = np.concatenate([model.vectors([one.text]) for one in about])
    others = np.array([bool(one.other) for one in about])
    weights, bias = fit_dense(vectors, others, np.where(others, 1 / others.sum(), 1 / (~others).sum()))
    return np.append(weights, bias).astype(np.float32)


def judged(model: TunedModel, examples: Sequence[Example]) -> list[Meant]:
    """What the model makes of each text, by its gravest stretch."""
    return [max(model(stretches(one.text))) for one in examples]


def thresholds(examples: Sequence[Example], risk: NDArray[np.float64], ours: NDArray[np.bool_]) -> dict[str, float]:
    """By language, the lowest score that keeps false alarms within their share; the highest of them for the rest."""
    kinds = np.array([one.kind for one in examples])
    languages = np.array([one.language for one in examples])
    counted = np.array([one.origin not in UNCOUNTED and not one.risk for one in examples])
    english = counted & ours & (languages == "en")
    limits = [np.quantile(risk[english & (kinds == kind)], 1 - share) for kind, share in ALARMS.items()]
    found = {"en": float(max(limits))}
    for language in np.unique(languages[~ours]).tolist():
        harmless = risk[counted & ~ours & (languages == language)]
        if language != "en" and len(harmless) >= FEWEST:
            found[language] = float(np.quantile(harmless, 1 - ELSEWHERE))
    found[""] = max(least for language, least in found.items() if language != "en")
    return {language: round(least, 2) + 0.01 for language, least in found.items()}


def report(examples: Sequence[Example], risk: NDArray[np.float64], least: NDArray[np.float64]) -> None:
    """By language, kind and origin, held out: how many the rules raise, how many the meaning does, how many either."""
    ruled = np.array([isinstance(by_rules(one.text), SelfHarm) for one in examples])
    meant = risk >= least
    groups = [("en" if one.language == "en" else "others", one.kind, one.origin) for one in examples]
    groups += [(one.language, one.kind, "all") for one in examples if one.language != "en"]
    at = [*range(len(examples)), *(number for number, one in enumerate(examples) if one.language != "en")]
    print(f"{'':36}{'texts':>7}{'rules':>8}{'meaning':>9}{'either':>8}")
    for group in sorted(set(groups)):
        chosen = [number for number, other in zip(at, groups, strict=True) if other == group]
        shares = "".join(
            f"{mark[chosen].mean():{width}.1%}" for mark, width in ((ruled, 8), (meant, 9), (ruled | meant, 8))
        )
        print("{:10}{:12}{:14}".format(*group) + f"{len(chosen):7}{shares}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--report", action="store_true", help="only report on the file that is there")
    options = parser.parse_args()
    folder = installed_folder()
    own = tensors(folder)
    examples = learnt_from(options.shared)
    kept = [one for one in examples if not held_out(one)]
    unseen = [one for one in examples if held_out(one)]
    if options.report:
        tuning = Tuning.bundled()
    else:
        runs = [tuned(Texts.of(kept, folder), own, seed) for seed in SEEDS]
        mean = {name: np.mean([np.asarray(run[name]) for run in runs], axis=0) for name in runs[0]}
        head = Head(SCALE * mean["head"], mean["bias"], np.zeros(WIDTH + 1, np.float32))
        tuning = Tuning.of(own, mean, head, {"": 0.0})
        tuning = replace(tuning, head=head._replace(other=about_others(TunedModel(tuning), kept)))
    model = TunedModel(tuning)
    risk = np.array([one.risk for one in judged(model, unseen)])
    ours = english(unseen)
    if not options.report:
        everyday = [one for one in examples if one.origin == "ordinary" and one.kind == "ordinary"]
        highest = max(one.risk for one in judged(model, everyday))  # what the tests hold to be harmless stays so
        print(f"highest of the tests' ordinary messages: {highest:.2f}")
        least = thresholds(unseen, risk, ours)
        tuning = replace(tuning, least=least | {"en": max(least["en"], round(highest, 2) + 0.01)})
        print("thresholds:", tuning.least)
        WEIGHTS.write_bytes(tuning.packed())
        print(f"{WEIGHTS}: {WEIGHTS.stat().st_size / 1024:.0f} KB")
    languages = ["en" if english else one.language for one, english in zip(unseen, ours, strict=True)]
    report(unseen, risk, np.array([tuning.least.get(language, tuning.least[""]) for language in languages]))


if __name__ == "__main__":
    main()
