"""Questions with known answers, and questions with none, from files of our own form or of public sets.

Our own form has one JSON object a line: `{"id": "q1", "text": "When is the flu clinic open?", "relevant":
{"flu-clinic.md": 3}}`. `relevant` names the documents that answer it (`retrieval.document_names`) with grades 1 to 3,
or is a list of them; `{"text": ..., "answerable": false}` is a question that no document answers. `id` may be left out.
With `wrong`, the documents that an answer came from which someone marked down, both may be left out too: the question
is asked, and counts in no figure until someone has judged it.

Public sets are read as they lie, told by the fields of each line, with judgements in the file beside it:
BEIR (`_id`, and `qrels/test.tsv`), judged consumer questions (`qid` and `class`, and `qrels_docs.tsv`), questions
without an answer (`kind` and `certainty`), and facts to find in one file (`file` and `question`). A folder stands for
the file of this kind in it.
"""

from __future__ import annotations

import csv
import json
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

Wording = Literal["text", "summary", "paraphrase"]
"""Which wording of a judged consumer question is asked, where its line has several."""

QUESTION_FILES = ("queries.jsonl", "questions.jsonl", "expected.jsonl")
_SAID = {
    "extra_forbidden": "no such field; there are id, text, relevant, answerable and wrong",
    "missing": "it is missing",
}
"""What is said of a fault in place of pydantic's words, by its type."""
_GRADE = "a grade is 1, 2 or 3"
_ANSWERED = 2
"""Of judged consumer questions, the lowest grade that answers one; below it a document only touches on it."""


class BadQuestions(RetrievalError):
    """A file of questions that cannot be read; the message names the line and says how to mend it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `grades` holds the documents that answer it, by name; it is empty where none does.

    `where` is its file and line, for messages. Of one that is not `judged` nobody has said what answers it.
    """

    id: str
    text: str
    grades: Mapping[str, int]
    where: str
    judged: bool = True

    @property
    def answerable(self) -> bool | None:
        """Whether any document answers it; None while nobody has judged that."""
        return bool(self.grades) if self.judged else None


def read_all(paths: Iterable[Path], *, wording: Wording = "text") -> list[Question]:
    """The questions of several files or folders, in order. Blocking.

    Errors: BadQuestions, also for a file that is given twice and a second question of the same id: it would be counted
    twice, and figures would seem surer than they are.
    """
    files: set[Path] = set()
    questions: dict[str, Question] = {}
    for path in paths:
        file = _file_of(path).resolve()
        if file in files:
            msg = f"{path} is given twice: leave one out."
            raise BadQuestions(msg)
        files.add(file)
        for one in read_questions(path, wording=wording):
            if one.id in questions:
                msg = f"{one.where}: its id {one.id!r} is also that of {questions[one.id].where}: change or remove one."
                raise BadQuestions(msg)
            questions[one.id] = one
    return list(questions.values())


def read_questions(path: Path, *, wording: Wording = "text") -> list[Question]:
    """The questions of a file or folder, in order. Blocking. Errors: BadQuestions."""
    file = _file_of(path)
    judgements = _Judgements(file.parent)
    questions: list[Question] = []
    for number, line in enumerate(lines(file), start=1):
        where = f"{file}:{number}"
        if line.strip():
            questions += _read_line(line, where, judgements, wording)
    if not questions:
        msg = f"{file} holds no question: write one JSON object a line."
        raise BadQuestions(msg)
    return questions


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _graded(given: object) -> object:
    """A list of names is one of grades that are all 1."""
    if given is None or isinstance(given, dict):
        return given
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return dict.fromkeys(given, 1)
    name = json.dumps(given if isinstance(given, str) else "flu.md", ensure_ascii=False)
    raise ValueError(f"write the documents as a list, [{name}], or with grades, {{{name}: 3}}")


_Grades = Annotated[dict[_Text, Annotated[int, Field(ge=1, le=3)]], BeforeValidator(_graded)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Own(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str | int | None = None
    text: _Text
    relevant: _Grades | None = None
    answerable: bool | None = None
    wrong: list[_Text] | None = None

    @property
    def judged(self) -> bool:
        """Whether it says what answers it, or that nothing does."""
        return self.answerable is not None or self.relevant is not None

    @model_validator(mode="after")
    def _says_one_thing(self) -> _Own:
        if not self.judged and self.wrong is not None:
            return self
        if not self.judged:
            raise ValueError('name the documents that answer it under "relevant", or say "answerable": false')
        if bool(self.relevant) is (self.answerable is False):
            known = "no document under" if not self.relevant else "documents under"
            raise ValueError(f'it has {known} "relevant" but says "answerable": {str(bool(self.answerable)).lower()}')
        return self


class _Beir(_Row):
    id: str = Field(alias="_id")
    text: _Text


class _Judged(_Row):
    qid: str
    known: str = Field(alias="class")
    text: _Text
    summary: str | None = None
    paraphrase: str | None = None


class _NoAnswer(_Row):
    id: str
    text: _Text


class _FactToFind(_Row):
    file: _Text
    question: str | None


def _read_line(line: str, where: str, judgements: _Judgements, wording: Wording) -> Iterator[Question]:
    """The question of a line; none where its set has no answer to compare with."""
    row = json_object(line, where)
    with faults_named(where):
        yield from _question(row, where, judgements, wording)


def json_object(line: str, where: str) -> dict[str, Any]:
    """The JSON object of a line. Errors: BadQuestions."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        msg = f"{where}: this line is no JSON ({why}): write one JSON object a line."
        raise BadQuestions(msg) from None
    if not isinstance(row, dict):
        msg = f'{where}: this line is no JSON object: write one like {{"text": ..., "relevant": ...}}.'
        raise BadQuestions(msg)
    return row


@contextmanager
def faults_named(where: str) -> Iterator[None]:
    """Raise what pydantic finds wrong in a line as BadQuestions, with the line and the field."""
    try:
        yield
    except ValidationError as error:
        raise BadQuestions("\n".join(f"{where}: {_fault(one)}" for one in error.errors(include_url=False))) from None


def _question(row: dict[str, Any], where: str, judgements: _Judgements, wording: Wording) -> Iterator[Question]:
    if {"qid", "class"} <= row.keys():
        judged = _Judged.model_validate(row)
        text: str | None = getattr(judged, wording)
        if judged.known in {"answerable", "partly_answerable"} and text:
            grades = judgements.of_consumers.get(judged.qid, {})
            if answering := {name: grade for name, grade in grades.items() if grade >= _ANSWERED}:
                yield Question(judged.qid, text, answering, where)
    elif "_id" in row:
        query = _Beir.model_validate(row)
        if judged_right := judgements.of_beir.get(query.id):
            yield Question(query.id, query.text, judged_right, where)
    elif {"kind", "certainty"} <= row.keys():
        none = _NoAnswer.model_validate(row)
        yield Question(none.id, none.text, {}, where)
    elif {"file", "question"} <= row.keys():
        fact = _FactToFind.model_validate(row)
        if fact.question:
            yield Question(where, fact.question, {fact.file: 1}, where)
    else:
        own = _Own.model_validate(row)
        id_ = where if own.id is None else str(own.id)
        yield Question(id_, own.text, own.relevant or {}, where, judged=own.judged)


class _Judgements:
    """The judgements beside a file of questions, by question and document; read when first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def of_consumers(self) -> dict[str, dict[str, int]]:
        return _read_judgements(self._folder / "qrels_docs.tsv", "qid", "doc_id", "rel")

    @cached_property
    def of_beir(self) -> dict[str, dict[str, int]]:
        return _read_judgements(self._folder / "qrels" / "test.tsv", "query-id", "corpus-id", "score")


def _read_judgements(file: Path, question: str, document: str, grade: str) -> dict[str, dict[str, int]]:
    """Grades above 0, by question and document."""
    found: dict[str, dict[str, int]] = {}
    rows = csv.DictReader(lines(file), delimiter="\t", quoting=csv.QUOTE_NONE)
    for number, row in enumerate(rows, start=2):
        try:
            value = int(row[grade])
            if value > 0:
                found.setdefault(row[question], {})[row[document]] = value
        except (KeyError, TypeError, ValueError):
            msg = (
                f"{file}:{number}: this needs the columns {question}, {document} and {grade}, the last a whole number."
            )
            raise BadQuestions(msg) from None
    return found


def _file_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in QUESTION_FILES:
        if (path / name).is_file():
            return path / name
    msg = f"{path} holds no file of questions: it needs {', '.join(QUESTION_FILES[:-1])} or {QUESTION_FILES[-1]}."
    raise BadQuestions(msg)


def lines(file: Path) -> list[str]:
    """The lines of a UTF-8 file, which only a line feed ends. Errors: BadQuestions."""
    try:
        return file.read_text(encoding="utf-8-sig").split("\n")  # U+2028 may stand in a line of JSON
    except UnicodeDecodeError as error:
        msg = f"{file} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8."
        raise BadQuestions(msg) from error
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}): name a file of questions, or a folder that holds one."
        raise BadQuestions(msg) from error


def _fault(error: Any) -> str:
    place = ".".join(map(str, error["loc"]))
    graded = place.startswith("relevant.") and not place.endswith(".[key]")
    said = _GRADE if graded else _SAID.get(error["type"], error["msg"].removeprefix("Value error, "))
    return f"{place}: {said}" if place else said
