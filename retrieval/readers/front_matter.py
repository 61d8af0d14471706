"""What a document says of itself: in a Markdown file between two lines of `---` at its top."""

from __future__ import annotations

import re
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from retrieval.errors import Unreadable
from retrieval.readers.one_line import one_line
from retrieval.readers.web import web_address

if TYPE_CHECKING:
    from collections.abc import Mapping

_DATES = frozenset({"effective", "review_by", "expires"})
_NOTHING = frozenset({"", "~", "null"})
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt ].*)?")
_OPENED = re.compile(r"\s*(---|\+\+\+)[ \t]*\n((?:[^\S\n]*\S[^\n]*(?:\n|\Z))+)")
_KEY = re.compile(r"""^[ \t]*["']?([A-Za-z][\w -]*?)["']?[ \t]*[:=]""", re.MULTILINE)
_LONGEST_SHOWN = 60
_LIKENESS = 0.78
"""From which on an unknown key looks like a known one that is written wrongly: "superceded_by", yet not "subtitle"."""
_MEANT = {
    **dict.fromkeys(("review", "review_date", "reviewed_by", "next_review", "review_due"), "review_by"),
    **dict.fromkeys(("expiry", "expiry_date", "expired", "valid_until", "valid_to"), "expires"),
    **dict.fromkeys(("valid_from", "from_date", "start_date"), "effective"),
    **dict.fromkeys(("replaced_by", "successor", "superseded"), "superseded_by"),
}
"""Other words for the keys that decide what is answered from."""


def _as_text(value: object) -> str | None:
    if not isinstance(value, str):
        raise ValueError("is a list or a table: write one line of text")  # noqa: TRY004  (pydantic wants ValueError)
    return None if value.strip().lower() in _NOTHING else one_line(value) or None


def _as_date(value: object) -> date | None:
    text = value.strip() if isinstance(value, str) else ""
    if isinstance(value, str) and text.lower() in _NOTHING:
        return None
    found = _DATE.fullmatch(text)
    try:
        if found:
            return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:  # there is no such day
        pass
    msg = f"is no date ({_shown(value)}): write it like 2026-11-30"
    raise ValueError(msg)


def _as_url(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    if isinstance(value, str) and text.lower() in _NOTHING:
        return None
    url = web_address(text)
    if url is None:
        msg = (
            f"is no web address that can be linked to ({_shown(value)}): write it like https://example.org/page, "
            "without spaces, control characters, < or >, user name or password"
        )
        raise ValueError(msg)
    return url


_Text = Annotated[str | None, BeforeValidator(_as_text)]
_Date = Annotated[date | None, BeforeValidator(_as_date)]
_Url = Annotated[str | None, BeforeValidator(_as_url)]


class FrontMatter(BaseModel):
    """The keys that are known; others are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: _Text = None
    url: _Url = None
    effective: _Date = None
    review_by: _Date = None
    expires: _Date = None
    superseded_by: _Text = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> FrontMatter:
        if self.effective and self.expires and self.expires < self.effective:
            msg = f"expires ({self.expires}) comes before effective ({self.effective}): mend one of them"
            raise ValueError(msg)
        return self


def front_matter(text: str) -> tuple[FrontMatter, str, tuple[str, ...]]:
    """The front matter, the text behind it, and warnings; a text that has none comes back whole.

    Errors: Unreadable front_matter, which names the key, its value and how to write it.
    """
    from frontmatter.default_handlers import YAMLHandler

    handler = YAMLHandler()
    if not handler.detect(text):
        _check_is_none(text, "has to begin in the first line with --- (TOML is not read)")
        return FrontMatter(), text, ()
    try:
        written, body = handler.split(text)
    except ValueError:  # a rule at the top, and no second one that would close front matter
        _check_is_none(text, "is not closed: put a line of --- below its last key")
        return FrontMatter(), text, ()
    values = yaml_values(written, of="the front matter", first_line=2)
    if values is None:
        return FrontMatter(), body, ()
    if not isinstance(values, dict):
        return FrontMatter(), text, ()
    warnings = (
        f'the front matter\'s "{_shortened(key)}" is not known and was passed over: is "{meant}" meant?'
        for key, meant in unknown_keys(values).items()
        if meant
    )
    return stated(values, of="the front matter"), body, tuple(warnings)


def _check_is_none(text: str, fault: str) -> None:
    """Nothing that looks like front matter is read as text: its dates would be lost without a word.

    Errors: Unreadable front_matter where a known key stands in the lines right below a mark at the top.
    """
    opened = _OPENED.match(text)
    known = [key for key in _KEY.findall(opened[2]) if known_form(key) in FrontMatter.model_fields] if opened else []
    if known:
        raise Unreadable("front_matter", f'the front matter, which has "{known[0]}", {fault}')


def yaml_values(written: str, *, of: str, first_line: int = 1) -> Any:
    """What YAML says, its keys and values as text: so a wrong date can be shown. Errors: Unreadable front_matter."""
    import yaml

    try:
        values: Any = yaml.load(written, Loader=yaml.BaseLoader)  # noqa: S506 - it makes text, lists and mappings alone
    except (yaml.YAMLError, RecursionError) as error:
        where = _line(error, first_line)
        raise Unreadable("front_matter", f"{of} is no valid YAML{where}: mend or remove it") from error
    return {str(key).strip(): value for key, value in values.items()} if isinstance(values, dict) else values


def stated(values: Mapping[str, Any], *, of: str) -> FrontMatter:
    """The known keys of what a document says of itself, written in any case and with `-`, `_` or a space.

    Errors: Unreadable front_matter, which calls the place `of`.
    """
    spellings = {known_form(key): key for key in values}
    try:
        return FrontMatter.model_validate({key: values[spelling] for key, spelling in spellings.items()})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        reason = first["msg"].removeprefix("Value error, ")
        wrong = f'{of}\'s "{spellings[str(first["loc"][0])]}" {reason}' if first["loc"] else f"in {of}, {reason}"
        raise Unreadable("front_matter", wrong) from error


def unknown_keys(values: Mapping[str, Any]) -> dict[str, str | None]:
    """The keys that are not known, each with the known one that it looks like."""
    known = list(FrontMatter.model_fields)
    unknown = [key for key in values if known_form(key) not in known]
    return {key: _like(known_form(key), known) for key in unknown}


def _like(key: str, known: list[str]) -> str | None:
    if key in _MEANT:
        return _MEANT[key]
    begun = [name for name in known if name in _DATES and key.startswith(f"{name}_")]
    return next(iter([*begun, *get_close_matches(key, known, n=1, cutoff=_LIKENESS)]), None)


def known_form(key: str) -> str:
    """A key as it is known, however it is written."""
    return re.sub(r"[-_\s]+", "_", key.lower())


def _shown(value: object) -> str:
    return f"“{_shortened(value)}”" if isinstance(value, str) else "a list or a table"


def _shortened(value: str) -> str:
    text = ascii(value.strip())[1:-1] if not value.strip().isprintable() else value.strip()
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _line(error: Exception, first: int) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + first})" if mark else ""
