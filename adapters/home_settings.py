"""The settings that stand in the home folder, `citewell.toml`: what the environment and `.env` do not say.

Its keys are the settings' names in lower case, without `CITEWELL_`. `citewell calibrate` keeps a table of thresholds
for each embedding model in it and leaves the rest as it is.
"""

from __future__ import annotations

import difflib
import json
import logging
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, field_validator, model_validator
from pydantic_settings import PydanticBaseSettingsSource

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

logger = logging.getLogger(__name__)

HOME_FILE = "citewell.toml"
FORMER_NAME = "settings.toml"
"""What the file was called; it is read where there is none of the present name."""


class Thresholds(BaseModel):
    """The strengths of evidence below which a question is declined, and from which its evidence counts as correct."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    evidence: float
    confident: float

    @field_validator("*", mode="before")
    @classmethod
    def _numbers(cls, given: object) -> object:
        """Written as numbers of the range that strengths lie in, which NaN does not."""
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
            raise ValueError("write a number from 0 to 1")
        return given

    @model_validator(mode="after")
    def _in_order(self) -> Thresholds:
        if self.confident < self.evidence:
            raise ValueError("confident lies below evidence: raise it, or run citewell calibrate again")
        return self


class HomeSettings(PydanticBaseSettingsSource):
    """The file as a source of settings, of the home that the sources before it name."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002 - the base class's
        """Not asked: `__call__` reads the file as a whole."""
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """What the file says, under the names that pydantic takes; what sources before it say goes first."""
        fields = self.settings_cls.model_fields
        file = home_file(Path(self.current_state.get("home", fields["home"].default)))
        found = {}
        for name, value in _read(file).items():
            if name not in fields or name == "home":
                raise Misconfigured(f"{file}: {name} is no setting that can stand here.{_hint(name, fields)}")
            alias = fields[name].validation_alias
            found[str(alias.choices[0]) if isinstance(alias, AliasChoices) else name] = value
        return found


def home_file(home: Path) -> Path:
    """The file of this home, whether it is there or not: under the name it once had where it has only that."""
    file = home.expanduser() / HOME_FILE
    former = file.with_name(FORMER_NAME)
    return former if former.is_file() and not file.exists() else file


def warn_of_former_name(home: Path) -> None:
    """Have the log say that the file is to be renamed, or that one of the former name is not read."""
    former = home.expanduser() / FORMER_NAME
    if home_file(home) == former:
        logger.warning("%s is read as it is, but please rename it to %s", former, HOME_FILE)
    elif former.is_file():
        logger.warning("%s is not read, since there is %s: move what you need and delete it", former, HOME_FILE)


def write_thresholds(home: Path, model: str, thresholds: Thresholds, *, about: str) -> Path:
    """Put the thresholds for an embedding model into the home's file, in place of earlier ones. Blocking.

    `about` goes behind them as a comment; everything else in the file stays as it was written. Errors: Misconfigured,
    and nothing is written then.
    """
    import tomlkit
    from tomlkit.items import InlineTable

    file = home_file(home)
    _read(file)  # for its faults
    document = tomlkit.parse(file.read_bytes() if file.exists() else b"")
    tables = document.setdefault("thresholds", tomlkit.table(is_super_table=True))
    table = tables if isinstance(tables, InlineTable) else tables.setdefault(model, tomlkit.table())
    if isinstance(table, InlineTable):
        header = f"[thresholds.{json.dumps(model)}]"
        raise Misconfigured(f"{file}: thresholds stand in braces, which leave no room for a comment: write {header}.")
    table.update(thresholds.model_dump())
    table["evidence"].comment(about)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.touch(mode=0o600)  # it may hold keys
    new.write_bytes(tomlkit.dumps(document).encode())
    new.replace(file)
    return file


def _read(file: Path) -> dict[str, Any]:
    try:
        return _parsed(file.read_text(encoding="utf-8"), file)
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        msg = f"{file.parent} is a file, or lies in one: CITEWELL_HOME has to name a folder, there or to be made."
        raise Misconfigured(msg) from error
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{file} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8.") from error
    except OSError as error:
        raise Misconfigured(f"{file} cannot be read ({error.strerror}): make it readable.") from error


def _parsed(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Misconfigured(f"{file} is no TOML ({error}): mend that line, or remove the file.") from error


def _hint(name: str, fields: dict[str, FieldInfo]) -> str:
    near = difflib.get_close_matches(name, fields.keys() - {"home"}, n=1)
    return f" Did you mean {near[0]}?" if near else ""
