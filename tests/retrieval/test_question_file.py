"""Questions are read from our own form and from public sets, and a fault names its line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.question_file import BadQuestions, Question, read_all, read_questions

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, *rows: dict[str, Any] | str, name: str = "questions.jsonl") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def judged(folder: Path, *rows: tuple[str, ...], name: str, head: tuple[str, ...]) -> None:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join("\t".join(row) + "\n" for row in (head, *rows)), encoding="utf-8")


def test_our_own_form(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {"id": "q1", "text": " When is it open? ", "relevant": {"flu.md": 3, "hours.md": 1}},
        {"id": 2, "text": "Where?", "relevant": ["flu.md"], "answerable": True},
        {"text": "What is the capital of Peru?", "answerable": False},
    )
    assert read_questions(file) == [
        Question("q1", "When is it open?", {"flu.md": 3, "hours.md": 1}, f"{file}:1"),
        Question("2", "Where?", {"flu.md": 1}, f"{file}:2"),
        Question(f"{file}:3", "What is the capital of Peru?", {}, f"{file}:3"),
    ]


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('\ufeff{"text": "Where?", "relevant": ["a"]}\n\n', encoding="utf-8")
    assert len(read_questions(file)) == 1


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, inside: str) -> None:
    text = f"Where{inside}is it?"
    rows = [json.dumps({"text": text, "answerable": False}, ensure_ascii=False)] * 2
    file = tmp_path / "questions.jsonl"
    file.write_bytes("\r\n".join(rows).encode())
    assert [(one.text, one.where) for one in read_questions(file)] == [(text, f"{file}:1"), (text, f"{file}:2")]


def test_a_name_in_the_judgements_may_hold_what_other_programs_break_lines_at(tmp_path: Path) -> None:
    name = "flu\u2028clinic"
    file = written(tmp_path, {"_id": "1", "text": "Where?"}, name="queries.jsonl")
    head = ("query-id", "corpus-id", "score")
    judged(tmp_path, ("1", name, "1"), name="qrels/test.tsv", head=head)
    assert read_questions(file)[0].grades == {name: 1}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ({"text": "Where?"}, 'say "answerable": false'),
        ({"text": "Where?", "relevant": []}, 'no document under "relevant"'),
        ({"text": "Where?", "relevant": ["a"], "answerable": False}, 'documents under "relevant"'),
        ({"text": "Where?", "answerable": True}, 'no document under "relevant"'),
        ({"text": " ", "answerable": False}, "text: "),
        ({"text": "Where?", "relevant": {"a": 4}}, "relevant.a: a grade is 1, 2 or 3"),
        ({"text": "Where?", "relevant": {"a": 1e308}}, "relevant.a: a grade is 1, 2 or 3"),
        (
            {"text": "Where?", "relevant": "a"},
            'relevant: write the documents as a list, ["a"], or with grades, {"a": 3}',
        ),
        ({"text": "Where?", "relevant": [1]}, "relevant: write the documents as a list"),
        ({"text": "Where?", "relevent": ["a"]}, "relevent: no such field"),
        ({"question": "Where?", "relevant": ["a"]}, "text: it is missing"),
    ],
)
def test_a_fault_names_its_line_and_what_to_mend(tmp_path: Path, row: dict[str, Any] | str, said: str) -> None:
    file = written(tmp_path, {"text": "Fine?", "answerable": False}, row)
    with pytest.raises(BadQuestions) as caught:
        read_questions(file)
    assert f"{file}:2: " in str(caught.value)
    assert said in str(caught.value)


def test_judged_questions_are_answered_by_what_is_judged_2_or_better(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "qid": "A",
        "class": "answerable",
        "text": "long",
        "summary": "short",
        "paraphrase": None,
        "foci": [],
    }
    file = written(
        tmp_path,
        row,
        row | {"qid": "B", "class": "partly_answerable", "text": "other"},
        row | {"qid": "C", "class": "related_only"},
        row | {"qid": "D"},
        name="queries.jsonl",
    )
    judgements = ("A", "0", "D1", "3", "open"), ("A", "0", "D2", "1", "open"), ("B", "0", "D2", "2", "open")
    related = ("C", "0", "D9", "2", "open"), ("D", "0", "D1", "1", "open")
    judged(tmp_path, *judgements, *related, name="qrels_docs.tsv", head=("qid", "iter", "doc_id", "rel", "doc_split"))
    assert [(one.id, one.text, dict(one.grades)) for one in read_questions(file)] == [
        ("A", "long", {"D1": 3}),
        ("B", "other", {"D2": 2}),
    ]
    assert [one.text for one in read_questions(tmp_path, wording="summary")] == ["short", "short"]
    with pytest.raises(BadQuestions, match="holds no question"):
        read_questions(file, wording="paraphrase")


def test_a_set_of_the_beir_form_is_read_from_its_folder(tmp_path: Path) -> None:
    written(tmp_path, {"_id": "1", "text": "claim"}, {"_id": "2", "text": "unjudged"}, name="queries.jsonl")
    judged(tmp_path, ("1", "77", "1"), ("1", "78", "0"), name="qrels/test.tsv", head=("query-id", "corpus-id", "score"))
    (question,) = read_questions(tmp_path)
    assert (question.id, question.text, question.grades) == ("1", "claim", {"77": 1})


def test_questions_without_an_answer_and_facts_to_find_are_told_by_their_fields(tmp_path: Path) -> None:
    none = {"id": "U", "kind": "absent_drug", "text": "Dose?", "certainty": "high", "entity": "x", "fact": "dose"}
    fact = {"file": "guide.pdf", "question": "How many days?", "must_contain": ["28 days"], "page": 33}
    boilerplate = {"file": "page.html", "question": None, "must_not_contain": ["cookies"]}
    found = read_questions(written(tmp_path, none, fact, boilerplate))
    assert [(one.text, one.answerable, dict(one.grades)) for one in found] == [
        ("Dose?", False, {}),
        ("How many days?", True, {"guide.pdf": 1}),
    ]


def test_what_was_marked_down_is_asked_and_judged_once_someone_says_what_is_right(tmp_path: Path) -> None:
    case = {"id": "t1", "text": "When is it open?", "wrong": ["flu.md"]}
    file = written(
        tmp_path,
        case,
        case | {"id": "t2", "wrong": []},
        case | {"id": "t3", "relevant": ["hours.md"]},
        case | {"id": "t4", "answerable": False},
    )
    found = [(one.id, one.judged, one.answerable, dict(one.grades)) for one in read_questions(file)]
    assert found == [
        ("t1", False, None, {}),
        ("t2", False, None, {}),
        ("t3", True, True, {"hours.md": 1}),
        ("t4", True, False, {}),
    ]


@pytest.mark.parametrize("row", [("A", "0", "D1", "good", "open"), ("A", "0")])
def test_a_bad_judgement_names_its_line(tmp_path: Path, row: tuple[str, ...]) -> None:
    file = written(tmp_path, {"qid": "A", "class": "answerable", "text": "long"}, name="queries.jsonl")
    judged(tmp_path, row, name="qrels_docs.tsv", head=("qid", "iter", "doc_id", "rel", "doc_split"))
    with pytest.raises(BadQuestions, match=r"qrels_docs\.tsv:2: .*qid, doc_id and rel"):
        read_questions(file)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b"caf\xe9")
    with pytest.raises(BadQuestions, match="not UTF-8"):
        read_questions(tmp_path / "latin.jsonl")
    with pytest.raises(BadQuestions, match="holds no file of questions"):
        read_questions(tmp_path)
    written(tmp_path, {"_id": "1", "text": "claim"}, name="queries.jsonl")
    with pytest.raises(BadQuestions, match=r"test\.tsv cannot be read"):
        read_questions(tmp_path)


@pytest.mark.parametrize(
    ("folder", "answerable", "unanswerable"), [("retrieval_eval", 81, 0), ("unanswerable", 0, 148), ("scifact", 300, 0)]
)
def test_the_public_sets_are_read_as_they_lie(shared: Path, folder: str, answerable: int, unanswerable: int) -> None:
    found = read_questions(shared / "data" / folder)
    assert sum(one.answerable is True for one in found) == answerable
    assert sum(one.answerable is False for one in found) == unanswerable


def test_nesting_without_end_is_no_json(tmp_path: Path) -> None:
    with pytest.raises(BadQuestions, match=r":1: this line is no JSON"):
        read_questions(written(tmp_path, "[" * 100_000))


def test_two_lines_with_one_id_are_refused_with_the_places_of_both(tmp_path: Path) -> None:
    rows = [{"id": id_, "text": "Where?", "answerable": False} for id_ in ("a", "b", "a")]
    file = written(tmp_path, *rows)
    with pytest.raises(BadQuestions, match=f"{re.escape(str(file))}:3: .*'a'.*{re.escape(str(file))}:1"):
        read_all([file])
    assert len(read_all([written(tmp_path, *rows[:2])])) == 2


def test_a_file_given_twice_is_refused_however_it_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, {"text": "Where?", "answerable": False}, name="questions.jsonl")
    for again in (file, tmp_path, tmp_path / ".." / tmp_path.name / "questions.jsonl"):
        with pytest.raises(BadQuestions, match="given twice"):
            read_all([file, again])
