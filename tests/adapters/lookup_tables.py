"""Small tables for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.lookups.settings import TableSettings
from adapters.lookups.table import Table

if TYPE_CHECKING:
    from pathlib import Path

HOURS = """clinic,day,opens,closes
Northgate,Monday,08:30,17:00
Northgate,Tuesday,08:45,17:15
Northgate,Friday,09:00,16:00
Mill Lane,Monday,10:00,18:00
Mill Lane,Friday,10:30,18:30
"""
STOCK = """vaccine,doses left,doses ordered
MMR,12,40
Flu,7,41
Hepatitis B,9,42
A-,3,43
"""
LEAVE = """who,days left
U1,12
U2,3
"""
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "hours": (
        HOURS,
        {
            "title": "Clinic hours",
            "keys": ["clinic", "day"],
            "about": ["opening hours"],
            "columns": {
                "clinic": {},
                "day": {"type": "weekday"},
                "opens": {"type": "time", "synonyms": ["open"]},
                "closes": {"type": "time", "synonyms": ["close", "shut"]},
            },
        },
    ),
    "stock": (
        STOCK,
        {
            "title": "Stock",
            "keys": ["vaccine"],
            "columns": {
                "vaccine": {},
                "doses_left": {"type": "integer", "header": "doses left"},
                "doses_ordered": {"type": "integer", "header": "doses ordered"},
            },
        },
    ),
    "leave": (
        LEAVE,
        {
            "title": "Leave",
            "person": "who",
            "collections": ["staff"],
            "about": ["leave"],
            "columns": {"who": {}, "days_left": {"type": "integer", "header": "days left"}},
        },
    ),
}


def table(folder: Path, name: str, text: str | None = None, **changed: object) -> Table:
    """The table of this name, as a CSV file in `folder`."""
    own, declared = TABLES[name]
    (folder / f"{name}.csv").write_text(own if text is None else text, encoding="utf-8")
    return Table(name, TableSettings.model_validate({"file": f"{name}.csv", **declared, **changed}), folder)
