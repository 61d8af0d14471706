"""Conversations with what each question means when it stands alone, from files of our own form or of public sets.

Our own form has one conversation a line: `{"id": "c1", "turns": [{"text": "When is the flu clinic open?"}, {"text":
"and for children?", "rewrite": "When is the flu clinic open for children?", "relevant": ["flu-clinic.md#Children's flu
sessions"]}]}`. `rewrite` is left out where a question stands alone already. `relevant` names the documents that answer
it, or sections of them by their headings, behind a `#`; it may be left out.

Public sets are told by their turns: what is typed stands under `user`, and what answers it under `gold_sections`, whose
headings are found in the file `corpus/sections.jsonl` beside the folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from retrieval.question_file import BadQuestions, faults_named, json_object, lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, slots=True)
class Said:
    """One question as typed; `rewrite` is the same standing alone, None where nobody wrote it down.

    `relevant` names documents (`retrieval.document_names`), or one's section by its heading behind a `#`.
    """

    text: str
    rewrite: str | None
    relevant: tuple[str, ...]

    @property
    def stands_alone(self) -> bool:
        """Whether its rewriting is itself."""
        return self.rewrite is not None and self.rewrite.split() == self.text.split()


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation. `where` is its file and line, for messages."""

    id: str
    said: tuple[Said, ...]
    where: str


class _Turn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    text: _Text
    rewrite: _Text | None = None
    relevant: list[_Text] = []


class _Own(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str | int | None = None
    turns: Annotated[list[_Turn], Field(min_length=1)]


class _PublicTurn(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    user: _Text
    rewrite: _Text | None = None
    gold_sections: list[_Text] = []


class _Public(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    conv_id: str
    turns: Annotated[list[_PublicTurn], Field(min_length=1)]


def holds_conversations(path: Path) -> bool:
    """Whether the file's first line is a conversation and no single question. Blocking. Errors: BadQuestions."""
    if path.is_dir():
        return False
    first = next(((n, line) for n, line in enumerate(lines(path), start=1) if line.strip()), None)
    return first is not None and "turns" in json_object(first[1], f"{path}:{first[0]}")


def read_conversations(paths: Iterable[Path]) -> list[Talk]:
    """The conversations of several files, in order. Blocking. Errors: BadQuestions, also for one that stands twice."""
    talks: dict[str, Talk] = {}
    for path in paths:
        headings = _headings(path.parent.parent / "corpus" / "sections.jsonl")
        for number, line in enumerate(lines(path), start=1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            with faults_named(where):
                talk = _talk(json_object(line, where), where, headings)
            if talk.id in talks:
                msg = f"{where}: its id {talk.id!r} is also that of {talks[talk.id].where}: change or remove one."
                raise BadQuestions(msg)
            talks[talk.id] = talk
    return list(talks.values())


def _talk(row: dict[str, Any], where: str, headings: Mapping[str, str]) -> Talk:
    if "conv_id" in row:
        public = _Public.model_validate(row)
        said = tuple(
            Said(turn.user, turn.rewrite, tuple(headings.get(name, name) for name in turn.gold_sections))
            for turn in public.turns
        )
        return Talk(public.conv_id, said, where)
    own = _Own.model_validate(row)
    said = tuple(Said(turn.text, turn.rewrite or turn.text, tuple(turn.relevant)) for turn in own.turns)
    return Talk(where if own.id is None else str(own.id), said, where)


def _headings(file: Path) -> dict[str, str]:
    """Each section's document and heading, by the section's id; nothing where there is no such file."""
    if not file.is_file():
        return {}
    rows = (json_object(line, str(file)) for line in lines(file) if line.strip())
    return {row["section_id"]: f"{row['doc_id']}#{row['heading']}" for row in rows}
