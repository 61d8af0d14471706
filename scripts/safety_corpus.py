"""What the safety gate learns from: `scripts/fit_safety.py` and `scripts/fit_meaning.py` read it here.

The sentences, messages and fragments beside this file, the rounds (but for `REPORTED`), the rules' own examples, the
tests' ordinary messages, the three quarters of the labelled messages that may be read, and the questions of public
question sets. The last quarter and the rounds of `REPORTED` stay out.

The roundabout sentences and the voices are for `fit_meaning` alone: of the first, words say too little, and with the
second the classifier found less of other languages.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bot.safety import Clear, SelfHarm, by_rules
from bot.safety_files import read_languages
from tests.bench.safety import seen
from tests.bot.ordinary_messages import ABOUT_THE_SUBJECT, ORDINARY

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

Kind = Literal["risk", "harm", "subject", "distress", "ordinary"]
"""Somebody at risk; a request to harm that names nobody at risk; self-harm as a subject; low mood; all else."""

FOLDER = Path(__file__).resolve().parent / "safety_sentences"
RISKY = ("self", "other", "method", "poison")
REPORTED = ("last", "sixth_en", "eighth", "ninth", "tenth", "eleventh", "twelfth")
"""Rounds that nothing is made from."""
FRAGMENTS = 150
"""Sentences made from each frame of the fragments."""
_LABELLED: dict[str, Kind] = {"crisis": "risk", "emergency": "risk", "refuse": "risk", "refuse_or_crisis": "harm"}
_HARMLESS: dict[str, Kind] = {"distress_no_risk": "distress", "informational_about_suicide": "subject"}
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled text. `group` keeps a text, its translations, its mixtures and its harmless twin in one fold."""

    text: str
    kind: Kind
    origin: str
    language: str
    group: str
    other: bool | None = None
    weight: float = 1.0

    @property
    def risk(self) -> bool:
        """Whether somebody in it is at risk."""
        return self.kind == "risk"


def corpus(shared: Path, draw: random.Random) -> list[Example]:
    """What both learn from."""
    own = [*sentences(), *messages("registers"), *messages("posts")]
    rest = [*rounds(), *rule_examples(), *labelled(shared), *questions(shared)]
    return [*own, *rest, *mixtures(own, draw), *fragments(draw)]


def sentences() -> Iterator[Example]:
    """The first sentences written for this purpose; those of the other languages are parallel to each other."""
    for path in sorted(FOLDER.glob("*.toml")):
        if path.stem != "fragments":
            for section, texts in tomllib.loads(path.read_text(encoding="utf-8")).items():
                for number, text in enumerate(texts):
                    group = f"{section} {number if path.stem != 'en' else text}"
                    yield _of_section(text, section, "sentences", path.stem, group)


def messages(folder: str) -> Iterator[Example]:
    """The later ones, one a line: in many registers and voices, roundabout ones, long posts with harmless twins."""
    for path in sorted((FOLDER / folder).glob("*.toml")):
        language = path.stem.partition(".")[0]
        for section, lines in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for text in lines.strip().splitlines():
                group = " ".join(text.split()[:4]) if folder in ("posts", "voices") else text
                yield _of_section(text, section, folder, language, group)


def _of_section(text: str, section: str, origin: str, language: str, group: str) -> Example:
    if section in RISKY:
        return Example(text, "risk", origin, language, group, section == "other")
    kinds: dict[str, Kind] = {"subject": "subject", "distress": "distress", "ordinary": "ordinary"}
    return Example(text, kinds.get(section) or _harmless(text), origin, language, group)


def _harmless(text: str) -> Kind:
    """What a harmless text of no stated kind is: about the subject where the rules find more than nothing."""
    return "ordinary" if isinstance(by_rules(text), Clear) else "subject"


def rounds() -> Iterator[Example]:
    """The sentences of the rounds that the rules were widened by, without those that are for reporting only."""
    for path in sorted((FOLDER / "rounds").glob("*.toml")):
        if path.stem in REPORTED:
            continue
        for language, kinds in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for kind, texts in kinds.items():
                for text in texts:
                    yield Example(text, "risk" if kind == "risk" else _harmless(text), "rounds", language, text)


def rule_examples() -> Iterator[Example]:
    """What the rule files and the tests hold to a level."""
    for language in read_languages():
        name = language.language
        for rule in language.rules:
            if ".wider" in rule.id:
                continue
            if rule.level != "violence":
                kind: Kind = "risk" if rule.level == "self_harm" else "subject"
                about = rule.id.startswith("other.") if kind == "risk" else None
                for text in rule.examples:
                    yield Example(text, kind, "rules", name, rule.id, about)
            for text in rule.counterexamples:
                if not isinstance(by_rules(text), SelfHarm):
                    yield Example(text, _harmless(text), "rules", name, rule.id)
        if language.hints:
            for text in language.hints.examples:
                yield Example(text, "risk", "rules", name, text, other=False)
            for text in language.hints.counterexamples:
                yield Example(text, _harmless(text), "rules", name, text)
    for text in ORDINARY:
        yield Example(text, "ordinary", "ordinary", "en", text)
    for text in ABOUT_THE_SUBJECT:
        yield Example(text, "subject", "ordinary", "en", text)


def labelled(shared: Path) -> Iterator[Example]:
    """The labelled messages that may be read, less those whose label is soft."""
    for line in (shared / "data" / "safety" / "messages.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if seen(one) and one["expect"] != "soft":
            kind = _LABELLED.get(one["expect"]) or _HARMLESS.get(one["label"], "ordinary")
            yield Example(one["text"], kind, "labelled", one["lang"], str(one["group"] or one["id"]))


def questions(shared: Path) -> Iterator[Example]:
    """Questions of public sets: nobody is at risk in them, and there are many."""
    data = shared / "data"
    found: list[str] = []
    for name in ("retrieval_eval/queries", "unanswerable/questions", "scifact/queries", "pubmedqa/queries"):
        lines = (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found.extend(json.loads(line)["text"] for line in lines)
    for name in ("conversations", "medquad_followups"):
        lines = (data / "multiturn" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found.extend(turn["user"] for line in lines for turn in json.loads(line)["turns"])
    lines = (data / "multiturn" / "mtrag_un_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    found.extend(turn["text"] for line in lines for turn in json.loads(line)["input"] if turn["speaker"] == "user")
    for text in dict.fromkeys(found):
        if not isinstance(by_rules(text), SelfHarm):
            yield Example(text, _harmless(text), "questions", "en", text, weight=0.5)


def mixtures(own: Sequence[Example], draw: random.Random) -> Iterator[Example]:
    """Two texts in one message: as grave as the first, however ordinary the second; half as heavy."""
    for one in own:
        if one.origin == "posts":
            continue
        mate = draw.choice([mate for mate in own if mate.language == one.language and mate.kind in _CALM])
        first, second = (one.text, mate.text) if draw.random() < 0.5 else (mate.text, one.text)
        text = f"{first.rstrip('.')}. {second}"
        yield Example(text, one.kind, "mixtures", one.language, one.group, one.other, weight=0.5)


def amid(own: Sequence[Example], draw: random.Random) -> Iterator[Example]:
    """Some texts in the midst of calm ones that have nothing to do with them, as grave as alone; half as heavy."""
    calm = [one for one in own if one.kind in _CALM and len(one.text) <= _SHORT]
    for one in draw.sample([one for one in own if len(one.text) <= _SHORT], len(own) // _AMID):
        mates = [mate for mate in calm if mate.language == one.language]
        parts = [mate.text for mate in draw.sample(mates, draw.randint(2, 4))]
        parts.insert(draw.randint(0, len(parts)), one.text)
        text = ". ".join(part.rstrip(". ") for part in parts)
        yield Example(text, one.kind, "amid", one.language, one.group, one.other, weight=0.5)


_CALM = ("ordinary", "distress")
_SHORT, _AMID = 200, 10
"""Characters of those that are joined, and one in how many is."""


def fragments(draw: random.Random) -> Iterator[Example]:
    """Sentences joined from fragments, a fifth as heavy: they teach which parts matter."""
    read = tomllib.loads((FOLDER / "fragments.toml").read_text(encoding="utf-8"))
    for number, frame in enumerate(read["frames"]):
        made = {_joined(frame["text"], read["lists"], draw) for _ in range(FRAGMENTS)}
        for text in sorted(made):
            other = frame.get("other", False) if frame["risk"] else None
            kind: Kind = "risk" if frame["risk"] else "subject" if "{topic}" in frame["text"] else "ordinary"
            yield Example(text, kind, "fragments", "en", f"frame {number}", other, weight=0.2)


def _joined(frame: str, lists: dict[str, list[str]], draw: random.Random) -> str:
    while _SLOT.search(frame):
        frame = _SLOT.sub(lambda slot: draw.choice(lists[slot[1]]), frame)
    return re.sub(r" +([.?]|$)", r"\1", " ".join(frame.split()))
