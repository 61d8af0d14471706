"""`[lookups.NAME]` in the home's file: a table, what it is asked with, and how long it may be relied on."""

from __future__ import annotations

import re
from datetime import date  # noqa: TC003 - pydantic needs them when the class is made
from pathlib import Path  # noqa: TC003 - as above
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import NoDecode

from adapters.shelving_settings import COLLECTION_RULE, is_collection_name
from retrieval.document import PUBLIC

Word = Annotated[str, Field(min_length=1, max_length=80)]
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOLE = re.compile(r"\{([^{}]*)\}")
_KINDS = {".csv", ".xlsx", ".db", ".sqlite", ".sqlite3"}
_SAID = {"extra_forbidden": "there is no such field", "missing": "it is missing"}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Column(_Part):
    """One column: its name in the file if that is another, what people read and call it."""

    type: Literal["text", "integer", "number", "date", "time", "weekday"] = "text"
    header: Word | None = None
    label: Word | None = None
    synonyms: tuple[Word, ...] = ()


class TableSettings(_Part):
    """One table. `file` is a CSV, XLSX or SQLite file, below the home unless absolute; `view` a view or table in it.

    `stale_after` and `expires_after` are in days from `as_of`, or from the day in each row's `as_of_column`.
    """

    answers: Word | Annotated[str, Field(max_length=300)] = ""
    file: Path
    view: Word | None = None
    title: Word
    owner: Annotated[str, Field(max_length=80)] = ""
    as_of: date | None = None
    as_of_column: str | None = None
    stale_after: int | None = Field(default=None, ge=0, le=36_500)
    expires_after: int | None = Field(default=None, ge=0, le=36_500)
    collections: Annotated[frozenset[str], Field(min_length=1)] = frozenset({PUBLIC})
    keys: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    required: tuple[str, ...] | None = None
    about: tuple[Word, ...] = ()
    person: str | None = None
    template: Annotated[str, Field(max_length=500)] = ""
    seconds: float = Field(default=2.0, gt=0, le=30)
    columns: Annotated[dict[str, Column], Field(min_length=1, max_length=60)]

    @field_validator("collections")
    @classmethod
    def _named(cls, given: frozenset[str]) -> frozenset[str]:
        if not all(map(is_collection_name, given)):
            raise ValueError(COLLECTION_RULE)
        return given

    @model_validator(mode="after")
    def _hangs_together(self) -> TableSettings:
        for name in self.columns:
            if not _NAME.fullmatch(name):
                msg = f"columns.{name}: write small letters, digits and _; header names it as the file does"
                raise ValueError(msg)
        if self.file.suffix.casefold() not in _KINDS:
            raise ValueError(f"file: it can be {', '.join(sorted(_KINDS))}")
        sqlite = self.file.suffix.casefold() not in {".csv", ".xlsx"}
        if sqlite is (self.view is None):
            raise ValueError("view: a SQLite file needs one, and no other has any")
        if not self.keys and self.person is None:
            raise ValueError("keys: name the columns that rows are found by")
        one_of = {"as_of_column": self.as_of_column, "person": self.person}
        for field, names in {
            "keys": self.keys,
            "required": self.required or (),
            "template": tuple(_HOLE.findall(self.template)),
            **{field: (name,) for field, name in one_of.items() if name is not None},
        }.items():
            if unknown := [name for name in names if name not in self.columns]:
                raise ValueError(f"{field}: {', '.join(unknown)} is no column under columns")
        if self.template.replace("{{", "").count("{") != len(_HOLE.findall(self.template)):
            raise ValueError("template: each { needs its }")
        if not {*(self.required or ())} <= {*self.keys}:
            raise ValueError("required: only keys can be")
        if self.person in self.keys:
            raise ValueError("person: it is filled in by the platform, so it can be no key")
        if self.as_of is not None and self.as_of_column is not None:
            raise ValueError("as_of: either this, or as_of_column")
        dated = self.as_of is not None or self.as_of_column is not None
        if (self.stale_after is not None or self.expires_after is not None) and not dated:
            raise ValueError("as_of: without it nothing can grow old")
        return self


def _tables(given: object) -> dict[str, TableSettings]:
    """By name. ValueError says which line has to be mended, and how."""
    if not isinstance(given, dict):
        raise ValueError("write a table for each, [lookups.opening_hours]")  # noqa: TRY004 - pydantic reports no TypeError
    found = {}
    for name, table in given.items():
        if not _NAME.fullmatch(str(name)):
            raise ValueError(f"{name}: a look-up's name has small letters, digits and _, at most 40 of them")
        try:
            found[name] = table if isinstance(table, TableSettings) else TableSettings.model_validate(table)
        except ValidationError as error:
            fault = error.errors(include_input=False)[0]
            where = ".".join([str(name), *map(str, fault["loc"])])
            said = _SAID.get(fault["type"], fault["msg"].removeprefix("Value error, "))
            raise ValueError(f"{where}: {said}") from None
    return found


Tables = Annotated[dict[str, TableSettings], NoDecode, BeforeValidator(_tables)]
