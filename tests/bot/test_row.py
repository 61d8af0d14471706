"""A row is read aloud under its columns."""

from __future__ import annotations

import pytest

from bot.row import read_row


@pytest.mark.parametrize(
    ("row", "header", "read"),
    [
        ("| Amoxicillin | 500 |", ("Drug", "Dose (mg)"), "Drug: Amoxicillin; Dose (mg): 500 mg"),
        ("| Amoxicillin | 3 |", ("Drug", "Times a day"), "Drug: Amoxicillin; Times a day: 3 Times a day"),
        ("| Amoxicillin | 15-20 |", ("Drug", "Dose [mg/kg]"), "Drug: Amoxicillin; Dose [mg/kg]: 15-20 mg/kg"),
        ("| Amoxicillin | 500 mg |", ("Drug", "Dose (mg)"), "Drug: Amoxicillin; Dose (mg): 500 mg"),
        ("| Ward | 5 |", ("Name", "Beds (n)"), "Name: Ward; Beds (n): 5"),
        ("| Ward | 9.30 |", ("Name", "Time"), "Name: Ward; Time: 9.30"),
        ("| Incubation (days) | 28 |", ("", ""), "Incubation (days); 28 days"),
        ("| Rowan | 28 | 3 |", ("Ward", "Days"), "Rowan; 28; 3"),
        ("| Rowan | |", ("Ward", "Days"), "Ward: Rowan"),
    ],
)
def test_a_bare_figure_has_the_unit_of_its_column(row: str, header: tuple[str, ...], read: str) -> None:
    assert read_row(row, header) == read
