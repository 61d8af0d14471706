"""The grade: what a signal does to the strength, what is read off a passage, and the leaflets it must hold for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.document import Document, Passage
from retrieval.evidence import Grade, Hit, Query
from retrieval.grade import FITTED, JUDGED, Grader, Model, Signals, signals, wanted_terms
from retrieval.local import LocalEmbedder
from retrieval.ram_index import RamIndex
from retrieval.search import PipelineSettings, Searcher
from retrieval.vectors import fill

if TYPE_CHECKING:
    from collections.abc import Mapping

GOOD = Signals(coverage=1.0, topic=0.8, asked=2.0, unknown=0.0, size=3.0, cosine=0.7)
POOR = Signals(coverage=0.1, topic=0.0, asked=2.0, unknown=0.9, size=3.0, cosine=0.1)

LEAFLETS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Flu clinic": (
        ("When we are open", "The flu clinic is open on Mondays from 9 am to noon, and on Fridays from 2 pm to 5 pm."),
        ("Who can come", "Flu vaccinations are for people over 65, for pregnant people and for carers."),
        ("On the day", "Please stay 15 minutes after your vaccination, so that a nurse is near if you feel faint."),
    ),
    "Visiting our wards": (
        ("Hours", "Visitors are welcome from 3 pm to 8 pm every day. Two visitors at a time, please."),
        ("If you are ill", "Do not visit until 48 hours after your last diarrhoea or vomiting. Ring the ward instead."),
        ("Animals", "Dogs and other pets cannot come in. Guide dogs and other assistance dogs may visit."),
        ("Flowers", "Cut flowers are not allowed on the wards because of allergies."),
    ),
    "Blood tests": (
        ("Before the test", "You may drink water. Do not eat for ten hours if your form says that you must fast."),
        ("Results", "Results are back within three working days. Call the results line after 2 pm."),
    ),
    "Repeat prescriptions": (
        ("How to order", "Order repeat prescriptions on our website or with the slip, not by telephone."),
        ("How long it takes", "A repeat prescription is ready at your pharmacy after two working days."),
    ),
    "Getting here": (
        ("By car", "Parking is free for two hours. Spaces for disabled people are beside the entrance."),
        ("By bus", "Buses 4 and 11 stop outside the clinic."),
    ),
}
ANSWERED = [
    "When is the flu clinic open?",
    "Can I bring my dog to visit?",
    "what should i do if i have diarrhoea before visiting",
    "Is parking free?",
    "How long does a repeat prescription take?",
    "Do I have to fast before a blood test?",
    "who can have a flu vaccination",
]
DECLINED = [
    "What is the capital of Peru?",
    "Who won the world cup?",
    "What is the dose of amoxicillin?",
    "How do I bake sourdough bread?",
    "What are the symptoms of measles?",
    "How is psoriasis treated?",
    "Is metformin safe with alcohol?",
]


def hit(text: str, *, title: str = "Leaflet", context: str = "", cosine: float | None = None) -> Hit:
    document = Document("d", title, "/d.md", "public", "hash")
    return Hit(Passage("d#1", "d", 1, text, context, (), (0, len(text))), document, 1.0, 1, 1, cosine=cosine)


def known(question: str, found: Hit, *, total: int = 100, **frequencies: int) -> Signals:
    """The signals where every wanted term stands in 5 of `total` passages unless said otherwise."""
    return signals(question, found, total, dict.fromkeys(wanted_terms(question, [found]), 5) | frequencies)


@pytest.fixture(scope="module")
def grader() -> Grader:
    return Grader.fitted()


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder.minilm()


@pytest.fixture(scope="module")
def leaflets(embedder: LocalEmbedder) -> RamIndex:
    return asyncio.run(indexed(embedder))


async def indexed(embedder: LocalEmbedder) -> RamIndex:
    index = RamIndex()
    for number, (title, parts) in enumerate(LEAFLETS.items()):
        id_ = f"leaflet-{number}"
        passages = [
            Passage(f"{id_}#{n}", id_, n, text, f"From “{title}”, under {heading}.", (heading,), (0, len(text)))
            for n, (heading, text) in enumerate(parts, start=1)
        ]
        await index.replace(Document(id_, title, f"/{id_}.md", "public", "hash"), passages)
    await fill(index, embedder)
    return index


# Models and thresholds


@pytest.mark.parametrize("cosine", [None, 0.5])
def test_good_signals_are_correct_and_poor_ones_incorrect(grader: Grader, cosine: float | None) -> None:
    good, poor = (GOOD, POOR) if cosine is not None else (replace(GOOD, cosine=None), replace(POOR, cosine=None))
    assert grader.grade(grader.strength(good)) is Grade.CORRECT
    assert grader.grade(grader.strength(poor)) is Grade.INCORRECT


@pytest.mark.parametrize("cosine", [None, 0.5])
@pytest.mark.parametrize(("name", "better"), [("coverage", +1), ("topic", +1), ("unknown", -1), ("size", -1)])
def test_each_signal_pulls_the_way_it_should(grader: Grader, name: str, better: int, cosine: float | None) -> None:
    middle = replace(GOOD, coverage=0.6, topic=0.3, unknown=0.3, cosine=cosine)
    raised = replace(middle, **{name: getattr(middle, name) + 0.2})
    assert (grader.strength(raised) - grader.strength(middle)) * better > 0


def test_likeness_in_meaning_makes_evidence_stronger(grader: Grader) -> None:
    assert grader.strength(replace(GOOD, cosine=0.6)) > grader.strength(replace(GOOD, cosine=0.3))


@given(
    drawn=st.builds(
        Signals,
        *[st.floats(0, 1)] * 2,
        st.floats(0, 3),
        st.floats(0, 1),
        st.floats(1, 7),
        st.none() | st.floats(-1, 1),
    )
)
def test_strength_stays_between_nothing_and_one(grader: Grader, drawn: Signals) -> None:
    assert 0.0 <= grader.strength(drawn) <= 1.0


def test_thresholds_part_the_three_grades() -> None:
    model = Model(0.0, {})
    grader = Grader(model, model, evidence=0.4, confident=0.7)
    assert [grader.grade(strength) for strength in (0.0, 0.39, 0.4, 0.69, 0.7, 1.0)] == [
        Grade.INCORRECT,
        Grade.INCORRECT,
        Grade.AMBIGUOUS,
        Grade.AMBIGUOUS,
        Grade.CORRECT,
        Grade.CORRECT,
    ]


def test_a_threshold_of_ones_own_takes_the_place_of_the_fitted_one() -> None:
    assert Grader.fitted(evidence=0.0).grade(0.01) is not Grade.INCORRECT
    assert Grader.fitted(evidence=0.95).grade(0.94) is Grade.INCORRECT
    assert Grader.fitted(evidence=0.95).grade(0.95) is Grade.CORRECT


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Grader.fitted(evidence=threshold)


def test_the_weights_name_signals_that_exist() -> None:
    data = json.loads(FITTED.read_text(encoding="utf-8"))
    names = {field.name for field in fields(Signals)}
    assert set(data["with_vectors"]["weights"]) <= names
    assert set(data["by_words"]["weights"]) <= names - {"cosine"}


def test_the_strongest_of_the_first_hits_stands_for_all(grader: Grader) -> None:
    question, poor, good = "flu clinic hours", hit("Nothing of use."), hit("The flu clinic hours are 9 to 5.")
    frequencies = dict.fromkeys(wanted_terms(question, [poor, good]), 2)
    alone = grader.judge(question, [good], 50, frequencies)
    assert grader.judge(question, [poor, good], 50, frequencies) == alone
    assert grader.judge(question, [*[poor] * JUDGED, good], 50, frequencies).best < alone.best


def test_no_hits_are_incorrect_even_with_no_threshold() -> None:
    verdict = Grader.fitted(evidence=0.0).judge("flu", [], 0, {})
    assert (verdict.grade, verdict.best) == (Grade.INCORRECT, 0.0)


# What is read off a passage


def test_all_words_covered_is_full_coverage_whatever_their_ending() -> None:
    found = known("opening clinics", hit("The clinic opens at nine."))
    assert found.coverage == 1.0


def test_title_and_context_cover_too() -> None:
    found = known("flu vaccine cost", hit("It is free.", title="Flu", context="Under Vaccine."))
    assert found.coverage == pytest.approx(2 / 3)


def test_a_rare_word_missed_weighs_more_than_a_common_one() -> None:
    common = known("amoxicillin clinic", hit("amoxicillin"), clinic=80, amoxicillin=1)
    rare = known("amoxicillin clinic", hit("clinic"), clinic=80, amoxicillin=1)
    assert common.coverage > 0.8 > 0.2 > rare.coverage


def test_words_that_stand_nowhere_are_told_apart_from_words_that_are_only_elsewhere() -> None:
    nowhere = known("amoxicillin", hit("clinic"), amoxicillin=0)
    elsewhere = known("amoxicillin", hit("clinic"), amoxicillin=1)
    assert (nowhere.unknown, elsewhere.unknown) == (1.0, 0.0)
    assert nowhere.coverage == elsewhere.coverage == 0.0


def test_topic_is_the_share_of_the_title_that_the_question_names() -> None:
    assert known("the flu", hit("text", title="Flu clinic")).topic == pytest.approx(0.5)
    assert known("the flu clinic", hit("text", title="Flu clinic")).topic == pytest.approx(1.0)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20), st.integers(1, 10**6))
def test_signals_of_any_texts_stay_in_their_ranges(question: str, text: str, title: str, total: int) -> None:
    found = hit(text, title=title)
    values = asdict(known(question, found, total=max(total, 5)))
    assert all(0.0 <= values[name] <= 1.0 + 1e-9 for name in ("coverage", "topic", "unknown"))
    assert 0.0 <= values["asked"] <= 3.0


# Ten leaflets


@pytest.mark.parametrize("pipeline", [PipelineSettings(), PipelineSettings(hybrid=False)], ids=["hybrid", "words"])
@pytest.mark.parametrize("question", ANSWERED)
async def test_what_the_leaflets_say_is_not_declined(
    leaflets: RamIndex, embedder: LocalEmbedder, grader: Grader, question: str, pipeline: PipelineSettings
) -> None:
    searcher = Searcher(leaflets, embedder, grader, patience=60)
    evidence = await searcher.search(Query(question, question), pipeline=pipeline)
    assert evidence.grade is not Grade.INCORRECT, evidence.best


@pytest.mark.parametrize("pipeline", [PipelineSettings(), PipelineSettings(hybrid=False)], ids=["hybrid", "words"])
@pytest.mark.parametrize("question", DECLINED)
async def test_what_the_leaflets_do_not_say_is_declined(
    leaflets: RamIndex, embedder: LocalEmbedder, grader: Grader, question: str, pipeline: PipelineSettings
) -> None:
    searcher = Searcher(leaflets, embedder, grader, patience=60)
    evidence = await searcher.search(Query(question, question), pipeline=pipeline)
    assert evidence.grade is Grade.INCORRECT, evidence.best


def test_what_a_model_wrote_of_a_passage_is_no_evidence() -> None:
    document = Document("a", "Leaflet", "/a.md", "public", "hash")
    bare = Passage("a#1", "a", 1, "Come on Tuesday.", "From “Leaflet”.", (), (0, 16))
    question, frequencies = "capital of peru", dict.fromkeys(["capit", "peru", "leaflet"], 1)
    plain, placed = (
        Hit(one, document, 1.0, 1, 1) for one in (bare, bare.with_sentence("The capital of Peru is Lima."))
    )
    assert signals(question, placed, 10, frequencies) == signals(question, plain, 10, frequencies)
