"""A quote stands in the raw text letter by letter, or it is none."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.quote import find_quote


def found(quote: str, raw: str) -> str | None:
    span = find_quote(quote, raw)
    return None if span is None else raw[slice(*span)]


@pytest.mark.parametrize(
    ("quote", "raw", "as_written"),
    [
        ("open on Tuesday", "We are open on Tuesday.", "open on Tuesday"),
        ("open on Tuesday", "We are open\n  on\u00a0Tuesday.", "open\n  on\u00a0Tuesday"),
        ("about information", "more about infor-\nmation here", "about infor-\nmation"),
        ("a long-term plan", "this is a long-\nterm plan", "a long-\nterm plan"),
        ("aged 2-17", "children aged 2\u201317 only", "aged 2\u201317"),
        ("the patient's own", "the patient\u2019s own words", "the patient\u2019s own"),
        ("a first café", "a \ufb01rst cafe\u0301 here", "a \ufb01rst cafe\u0301"),
        ("wait 15 minutes", "wait 15 min\u00adutes", "wait 15 min\u00adutes"),
        ("wait 15 minutes", "wait 15 min\u00ad\nutes", "wait 15 min\u00ad\nutes"),
        (
            "a long-term plan for information",
            "a long-\nterm plan for infor-\nmation",
            "a long-\nterm plan for infor-\nmation",
        ),
        ("long-\nterm infor-\nmation", "long-\nterm infor-\nmation", "long-\nterm infor-\nmation"),
        ("take 10-20 mg", "take 10\u2013\n20 mg", "take 10\u2013\n20 mg"),
        ("re-use it", "re\u2010\nuse it", "re\u2010\nuse it"),
        ("a\u0323\u0307bc it", "a\u0307\u0323bc it", "a\u0307\u0323bc it"),
        ("5 \u00b5g of it", "5 \u03bcg of it", "5 \u03bcg of it"),
    ],
)
def test_forms_of_the_same_letters_are_equal(quote: str, raw: str, as_written: str) -> None:
    assert found(quote, raw) == as_written


@pytest.mark.parametrize(
    ("quote", "raw"),
    [
        ("5 mg daily", "0.5 mg daily"),
        ("5 mg daily", "15 mg daily"),
        ("up to 1", "up to 1,000"),
        ("up to 10", "up to 10.5"),
        ("Open on Tuesday", "open on Tuesday"),
        ("2-4 weeks", "24 weeks"),
        ("10 2 units", "10\u00b2 units"),
        ("102 units", "10\u00b2 units"),
        ("open Tuesday", "open on Tuesday"),
        ("should be given", "should not be given"),
        ("can", "cannot"),
        ("it", "it is so"),
        ("take 1020 mg", "take 10-\n20 mg"),
        ("take 1/2 mg", "take \u00bd mg"),
        ("resume it", "r\u00e9sum\u00e9 it"),
        ("infor mation", "information"),
        ("not able", "notable"),
        ("5 mg now", "5mg now"),
        ("take it, now", "take it; now"),
        ("stop taking", "stop-taking"),
        ("", "anything"),
        ("...", "and so on..."),
    ],
)
def test_anything_else_is_no_quote(quote: str, raw: str) -> None:
    assert found(quote, raw) is None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.data())
def test_what_is_found_is_a_stretch_of_the_raw_text_and_a_whole_text_is_its_own_quote(
    raw: str, data: st.DataObject
) -> None:
    assume(sum(c.isalnum() for c in raw) >= 3)
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    span = find_quote(raw[start:end], raw)
    assert span is None or 0 <= span[0] < span[1] <= len(raw)
    assert find_quote(raw, raw) is not None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.sampled_from(["NFC", "NFD", "NFKC"]))
def test_one_text_in_another_form_of_unicode_is_the_same(raw: str, form: Literal["NFC", "NFD", "NFKC"]) -> None:
    assume(sum(c.isalnum() for c in raw) >= 3 and not any(unicodedata.category(c) in {"No", "Cf"} for c in raw))
    written = unicodedata.normalize(form, raw)
    assume(sum(c.isalnum() for c in written) >= 3)
    assert find_quote(written, raw) is not None


@given(
    st.lists(
        st.sampled_from(["take", "5", "mg", "0.5", "not", "two", "of", "these", "daily", "with", "water"]), min_size=5
    ),
    st.data(),
)
def test_every_run_of_whole_words_is_found(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 3))
    end = data.draw(st.integers(start + 3, len(words)))
    quote = " ".join(words[start:end])
    assume(sum(c.isalnum() for c in quote) >= 3)
    assert found(quote, " ".join(words)) == quote
