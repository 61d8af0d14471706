"""What a Markdown file says of itself between two lines of `---` at its top."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from retrieval.errors import Unreadable
from retrieval.readers.one_line import one_line
from retrieval.readers.web import web_address

_NOTHING = frozenset({"", "~", "null"})
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt ].*)?")
_LONGEST_SHOWN = 60


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
    superseded_by: _Text = None


def front_matter(text: str) -> tuple[FrontMatter, str]:
    """The front matter and the text behind it; a text that has none comes back whole.

    Keys may be written in any case and with `-`, `_` or a space. Errors: Unreadable front_matter, which names the key,
    its value and how to write it.
    """
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    handler = YAMLHandler()
    if not handler.detect(text):
        return FrontMatter(), text
    try:
        written, body = handler.split(text)
    except ValueError:  # a rule at the top, and no second one that would close front matter
        return FrontMatter(), text
    try:
        values: Any = handler.load(written, Loader=yaml.BaseLoader)  # dates stay text, so that a wrong one can be shown
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(
            "front_matter", f"the front matter is no valid YAML{_line(error)}: mend or remove it"
        ) from error
    if values is None:
        return FrontMatter(), body
    if not isinstance(values, dict):
        return FrontMatter(), text
    return _checked({str(key).strip(): value for key, value in values.items()}), body


def _checked(values: dict[str, Any]) -> FrontMatter:
    spellings = {re.sub(r"[-_\s]+", "_", key.lower()): key for key in values}
    try:
        return FrontMatter.model_validate({key: values[spelling] for key, spelling in spellings.items()})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key, reason = spellings[str(first["loc"][0])], first["msg"].removeprefix("Value error, ")
        raise Unreadable("front_matter", f'the front matter\'s "{key}" {reason}') from error


def _shown(value: object) -> str:
    if not isinstance(value, str):
        return "a list or a table"
    text = ascii(value.strip())[1:-1] if not value.strip().isprintable() else value.strip()
    return f"“{text}”" if len(text) <= _LONGEST_SHOWN else f"“{text[: _LONGEST_SHOWN - 1]}…”"


def _line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 2})" if mark else ""
