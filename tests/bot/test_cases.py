from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.cases import added, case
from memory.reports import MarkedDown
from memory.turn import TurnKind
from retrieval.question_file import read_questions
from tests.memory.histories import NOON

if TYPE_CHECKING:
    from pathlib import Path

ANSWERED = MarkedDown("t1", "When is it open?", TurnKind.FACT, NOON, ("public/flu.md#3", "public/flu.md#4", "b.md#1"))
DECLINED = MarkedDown("t2", "Is there parking? I am jo@a.example", TurnKind.UNGROUNDED, NOON, ())


def test_a_case_names_the_documents_that_the_answer_came_from_once() -> None:
    assert case(ANSWERED) == {"id": "t1", "text": "When is it open?", "wrong": ["public/flu.md", "b.md"]}


def test_a_case_of_a_decline_names_none_and_hides_who_asked() -> None:
    assert case(DECLINED) == {"id": "t2", "text": "Is there parking? I am [e-mail]", "wrong": []}


def test_what_a_person_wrote_beside_a_case_stays_and_each_is_added_once(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    judged = json.dumps(case(ANSWERED) | {"relevant": ["hours.md"]})
    text, count = added(judged, [case(ANSWERED), case(DECLINED)])
    assert (text.splitlines()[0], count) == (judged, 1)
    assert added(text, [case(ANSWERED), case(DECLINED)]) == (text, 0)
    file.write_text(text, encoding="utf-8")
    first, second = read_questions(file)
    assert (first.id, first.answerable, dict(first.grades)) == ("t1", True, {"hours.md": 1})
    assert (second.id, second.answerable, second.judged) == ("t2", None, False)


def test_lines_of_others_are_left_as_they_are() -> None:
    others = 'no json\n["a"]\n{"text": "x"}\n'
    assert added(others, [case(DECLINED)]) == (others + json.dumps(case(DECLINED)) + "\n", 1)
