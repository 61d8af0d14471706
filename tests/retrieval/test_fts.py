from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.fts import match_expression, searchable
from retrieval.terms import phrases

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (title, text, tokenize = 'porter unicode61')")
    connection.execute("INSERT INTO t VALUES ('flu', ?)", (searchable("Take 0.5 mg when the flu is here"),))
    yield connection
    connection.close()


@given(st.text(st.characters(), max_size=60))
@example('"')
@example('"" OR ""')
@example("NEAR(flu here, 3)")
@example("flu* ^flu title:flu {title text}:flu")
@example("+flu -flu (flu) flu AND NOT")
@example("\x00")
@example("\ud800")
@example("\ue000")
@example("ﬁ ½ ²")
def test_any_text_gives_a_valid_expression_or_none(table: sqlite3.Connection, text: str) -> None:
    for some in phrases(text, lambda _: 0.01):
        expression = match_expression(some)
        assert bool(expression) == bool(some)
        if expression:
            table.execute("SELECT rowid FROM t WHERE t MATCH ?", (expression,)).fetchall()


@pytest.mark.parametrize(("question", "found"), [("0.5 mg", True), ("5 mg", False), ("0.5 g", False), ("0.5", True)])
def test_a_decimal_number_is_one_word(table: sqlite3.Connection, question: str, found: bool) -> None:
    first, _ = phrases(question, lambda _: 0.01)
    hits = table.execute("SELECT rowid FROM t WHERE t MATCH ?", (match_expression(first[-1:]),)).fetchall()
    assert bool(hits) is found


def test_every_phrase_stands_in_quotes() -> None:
    assert match_expression([("il", "6"), ("0.5",)]) == '"il 6" OR "0\ue0005"'
    assert match_expression([]) == ""
