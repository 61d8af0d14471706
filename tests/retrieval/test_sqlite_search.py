from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from retrieval.schema import prepare
from retrieval.sqlite_file import connect
from retrieval.sqlite_search import Searcher
from retrieval.sqlite_write import replace
from tests.retrieval.samples import document, passages

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_replacement_between_two_steps_of_a_search_is_not_seen_by_it(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(connect(path)) as writer, closing(connect(path)) as reader:
        prepare(writer, path)
        replace(writer, document(), passages(document(), "alpha plan"), NOW)
        replaced: list[str] = []

        def meanwhile(statement: str) -> None:
            if statement.startswith("SELECT * FROM records") and not replaced:
                replace(writer, document(), passages(document(), "beta plan"), NOW)
                replaced.append(statement)

        searcher = Searcher(reader, None)
        reader.set_trace_callback(meanwhile)
        assert [hit.passage.text for hit in searcher.search("plan", None, 5, None)] == ["alpha plan"]
        assert replaced
        assert [hit.passage.text for hit in searcher.search("plan", None, 5, None)] == ["beta plan"]


def test_the_list_of_an_expected_search_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(connect(path)) as connection:
        prepare(connection, path)
        replace(connection, document(), passages(document(), "alpha plan"), NOW)
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        searcher = Searcher(connection, None)
        searcher.expect("plan", 5, None, None, context=True)
        assert [hit.passage.text for hit in searcher.search("plan", None, 5, None)] == ["alpha plan"]
        assert sum("bm25(" in statement for statement in statements) == 1


def test_of_too_many_expected_searches_none_is_kept_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(connect(path)) as connection:
        prepare(connection, path)
        replace(connection, document(), passages(document(), "alpha plan"), NOW)
        statements: list[str] = []
        searcher = Searcher(connection, None)
        for number in range(17):
            searcher.expect(f"plan {number}", 5, None, None, context=True)
        connection.set_trace_callback(statements.append)
        searcher.search("plan 0", None, 5, None)
        searcher.search("plan 1", None, 5, None)
        assert sum("bm25(" in statement for statement in statements) == 1
