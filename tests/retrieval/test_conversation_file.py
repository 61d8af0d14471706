"""Conversations are read from our own form and from public sets, and a fault names its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.conversation_file import Said, Talk, holds_conversations, read_conversations
from retrieval.question_file import BadQuestions

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "When is the flu clinic open?"


def written(folder: Path, *rows: object, name: str = "talks.jsonl") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_our_own_form(tmp_path: Path) -> None:
    follow_up = {"text": "for children?", "rewrite": f"{OPEN[:-1]} for children?", "relevant": ["flu.md#Children"]}
    file = written(tmp_path, {"id": 7, "turns": [{"text": OPEN}, follow_up]}, {"turns": [{"text": "Where?"}]})
    said = (
        Said(OPEN, OPEN, ()),
        Said("for children?", "When is the flu clinic open for children?", ("flu.md#Children",)),
    )
    assert read_conversations([file]) == [
        Talk("7", said, f"{file}:1"),
        Talk(f"{file}:2", (Said("Where?", "Where?", ()),), f"{file}:2"),
    ]
    assert [one.stands_alone for one in said] == [True, False]


def test_a_public_set_with_sections_named_by_their_headings(tmp_path: Path) -> None:
    turn = {"turn": "2", "user": "Who gets it?", "rewrite": None, "gold_sections": ["D1#2", "D9#1"], "kind": "x"}
    file = written(tmp_path, {"conv_id": "c", "source": "s", "turns": [turn]}, name="multiturn/talks.jsonl")
    section = {"section_id": "D1#2", "doc_id": "D1", "heading": "Who is at risk?"}
    written(tmp_path, section, name="corpus/sections.jsonl")
    (talk,) = read_conversations([file])
    assert talk.said == (Said("Who gets it?", None, ("D1#Who is at risk?", "D9#1")),)
    assert not talk.said[0].stands_alone


def test_a_file_of_questions_holds_no_conversations(tmp_path: Path) -> None:
    assert holds_conversations(written(tmp_path, {"turns": [{"text": OPEN}]}))
    assert not holds_conversations(written(tmp_path, {"text": OPEN, "answerable": False}))
    assert not holds_conversations(written(tmp_path))
    assert not holds_conversations(tmp_path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"turns": []}, "turns: "),
        ({"turns": [{"text": " "}]}, r"turns\.0\.text: "),
        ({"turns": [{"text": OPEN, "relevant": "flu.md"}]}, r"turns\.0\.relevant: "),
        ({"turns": [{"text": OPEN, "gold": []}]}, r"turns\.0\.gold: no such field"),
        ({"text": OPEN}, "turns: it is missing"),
        ([1], "no JSON object"),
    ],
)
def test_a_fault_names_its_line_and_field(tmp_path: Path, row: Any, said: str) -> None:
    file = written(tmp_path, {"turns": [{"text": OPEN}]}, row)
    with pytest.raises(BadQuestions, match=rf"talks\.jsonl:2: {said}|talks\.jsonl:2: this line is {said}"):
        read_conversations([file])


def test_one_conversation_twice_is_refused(tmp_path: Path) -> None:
    row = {"id": "a", "turns": [{"text": OPEN}]}
    with pytest.raises(BadQuestions, match="its id 'a' is also that of"):
        read_conversations([written(tmp_path, row, row)])


def test_real_conversations_are_read(shared: Path) -> None:
    folder = shared / "data/multiturn"
    talks = read_conversations([folder / "medquad_followups.jsonl", folder / "conversations.jsonl"])
    assert len(talks) > 100
    sections = {name for talk in talks for said in talk.said for name in said.relevant}
    assert sections
    assert not any(name.partition("#")[2].isdigit() for name in sections)
