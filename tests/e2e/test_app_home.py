"""The bot's page and the questions to begin with, served whole, over Socket Mode and HTTP."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from adapters import samples
from adapters.app import build
from adapters.serve import serve
from adapters.settings import Settings
from bot.wording import wording
from memory.conversation import Conversation
from retrieval.ingest import ingest
from tests.doubles.slack import TEAM, ApiError, SlackDouble, payloads
from tests.e2e.serve_rig import eventually, free_port
from tests.e2e.test_slack import SCHEMAS, mode
from tests.memory.histories import a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.app import Application
    from tests.e2e.slack_rig import Mode

__all__ = ["mode"]

AMINA, OLA, GUEST = "U0AMINA", "U0OLA", "U0GUEST"
HOME = wording().home
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Stage:
    slack: SlackDouble
    app: Application

    async def page(self, user: str) -> str:
        """What this person is shown when they open the page, as JSON."""
        self.slack.workspace.homes.pop(user, None)
        await self.slack.deliver(payloads.home_opened(user, "home"))
        return await self.published(user)

    async def published(self, user: str) -> str:
        await self.slack.until(lambda: user in self.slack.workspace.homes)
        return json.dumps(self.slack.workspace.homes[user], ensure_ascii=False)

    async def click(self, user: str, action: str, by: str | None = None) -> str:
        """Click a button of this person's page, maybe as somebody else; the page that is published then."""
        button = next(one for one in _buttons(self.slack.workspace.homes[user]) if one["action_id"] == action)
        clicker = by or user
        self.slack.workspace.homes.pop(clicker, None)
        await self.slack.deliver(payloads.home_click(button, clicker), "interactive")
        return await self.published(clicker)


@pytest.fixture
async def stage(mode: Mode, tmp_path: Path) -> AsyncIterator[Stage]:
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(
            SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes)
        )
        slack.workspace.add_user(OLA)
        slack.workspace.add_user(GUEST, is_restricted=True)
        port = free_port()
        door = (
            {"SLACK_APP_TOKEN": slack.app_token} if mode == "socket" else {"SLACK_SIGNING_SECRET": slack.signing_secret}
        )
        settings = await asyncio.to_thread(
            Settings.load,
            home=tmp_path,
            embedder="none",
            slack_api_url=slack.base_url,
            SLACK_BOT_TOKEN=slack.bot_token,
            operators=frozenset({OLA, GUEST}),
            stages_off=frozenset({"hyde"}),
            port=port,
            **door,
        )
        app = await stack.enter_async_context(await build(settings))
        await ingest([Path(samples.__file__).parent / "documents"], app.index, collection="public")
        ready, stop = asyncio.Event(), asyncio.Event()
        served = asyncio.create_task(serve(app, say=lambda _: ready.set(), stop=stop))
        await asyncio.wait({served, asyncio.create_task(ready.wait())}, return_when=asyncio.FIRST_COMPLETED)
        if mode == "http":
            slack.request_url = f"http://127.0.0.1:{port}/slack/events"
        yield Stage(slack, app)
        stop.set()
        await served
        assert slack.rejections == []


async def test_a_person_sees_what_it_knows_and_keeps_and_no_switch(stage: Stage) -> None:
    page = await stage.page(AMINA)
    assert f"public: {len(await stage.app.index.catalogue())} documents" in page
    assert HOME.privacy in page
    assert HOME.stages not in page


async def test_an_operator_sees_its_health_and_a_guest_never_does(stage: Stage) -> None:
    assert HOME.healthy in await stage.page(OLA)
    assert HOME.health not in await stage.page(GUEST)


async def test_a_stage_that_an_operator_switches_off_is_off_for_the_next_search_until_it_is_on_again(
    stage: Stage,
) -> None:
    await stage.page(OLA)
    await stage.click(OLA, "home_stage:rerank")
    assert not stage.app.engine.switches.applied(stage.app.engine.pipeline).rerank
    await stage.click(OLA, "home_stage:rerank")
    assert stage.app.engine.switches.off == frozenset()


async def test_a_stage_that_the_settings_keep_off_is_not_offered_and_stays_off(stage: Stage) -> None:
    page = await stage.page(OLA)
    assert "home_stage:rerank" in page
    assert "home_stage:hyde" not in page
    button = next(one for one in _buttons(stage.slack.workspace.homes[OLA]) if one["action_id"] == "home_stage:rerank")
    stage.slack.workspace.homes.pop(OLA)
    made_up = button | {"action_id": "home_stage:hyde", "value": "off"}
    await stage.slack.deliver(payloads.home_click(made_up, OLA), "interactive")
    assert "home_stage:hyde" not in await stage.published(OLA)
    assert stage.app.engine.switches.off == frozenset()


async def test_a_switch_does_nothing_for_who_is_no_operator(stage: Stage) -> None:
    await stage.page(OLA)
    for stranger in (AMINA, GUEST):
        assert HOME.stages not in await stage.click(OLA, "home_stage:rerank", by=stranger)
    assert stage.app.engine.switches.off == frozenset()


async def test_forgetting_deletes_what_this_person_asked_everywhere_and_nothing_of_others(stage: Stage) -> None:
    memory = stage.app.engine.memories.durable
    threads = [Conversation("slack", TEAM, channel, "1.1") for channel in ("C0WARD", "D0AMINA")]
    for number, thread in enumerate(threads):
        for author in (AMINA, OLA):
            await memory.record(a_turn(conversation=thread, author=author, message=f"{author}{number}"))
    await stage.page(AMINA)
    assert HOME.forgotten in await stage.click(AMINA, "home_forget")
    for thread in threads:
        assert [turn.author for turn in await memory.turns(thread)] == [OLA]
    assert HOME.nothing_kept in await stage.click(AMINA, "home_forget")


async def test_the_messages_tab_offers_questions_that_the_documents_answer(stage: Stage) -> None:
    await stage.slack.deliver(payloads.home_opened(AMINA, "messages"))
    await stage.slack.until(lambda: stage.slack.workspace.prompts)
    *questions, last = [prompt["message"] for prompt in stage.slack.workspace.prompts[f"D{AMINA}"]]
    assert 1 <= len(questions) <= 3
    assert last == wording().prompts.help
    titles = {document.title for document in await stage.app.index.catalogue()}
    assert all(any(title in question for title in titles) for question in questions)


async def test_slack_refusing_the_page_is_logged_and_breaks_nothing(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.slack.fail("views.publish", ApiError("not_enabled"))
    await stage.slack.deliver(payloads.home_opened(AMINA, "home"))
    await eventually(lambda: "the page was not shown" in caplog.text)
    assert await stage.page(AMINA)


def _buttons(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        element
        for block in view["blocks"]
        for element in [*block.get("elements", ()), block.get("accessory", {})]
        if element.get("type") == "button"
    ]
