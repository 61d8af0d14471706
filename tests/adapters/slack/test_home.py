"""The bot's page: what each person is shown on it, within Slack's limits."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from adapters.overview import Health, Holdings
from adapters.slack.home import Controls, home, switched
from bot.wording import wording
from tests.doubles.slack.limits import check_block

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

WORDS = wording()
HOLDINGS = Holdings({"public": 12, "staff_rules": 3}, datetime(2026, 11, 30, tzinfo=UTC))
HEALTH = Health(
    "Index: sqlite. Answers: extracts.",
    120,
    100,
    0,
    ("20 of 120 passages are found by words alone so far.",),
    ready=True,
)


def test_the_page_of_a_person(payload: SnapshotAssertion) -> None:
    assert home(HOLDINGS, WORDS) == payload


def test_the_page_of_an_operator(payload: SnapshotAssertion) -> None:
    assert home(HOLDINGS, WORDS, note="Done.", controls=Controls(HEALTH, frozenset({"rerank"}))) == payload


def test_a_person_sees_no_switch_and_no_fault() -> None:
    shown = json.dumps(home(HOLDINGS, WORDS))
    assert "home_stage" not in shown
    assert "passages" not in shown


@pytest.mark.parametrize(("holdings", "said"), [(None, WORDS.home.unknown), (Holdings(), WORDS.home.nothing)])
def test_without_documents_the_page_says_why(holdings: Holdings | None, said: str) -> None:
    assert said in json.dumps(home(holdings, WORDS))


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=64)


@given(st.dictionaries(NAMES, st.integers(0, 10**9), max_size=60), st.lists(st.text(max_size=3_000), max_size=5))
def test_no_page_is_longer_than_slack_takes(collections: dict[str, int], faults: list[str]) -> None:
    health = Health("Index: sqlite.", 1, 1, 0, tuple(faults), ready=True)
    view = home(Holdings(collections), WORDS, note="x", controls=Controls(health, frozenset()))
    assert len(view["blocks"]) <= 100
    for block in view["blocks"]:
        check_block(block)
    _allowed(view)


@given(NAMES)
def test_nothing_on_the_page_is_read_as_a_mention_or_a_link(name: str) -> None:
    shown = home(Holdings({f"<!here> <@U1> <https://x.example|x> {name}": 1}), WORDS)["blocks"][1]["text"]["text"]
    assert "<" not in shown


@pytest.mark.parametrize(
    ("action", "value", "means"),
    [
        ("home_stage:rerank", "off", ("rerank", False)),
        ("home_stage:hyde", "on", ("hyde", True)),
        ("home_stage:everything", "off", None),
        ("home_stage:rerank", "maybe", None),
        ("passage:1", "off", None),
    ],
)
def test_only_a_switch_of_ours_switches(action: str, value: str, means: tuple[str, bool] | None) -> None:
    assert switched(action, value) == means


def _allowed(view: Any) -> None:
    schemas = Path(os.environ.get("SHARED_DATA", Path(__file__).resolve().parents[4] / "shared")) / "slack" / "schemas"
    if schemas.is_dir():
        schema = json.loads((schemas / "View.schema.json").read_text(encoding="utf-8"))
        assert next(Draft7Validator(schema).iter_errors(view), None) is None
