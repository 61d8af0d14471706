"""Ten leaflets and two tables of a made-up clinic, so that everything can be tried before one has any of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapters.lookups.settings import TableSettings

_HERE = Path(__file__).resolve().parent


def documents() -> Path:
    """The folder that holds the ten leaflets and nothing else, in a checkout and in an installed package alike."""
    return _HERE / "documents"


def tables() -> dict[str, TableSettings]:
    """The two tables, declared as in a home's own file: when each branch opens, and how much vaccine it has."""
    import tomllib

    from adapters.lookups.settings import TableSettings

    declared = tomllib.loads((_HERE / "tables" / "lookups.toml").read_text(encoding="utf-8"))["lookups"]
    return {
        name: TableSettings.model_validate(table | {"file": _HERE / "tables" / table["file"]})
        for name, table in declared.items()
    }
