"""The button for the rows that an answer did not show, on both platforms that have buttons."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from adapters.app import build
from adapters.lookups.settings import TableSettings
from bot.wording import wording
from tests.doubles.teams.server import CHANNEL as TEAMS_CHANNEL
from tests.golden.shelves import settings
from tests.golden.slack import CHANNEL as SLACK_CHANNEL
from tests.golden.slack import Slack, slack
from tests.golden.teams import Teams, teams

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from adapters.app import Application

    Opens: TypeAlias = Callable[..., AbstractAsyncContextManager[tuple[Slack | Teams, Application]]]

WORDS = wording().lookups
MANY = "vaccine,branch,doses left\n" + "".join(f"Flu,Branch {n},{1000 + n}\n" for n in range(1, 31))
STOCK: dict[str, Any] = {
    "title": "Stock",
    "keys": ["vaccine", "branch"],
    "columns": {"vaccine": {}, "branch": {}, "doses_left": {"type": "integer", "header": "doses left"}},
}


@pytest.fixture(params=["slack", "teams"])
async def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    (tmp_path / "stock.csv").write_text(MANY)

    @asynccontextmanager
    async def opened(**changed: Any) -> AsyncIterator[tuple[Slack | Teams, Application]]:
        channel = SLACK_CHANNEL if request.param == "slack" else TEAMS_CHANNEL
        said = TableSettings.model_validate({"file": tmp_path / "stock.csv", **STOCK, **changed})
        async with AsyncExitStack() as stack:
            platform: Slack | Teams
            if request.param == "slack":
                platform = await stack.enter_async_context(slack())
            else:
                platform = await stack.enter_async_context(teams())
            given: dict[str, Any] = {"lookups": {"stock": said}}
            given["channels"] = {request.param: {channel: ["public", "wards"]}}
            app = await stack.enter_async_context(
                await build(await settings(tmp_path / "home", search="words", **platform.settings, **given))
            )
            await stack.enter_async_context(platform.serving(app))
            yield platform, app

    return opened


async def test_a_click_leaves_a_line_of_what_was_asked_and_no_value(
    opens: Opens, caplog: pytest.LogCaptureFixture
) -> None:
    async with opens() as (platform, _):
        await platform.say("Doses left of Flu?", by="member", thread="first", delivered=1)
        caplog.clear()
        with caplog.at_level("INFO"):
            await platform.press(WORDS.more_button, by="colleague")
    [line] = [record.getMessage() for record in caplog.records if "more rows" in record.getMessage()]
    assert "lookup=stock" in line
    assert "1008" not in line


async def test_it_shows_the_rest_page_by_page_to_whoever_clicks_alone(opens: Opens) -> None:
    async with opens() as (platform, app):
        [answer] = await platform.say("Doses left of Flu?", by="member", thread="first", delivered=1)
        assert "There are 23 more" in answer.everything
        before = await app.engine.memories.durable.turns(platform.conversation("first"))
        second = await platform.press(WORDS.more_button, by="colleague")
        for part in ("“Stock”: 8 to 22 of 30", "doses left: 1008", "doses left: 1022"):
            assert part in second
        assert "1007" not in second
        assert "1023" not in second
        third = await platform.press(WORDS.more_button, by="colleague")
        assert "“Stock”: 23 to 30 of 30" in third
        assert "doses left: 1030" in third
        assert WORDS.more_button not in third
        assert await app.engine.memories.durable.turns(platform.conversation("first")) == before


async def test_who_clicks_is_authorised_again(opens: Opens) -> None:
    async with opens(collections=["wards"]) as (platform, _):
        [answer] = await platform.say("Doses left of Flu?", by="member", thread="first", delivered=1)
        assert "There are 23 more" in answer.everything
        shown = await platform.press(WORDS.more_button, by="guest")
        assert WORDS.rest_gone in shown
        assert "doses left: 10" not in shown


async def test_a_table_that_has_gone_wrong_meanwhile_is_not_shown(opens: Opens, tmp_path: Path) -> None:
    async with opens() as (platform, _):
        await platform.say("Doses left of Flu?", by="member", thread="first", delivered=1)
        (tmp_path / "stock.csv").write_text(MANY.replace("1010", "a dozen"))
        shown = await platform.press(WORDS.more_button, by="member")
        assert "I could not read that" in shown
        assert "dozen" not in shown


async def test_few_rows_have_no_button(opens: Opens) -> None:
    async with opens() as (platform, _):
        [answer] = await platform.say("Doses left of Flu at Branch 7?", by="member", thread="first", delivered=1)
        assert "doses left: 1007" in answer.everything
        assert WORDS.more_button not in answer.everything
