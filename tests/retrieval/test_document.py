"""On which days a document holds."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.document import PUBLIC, Document, Standing

TODAY = date(2026, 11, 30)
DAYS = st.dates(date(2026, 11, 25), date(2026, 12, 5))


def leaflet(
    effective: date | None = None,
    expires: date | None = None,
    superseded_by: str | None = None,
    review_by: date | None = None,
) -> Document:
    return Document("d", "T", "/d.md", PUBLIC, "0", None, effective, review_by, expires, superseded_by)


@pytest.mark.parametrize(
    ("document", "standing"),
    [
        (leaflet(), Standing.CURRENT),
        (leaflet(effective=TODAY, expires=TODAY), Standing.CURRENT),
        (leaflet(effective=TODAY + timedelta(days=1)), Standing.UPCOMING),
        (leaflet(expires=TODAY - timedelta(days=1)), Standing.EXPIRED),
        (leaflet(superseded_by="new"), Standing.SUPERSEDED),
        (leaflet(effective=TODAY + timedelta(days=1), superseded_by="new"), Standing.SUPERSEDED),
    ],
)
def test_it_holds_from_its_first_day_to_its_last_unless_something_has_taken_its_place(
    document: Document, standing: Standing
) -> None:
    assert document.standing(TODAY) is standing
    assert document.holds(TODAY) is (standing is Standing.CURRENT)


@given(DAYS, st.none() | DAYS, st.none() | DAYS, st.booleans())
def test_it_holds_on_exactly_those_days(today: date, first: date | None, last: date | None, succeeded: bool) -> None:
    document = leaflet(first, last, "new" if succeeded else None)
    within = (first or date.min) <= today <= (last or date.max)
    assert document.holds(today) == (within and not succeeded)


@pytest.mark.parametrize(("due", "missed"), [(TODAY, False), (TODAY - timedelta(days=1), True)])
def test_a_review_is_missed_the_day_after_it_was_due_and_the_document_holds_on(due: date, missed: bool) -> None:
    document = leaflet(review_by=due)
    assert document.review_missed(TODAY) == (due if missed else None)
    assert document.holds(TODAY)
    assert leaflet().review_missed(TODAY) is None
