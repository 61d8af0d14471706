"""`[lookups.NAME]` in the home's file: what is asked, with which words, and how long the answers may be relied on."""

from __future__ import annotations

import re
from datetime import date  # noqa: TC003 - pydantic needs them when the class is made
from pathlib import Path  # noqa: TC003 - as above
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import NoDecode

from adapters.lookups.address import holes, origin_fault
from adapters.shelving_settings import COLLECTION_RULE, is_collection_name
from retrieval.document import PUBLIC

Word = Annotated[str, Field(min_length=1, max_length=80)]
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOLE = re.compile(r"\{([^{}]*)\}")
_TABLES = {".csv", ".xlsx", ".db", ".sqlite", ".sqlite3"}
_ENVIRONMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,59}")
_SAID = {"extra_forbidden": "there is no such field", "missing": "it is missing"}


def _expression(given: str) -> str:
    try:
        re.compile(given)
    except re.error as error:
        msg = f"it is no regular expression ({error.msg})"
        raise ValueError(msg) from None
    return given


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Column(_Part):
    """One column or argument: its name at its source if that is another, what people read and call it.

    An argument of a service has the `values` that there are, or a `pattern` that a word of a question has to match.
    No slip is mended into a key that is `exact`: for names of people, of whom one may be a letter from another.
    """

    type: Literal["text", "integer", "number", "date", "time", "weekday"] = "text"
    header: Word | None = None
    label: Word | None = None
    synonyms: tuple[Word, ...] = ()
    exact: bool = False
    values: Annotated[tuple[Word, ...], Field(max_length=10_000)] = ()
    pattern: Annotated[str, AfterValidator(_expression), Field(max_length=200)] | None = None


class Declared(_Part):
    """What all look-ups have. `stale_after` and `expires_after` are in days from what a row is as of."""

    answers: Annotated[str, Field(max_length=300)] = ""
    title: Word
    owner: Annotated[str, Field(max_length=80)] = ""
    as_of_column: str | None = None
    stale_after: int | None = Field(default=None, ge=0, le=36_500)
    expires_after: int | None = Field(default=None, ge=0, le=36_500)
    collections: Annotated[frozenset[str], Field(min_length=1)] = frozenset({PUBLIC})
    about: tuple[Word, ...] = ()
    person: str | None = None
    template: Annotated[str, Field(max_length=500)] = ""
    seconds: float = Field(default=2.0, gt=0, le=30)
    columns: Annotated[dict[str, Column], Field(max_length=60)] = {}

    @property
    def holes(self) -> tuple[str, ...]:
        """The columns that the template names."""
        return tuple(_HOLE.findall(self.template))

    @property
    def dated(self) -> bool:
        """Whether rows say or are said to be as of some day."""
        return self.as_of_column is not None

    @field_validator("collections")
    @classmethod
    def _named(cls, given: frozenset[str]) -> frozenset[str]:
        if not all(map(is_collection_name, given)):
            raise ValueError(COLLECTION_RULE)
        return given

    @model_validator(mode="after")
    def _hangs_together(self) -> Declared:
        for name in self.columns:
            if not _NAME.fullmatch(name):
                msg = f"columns.{name}: write small letters, digits and _; header names it as the source does"
                raise ValueError(msg)
        if self.template.replace("{{", "").count("{") != len(self.holes):
            raise ValueError("template: each { needs its }")
        if (self.stale_after is not None or self.expires_after is not None) and not self.dated:
            raise ValueError("as_of_column: without it, or as_of for a table, nothing can grow old")
        return self


class _Columned(Declared):
    """What is said of a source that cannot say itself which columns it has. Rows are found by `keys`."""

    keys: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    required: tuple[str, ...] | None = None
    columns: Annotated[dict[str, Column], Field(min_length=1, max_length=60)]

    @model_validator(mode="after")
    def _names_columns(self) -> _Columned:
        if not self.keys and self.person is None:
            raise ValueError("keys: name the columns that rows are found by")
        one_of = {"as_of_column": self.as_of_column, "person": self.person}
        for field, names in {
            "keys": self.keys,
            "required": self.required or (),
            "template": self.holes,
            **{field: (name,) for field, name in one_of.items() if name is not None},
        }.items():
            if unknown := [name for name in names if name not in self.columns]:
                raise ValueError(f"{field}: {', '.join(unknown)} is no column under columns")
        if not {*(self.required or ())} <= {*self.keys}:
            raise ValueError("required: only keys can be")
        if self.person in self.keys:
            raise ValueError("person: it is filled in by the platform, so it can be no key")
        return self


class TableSettings(_Columned):
    """One table. `file` is a CSV, XLSX or SQLite file, below the home unless absolute; `view` a view or table in it.

    What its rows are as of is the day `as_of`, or that in each row's `as_of_column`.
    """

    kind: ClassVar[str] = "table"
    file: Path
    view: Word | None = None
    as_of: date | None = None

    @property
    def dated(self) -> bool:
        """Whether rows say or are said to be as of some day."""
        return self.as_of is not None or self.as_of_column is not None

    @model_validator(mode="after")
    def _is_a_table(self) -> TableSettings:
        if self.file.suffix.casefold() not in _TABLES:
            raise ValueError(f"file: it can be {', '.join(sorted(_TABLES))}")
        sqlite = self.file.suffix.casefold() not in {".csv", ".xlsx"}
        if sqlite is (self.view is None):
            raise ValueError("view: a SQLite file needs one, and no other has any")
        if self.as_of is not None and self.as_of_column is not None:
            raise ValueError("as_of: either this, or as_of_column")
        for name, column in self.columns.items():
            if column.values or column.pattern:
                raise ValueError(f"columns.{name}: values and pattern are for services; a table's own rows say them")
        return self


class EndpointSettings(_Columned):
    """A service that answers GET with JSON. `url` is its address with `{argument}` in its path or query.

    `headers` names a variable of the environment for each header. `rows` leads to the rows inside the reply, with dots.
    `private` lets the host's name lead into the house's own network. Without an `as_of_column`, rows are as of today.
    """

    kind: ClassVar[str] = "service"
    url: Annotated[str, Field(max_length=2000)]
    headers: Annotated[dict[str, str], Field(max_length=10)] = {}
    rows: Annotated[str, Field(max_length=200)] = ""
    private: bool = False
    most_bytes: int = Field(default=200_000, ge=100, le=5_000_000)

    @model_validator(mode="after")
    def _is_an_endpoint(self) -> EndpointSettings:
        if fault := origin_fault(self.url):
            raise ValueError(f"url: {fault}")
        in_path, in_query = holes(self.url)
        given = {*self.keys, *([self.person] if self.person else [])}
        if odd := sorted({*in_path, *in_query} ^ given):
            raise ValueError(f"url: {', '.join(odd)} has to stand both in it and under keys (or person)")
        if optional := sorted({*in_path} - {*(self.keys if self.required is None else self.required), self.person}):
            raise ValueError(f"required: {', '.join(optional)} stands in the path, so it has to be given")
        for name in self.keys:
            self._is_an_argument(name, self.columns[name])
        for name, variable in self.headers.items():
            if not _HEADER.fullmatch(name) or not _ENVIRONMENT.fullmatch(variable):
                raise ValueError(f"headers: write {name} = the name of the environment variable that holds it")
        return self

    def _is_an_argument(self, name: str, column: Column) -> None:
        if column.values and (column.pattern or column.type != "text"):
            raise ValueError(f"columns.{name}: values are of type text, and go without a pattern")
        if column.type in {"number", "time"}:
            raise ValueError(f"columns.{name}: an argument can be text, integer, date or weekday")
        if column.type == "text" and not (column.values or column.pattern):
            raise ValueError(f"columns.{name}: say its values, or a pattern that they match in a question")


class FunctionSettings(Declared):
    """A look-up that a Python file registers under the same name: a `PythonLookup` in `module`, below the home.

    Its arguments and columns are those of its models; `columns` says what people call them.
    """

    kind: ClassVar[str] = "function"
    module: Path

    @model_validator(mode="after")
    def _is_a_function(self) -> FunctionSettings:
        if self.module.suffix != ".py":
            raise ValueError("module: it is a Python file, as rota.py")
        for name, column in self.columns.items():
            if odd := column.model_fields_set - {"label", "synonyms", "values", "pattern"}:
                raise ValueError(f"columns.{name}: the module's own model says {', '.join(sorted(odd))}")
        return self


LookupSettings: TypeAlias = TableSettings | EndpointSettings | FunctionSettings
_KINDS: dict[str, type[LookupSettings]] = {
    "file": TableSettings,
    "url": EndpointSettings,
    "module": FunctionSettings,
}


def _kind(name: str, given: object) -> type[LookupSettings]:
    if not isinstance(given, dict):
        raise ValueError(f"{name}: write [lookups.{name}] and what it has below")  # noqa: TRY004 - pydantic reports no TypeError
    named = [kind for kind in _KINDS if kind in given]
    if len(named) != 1:
        raise ValueError(f"{name}: say one of file (a table), url (a service) or module (a Python file)")
    return _KINDS[named[0]]


def declared(given: object) -> dict[str, LookupSettings]:
    """By name. ValueError says which line has to be mended, and how."""
    if not isinstance(given, dict):
        raise ValueError("write a table for each, [lookups.opening_hours]")  # noqa: TRY004 - pydantic reports no TypeError
    found: dict[str, LookupSettings] = {}
    for name, one in given.items():
        if not _NAME.fullmatch(str(name)):
            raise ValueError(f"{name}: a look-up's name has small letters, digits and _, at most 40 of them")
        if isinstance(one, TableSettings | EndpointSettings | FunctionSettings):
            found[name] = one
            continue
        kind = _kind(name, one)
        try:
            found[name] = kind.model_validate(one)
        except ValidationError as error:
            fault = error.errors(include_input=False)[0]
            where = ".".join([str(name), *map(str, fault["loc"])])
            said = _SAID.get(fault["type"], fault["msg"].removeprefix("Value error, "))
            raise ValueError(f"{where}: {said}") from None
    return found


Lookups = Annotated[dict[str, LookupSettings], NoDecode, BeforeValidator(declared)]
