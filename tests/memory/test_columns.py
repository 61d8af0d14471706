from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.columns import storable, utc, utc_text

moments = st.datetimes(
    min_value=datetime(1000, 1, 2),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001 - the strategy adds the zone
    timezones=st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@given(st.text())
def test_text_that_unicode_can_encode_is_left_alone(text: str) -> None:
    assert storable(text) == text


@given(st.text(st.characters()))
def test_what_is_stored_can_always_be_encoded(text: str) -> None:
    storable(text).encode()


@given(moments)
def test_a_time_comes_back_the_same_and_in_utc(moment: datetime) -> None:
    assert utc(utc_text(moment)) == moment
    assert utc(utc_text(moment)).tzinfo == UTC


@given(moments, moments)
def test_text_order_is_time_order(one: datetime, other: datetime) -> None:
    assert (utc_text(one) < utc_text(other)) == (one < other)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        utc_text(datetime(2026, 1, 1))  # noqa: DTZ001 - the fault under test
