"""That the measurements still run, on a handful of passages; what they find there says nothing about the product."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memory.turn import TurnKind
from scripts.public_sets import Question
from tests.bench import followups, ingest, quality, refusal, scale, speed, support
from tests.bench.__main__ import PAGES, PARTS, RESULTS
from tests.bench.alterations import altered, rendered
from tests.bench.many import stretches
from tests.bench.report import Goal, goals, put
from tests.bench.sets import Sets
from tests.bench.stacks import STACKS
from tests.bench.timing import WARM, by_turns

if TYPE_CHECKING:
    from pathlib import Path

FACTS = {
    "asthma": "Asthma narrows the airways of the lungs. An inhaler opens them within minutes. Smoke makes it worse.",
    "gout": "Gout is caused by crystals of uric acid in a joint. The big toe swells at night. Beer makes it worse.",
    "measles": "Measles is a virus that spreads by coughing. A rash follows the fever. Two doses of vaccine protect.",
}


@pytest.fixture
def sets(tmp_path: Path) -> Sets:
    """Every file that the measurements read, with three documents in each set."""
    data = tmp_path / "data"

    def write(path: str, *rows: object) -> None:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (data / path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    for name in ("scifact", "pubmedqa"):
        write(f"{name}/corpus.jsonl", *({"_id": key, "title": key, "text": text} for key, text in FACTS.items()))
        write(f"{name}/queries.jsonl", *({"_id": key, "text": f"What makes {key} worse?"} for key in FACTS))
        write(f"{name}/qrels/test.tsv", "query-id\tcorpus-id\tscore", *(f"{key}\t{key}\t1" for key in FACTS))
    for key, text in FACTS.items():
        write(f"corpus/docs/{key}-page.md", f"# All about {key}", "", text)
    write("corpus/sections.jsonl", *({"section_id": key, "heading": key, "doc_id": key} for key in FACTS))
    asked = [
        {"qid": key, "class": "answerable", "text": f"My {key} is bad, why?", "summary": f"Cause of {key}?"}
        for key in FACTS
    ]
    write("retrieval_eval/queries.jsonl", *asked)
    write(
        "retrieval_eval/qrels_docs.tsv", "qid\titer\tdoc_id\trel\tsplit", *(f"{key}\t0\t{key}\t3\t-" for key in FACTS)
    )
    write("unanswerable/questions.jsonl", {"kind": "other_domain", "id": "u1", "text": "How do I reset my router?"})
    write("multiturn/medquad_followups.jsonl")
    write("multiturn/conversations.jsonl")
    return Sets(data, tmp_path / "homes")


async def test_quality_is_measured_at_every_stage(sets: Sets) -> None:
    every, _, declined, reached = await quality.measured(sets)
    scifact = {row[1]: row[3:] for row in every.rows[: len(quality.STAGES)]}
    assert list(scifact) == list(quality.STAGES)
    assert scifact["reranked"] == ("1.000", "1.000", "1.000", "1.000")
    assert declined.rows[-1][:3] == ("unanswerable, together", "1", "100.0%")
    assert reached.rows[0][1:] == ("1.0000", "yes")


async def test_refusal_is_measured_by_how_whole_turns_end(sets: Sets) -> None:
    every, _, _ = await refusal.measured(sets)
    rows = {row[0]: row[1:] for row in every.rows}
    assert rows["unanswerable"] == rows["- other domain"] == ("1", "0", "1", "0")
    assert sum(map(int, rows["answerable"][1:])) == int(rows["answerable"][0]) == 6


def test_only_a_decline_is_a_refusal_and_both_figures_are_shares_of_the_right_whole() -> None:
    with_answer, without = (Question("text", "q", "?", answerable) for answerable in (True, False))
    ends = [
        (without, TurnKind.UNGROUNDED, 3),
        (without, TurnKind.FACT, 1),
        (without, TurnKind.ERROR, 1),
        (with_answer, TurnKind.UNGROUNDED, 1),
        (with_answer, TurnKind.FACT, 9),
    ]
    asked = [refusal.Asked(question, kind) for question, kind, times in ends for _ in range(times)]
    assert refusal.precision_and_recall(asked) == (3 / 4, 3 / 5)
    assert [goal.met for goal in refusal.reached(asked, asked)] == [False, False]


async def test_speed_is_measured_beside_what_is_installed(sets: Sets) -> None:
    times, stages, quality_, compared, _ = await speed.measured(sets, 9)
    there = {stack.name for stack in STACKS if stack.versions()}
    assert {row[0] for row in times.rows} == {
        *(speed.WHOLE, speed.ALONE, speed.FUSED, speed.WORDS, speed.EMBED),
        *there,
    }
    assert {"embed (all-MiniLM-L6-v2)", "search (sqlite)", "grade (fitted)"} <= {row[0] for row in stages.rows}
    assert quality_.rows[0] == (speed.WHOLE, "1.000", "1.000")
    assert {row[0] for row in compared.rows} == {stack.name for stack in STACKS}


async def test_growth_is_measured_from_one_size_to_another(sets: Sets) -> None:
    times, memory, reached = await scale.measured(sets, 6, 9)
    assert [row[0] for row in times.rows] == list(scale.MODES)
    assert [row[0] for row in memory.rows] == ["6", "9"]
    assert "1.5 times as many" in reached.rows[0][0]


async def test_ingest_is_measured_to_the_last_step(sets: Sets) -> None:
    table, reached = await ingest.measured(sets, 2)
    assert table.title == "3 documents, 3 sections, 3 passages"
    assert reached.rows[0][2] == "yes"


async def test_follow_ups_are_measured_in_both_halves(sets: Sets) -> None:
    turns = [
        {"user": "What is gout?", "rewrite": "What is gout?", "gold_sections": ["gout"]},
        {"user": "what makes it worse?", "rewrite": "What makes gout worse?", "gold_sections": ["gout"]},
        {"user": "What is asthma?", "rewrite": "What is asthma?", "gold_sections": ["asthma"]},
    ]
    rows = [json.dumps({"conv_id": id_, "turns": turns}) for id_ in "abcdefgh"]
    for name in (followups.MEASURED, followups.REAL):
        (sets.data / "multiturn" / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    recall, alone, reached = await followups.measured(sets)
    assert [row[2:] for row in recall.rows] == [("1.000", "1.000", "1.000", "1.000")] * 2
    assert {row[-1] for row in alone.rows} == {"0.0%"}
    assert reached.rows[0][1:] == ("100.0%", "yes")


async def test_what_is_shown_and_lost_is_measured_on_either_half(sets: Sets) -> None:
    every = {"corpus": 1, "ingest_docs": 1, "scifact": 1, "pubmedqa": 1}
    for seen in (True, False):
        *_, reached = await support.measured(sets, seen=seen, taken=every)
        assert [row[2] for row in reached.rows] == ["yes", "yes", "yes"]


def test_a_sentence_is_altered_and_rendered_in_each_way_it_has_a_place_for() -> None:
    sentence = "If you have gout, you should not take more than 5 mg for 2 to 4 weeks."
    assert dict(altered(sentence))["limit turned round"] == sentence.replace("more", "less")
    assert {"another number", "another unit", "not left out, plain", "range run together"} <= dict(
        altered(sentence)
    ).keys()
    assert dict(rendered(sentence, "Gout"))["contracted"] == sentence.replace("should not", "shouldn't")
    assert all(text != sentence for _, text in altered(sentence))


async def test_each_question_is_put_to_every_search_in_no_fixed_order() -> None:
    asked: list[tuple[str, str]] = []

    async def one(question: str) -> None:
        asked.append(("one", question))

    async def other(question: str) -> None:
        asked.append(("other", question))

    questions = [str(number) for number in range(9)]
    times = await by_turns({"one": one, "other": other}, questions)
    assert {name for name, _ in asked[::2]} == {"one", "other"}
    assert [question for _, question in asked[2 * WARM :: 2]] == questions
    assert all(len(each.wall) == len(each.processor) == len(questions) for each in times.values())


def test_no_stretch_is_given_twice() -> None:
    texts = [" ".join(f"{key} {number}." for number in range(9)) for key in "ab"]
    found = list(stretches(texts))
    assert len({text for _, text in found}) == len(found)
    assert all(text in texts[source] and text != texts[source] for source, text in found)


def test_a_part_fills_its_own_place_and_leaves_the_rest() -> None:
    document = "a\n<!-- one: begin -->\nold\n<!-- one: end -->\nb\n<!-- two: begin -->\n<!-- two: end -->\n"
    once = put(document, "one", "new")
    assert once == document.replace("old\n", "\nnew\n\n")
    assert put(once, "one", "new") == once
    with pytest.raises(ValueError, match="No place for 'three'"):
        put(document, "three", "new")


def test_the_results_have_a_place_for_every_part() -> None:
    pages = {part: PAGES.get(part, RESULTS).read_text(encoding="utf-8") for part in PARTS}
    assert all(put(page, part, "new") for part, page in pages.items())


def test_a_goal_that_is_missed_is_said_so() -> None:
    table = goals([Goal("under 30 ms", "40 ms", met=False)])
    assert table.markdown().endswith("| under 30 ms | 40 ms | **no** |")
