"""The second layer of the gate: what it adds, that it never takes away, and that a broken file leaves the rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib import resources
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.safety import Clear, SelfHarm, Violence, assess, by_classifier, by_rules, graver
from bot.safety_classifier import STRETCHES, Classifier, Linear, bundled, packed, unpacked
from bot.safety_features import APART, BUCKETS, Features, WordClasses
from tests.bot.ordinary_messages import ABOUT_THE_SUBJECT, ORDINARY

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = sorted((ROOT / "scripts" / "safety_sentences").glob("*.toml"))
LATER = [path for path in SENTENCES[0].parent.glob("*/*.toml") if path.parent.name in {"registers", "posts"}]
NO_CLASSES = WordClasses(np.empty(0, np.uint32), np.empty(0, np.uint16))
WINDOW = STRETCHES[0][0]
SAID = ["sky", "sea", "sun", "tree"]
RISKY = ("self", "other", "method", "poison")


def sentences(*sections: str) -> list[str]:
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in SENTENCES]
    return [text for file in files for section in sections for text in file.get(section, [])]


def later(*sections: str) -> list[str]:
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in LATER]
    return [text for file in files for section in sections for text in file.get(section, "").strip().splitlines()]


def weights(words: tuple[str, ...], worth: float) -> Linear:
    found = np.zeros(BUCKETS, np.float32)
    for word in words:
        found[Features.of([word], NO_CLASSES).bucket] = worth
    return Linear(found, -0.1)


def trained(*risky: str, threshold: float = 1.0, other: str = "", subject: str = "") -> Classifier:
    """A classifier for which each of these words is worth much; `other` speaks of somebody else."""
    others, subjects = (weights((word,) if word else (), 5) for word in (other, subject))
    values = np.ones(BUCKETS, np.float32)
    return Classifier(NO_CLASSES, values, weights(risky, 5), subjects, others, threshold, threshold, 0.5)


def test_a_word_with_weight_is_found_wherever_it_stands() -> None:
    one = trained("blue")
    for at in range(len(SAID) + 1):
        assert one.find([*SAID[:at], "blue", *SAID[at:]]) == "self.classifier"
    assert one.find(SAID) is None


def test_what_is_shorter_than_four_words_says_too_little_to_it() -> None:
    one = trained("blue", threshold=0.1)
    assert one.find(["sky", "sea", "blue"]) is None
    assert one.find(["sky", "sea", "sun", "blue"]) == "self.classifier"


def test_a_long_message_is_as_grave_as_its_gravest_stretch() -> None:
    one, filler = trained("blue", threshold=0.2), [f"sky{number}" for number in range(20 * WINDOW)]
    for at in (0, 7, WINDOW, 11 * WINDOW + 3, len(filler)):
        assert one.find([*filler[:at], "blue", *filler[at:]]) == "self.classifier"


def test_sentence_ends_count_for_nothing() -> None:
    one = trained("blue")
    assert one.find(["\n", *SAID, "\n", "blue", "\n", "\n"]) == one.find([*SAID, "blue"]) == "self.classifier"


def test_no_words_are_no_risk() -> None:
    assert trained("blue").find([]) is None
    assert by_classifier("") == Clear()


def test_it_says_whether_the_message_is_about_somebody_else() -> None:
    one = trained("blue", other="friend")
    assert one.find([*SAID, "friend", "blue"]) == "other.classifier"
    assert one.find([*SAID, "me", "blue"]) == "self.classifier"


def test_a_message_about_the_subject_is_a_mention_and_never_more() -> None:
    one = trained("blue", subject="green")
    assert one.find([*SAID, "green"]) == "mention.classifier"
    assert one.find([*SAID, "green", "blue"]) == "self.classifier"


def test_a_language_without_word_classes_has_a_threshold_of_its_own() -> None:
    hashes = np.sort(np.array([crc32(word.encode()) for word in (*SAID, "blue")], np.uint32))
    classes = WordClasses(hashes, np.arange(len(hashes), dtype=np.uint16))
    one = replace(trained("blue", threshold=100.0), classes=classes, elsewhere_from=0.0)
    assert one.find([*SAID, "blue"]) is None
    assert one.find(["himmel", "meer", "sonne", "blue"]) == "self.classifier"


def test_words_of_one_class_are_read_as_the_same() -> None:
    hashes = np.sort(np.array([crc32(word.encode()) for word in ("pills", "tablets")], np.uint32))
    classes = WordClasses(hashes, np.zeros(2, np.uint16))
    one, two = (set(Features.of(["my", word], classes).bucket.tolist()) for word in ("pills", "tablets"))
    alone, other = (set(Features.of(["my", word], NO_CLASSES).bucket.tolist()) for word in ("pills", "tablets"))
    assert len(one & two) > len(alone & other)


def test_order_is_read_not_only_words() -> None:
    found = [set(Features.of(words, NO_CLASSES).bucket.tolist()) for words in (["a", "b"], ["b", "a"])]
    assert found[0] != found[1]


def test_what_is_repeated_counts_again_only_far_away() -> None:
    near = Features.of(["blue", *["sky"] * (APART - 2), "blue"], NO_CLASSES)
    far = Features.of(["blue", *["sky"] * APART, "blue"], NO_CLASSES)
    first = Features.of(["blue"], NO_CLASSES).bucket[0]
    assert (near.bucket == first).sum() == 1
    assert (far.bucket == first).sum() == 2


def test_a_weights_file_gives_back_the_classifier_it_was_made_of() -> None:
    one = trained("blue", "green", other="friend")
    read = unpacked(packed(one))
    assert read.risk_from == pytest.approx(one.risk_from)
    for words in (["blue"], ["friend", "green"], ["sky"]):
        assert read.find([*SAID, *words]) == one.find([*SAID, *words])


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"[1, 2]", packed(trained("blue"))[:-200]])
def test_what_is_no_weights_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a weights file"):
        unpacked(data)


def test_without_its_weights_the_gate_stands_on_the_rules(tmp_path: Path) -> None:
    """In a process of its own, on the package as it is where the weights file is gone."""
    shutil.copytree(ROOT / "bot", tmp_path / "bot", ignore=shutil.ignore_patterns("*.npz", "__pycache__"))
    script = "import sys; from bot.safety import assess; [print(assess(line.strip())) for line in sys.stdin]"
    ran = subprocess.run(
        [sys.executable, "-c", script],
        input="I want to die\nWhen is the flu clinic open?\n",
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    risky, harmless = ran.stdout.splitlines()
    assert risky.startswith("SelfHarm(")
    assert harmless.startswith("Clear(")
    assert ran.stderr.count("rules alone") == 1
    assert "want to die" not in ran.stderr


def test_the_shipped_weights_are_there_and_small() -> None:
    assert bundled() is not None
    assert len(resources.files("bot").joinpath("data", "safety_classifier.npz").read_bytes()) < 1_000_000


def test_it_finds_sentences_that_the_rules_miss() -> None:
    missed = [text for text in sentences(*RISKY) if not isinstance(by_rules(text), SelfHarm)]
    added = [text for text in missed if isinstance(assess(text), SelfHarm)]
    assert len(added) >= 10


def test_it_finds_many_of_the_later_sentences_and_posts_and_leaves_their_harmless_twins() -> None:
    risky, harmless = later(*RISKY), later("harmless", "distress", "subject", "ordinary")
    assert sum(isinstance(by_classifier(text), SelfHarm) for text in risky) / len(risky) > 0.35
    assert sum(isinstance(by_classifier(text), SelfHarm) for text in harmless) / len(harmless) < 0.01


def test_both_together_find_nearly_every_sentence_that_they_were_made_from() -> None:
    risky = sentences(*RISKY)
    assert sum(isinstance(assess(text), SelfHarm) for text in risky) / len(risky) > 0.94


@pytest.mark.parametrize("text", ORDINARY)
def test_it_raises_nothing_that_people_say_on_an_ordinary_day(text: str) -> None:
    assert by_classifier(text) == Clear()


@pytest.mark.parametrize("text", ABOUT_THE_SUBJECT)
def test_it_takes_no_question_about_the_subject_for_a_person_at_risk(text: str) -> None:
    assert not isinstance(by_classifier(text), SelfHarm)


def test_it_seldom_raises_idioms_low_mood_and_the_subject_in_any_language() -> None:
    harmless = sentences("ordinary", "distress", "subject")
    assert sum(isinstance(assess(text), SelfHarm) for text in harmless) / len(harmless) < 0.005


@given(st.sampled_from(sentences(*RISKY)), st.data())
def test_case_invisible_characters_and_spacing_change_nothing(text: str, data: st.DataObject) -> None:
    hidden = data.draw(st.sampled_from(["\u200b", "\u2060", "\ufeff", "\u00ad"]))
    at = data.draw(st.integers(0, len(text)))
    spaced = data.draw(st.sampled_from([" ", "  ", "\t"])).join((text[:at] + hidden + text[at:]).split(" "))
    around = data.draw(st.sampled_from(["", " ", "\n\n", " \n"]))
    assert by_classifier(f"{around}{spaced}{around}") == by_classifier(text)
    if text.isascii():
        assert by_classifier(text.upper()) == by_classifier(text)


@given(st.text(max_size=200))
def test_it_only_adds(text: str) -> None:
    assert assess(text) == graver(by_rules(text), by_classifier(text))


def test_a_threat_that_the_rules_found_stays_one() -> None:
    assert isinstance(by_rules("Comment convaincre quelqu'un de se suicider ?"), Violence)
    assert isinstance(assess("Comment convaincre quelqu'un de se suicider ?"), Violence)


@pytest.mark.parametrize(
    "text", ["hi", "hello", "ok thanks", "hi there", "yes", "no", "you too", "why why", "good morning"]
)
def test_a_greeting_is_no_risk(text: str) -> None:
    assert assess(text) == Clear()


@pytest.mark.parametrize("word", ["why", "help", "no", "please", "when", "mum", "tablets", "sorry", "never", "them"])
@pytest.mark.parametrize("times", [2, 30, 5000])
def test_a_word_said_again_and_again_weighs_no_more(word: str, times: int) -> None:
    assert assess(f"{word} " * times) == Clear()
