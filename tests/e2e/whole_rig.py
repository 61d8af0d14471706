"""The whole product in this process, in Slack over Socket Mode or HTTP, with the double at the other end."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from adapters.app import build
from adapters.serve import serve
from adapters.settings import Settings
from tests.doubles.slack import SlackDouble
from tests.e2e.serve_rig import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.app import Application
    from tests.doubles.slack import Message

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared")) / "slack" / "schemas"
Mode = Literal["socket", "http"]


@dataclass(slots=True)
class Whole:
    """The product, what it said on its start, and the double."""

    slack: SlackDouble
    app: Application
    said: list[str] = field(default_factory=list)

    async def settled(self) -> None:
        """Wait until nothing waits or runs any more."""
        async with asyncio.timeout(20):
            while self.app.dispatcher.busy:  # noqa: ASYNC110 - the dispatcher tells its state, not its changes
                await asyncio.sleep(0.005)

    async def asked(self, channel: str, user: str, text: str, *, thread: str | None = None, **more: Any) -> Message:
        """The last that the bot posts in the channel after a person has written."""
        await self.slack.say(channel, user, text, thread=thread, **more)
        await self.settled()
        return self.slack.workspace.posted(channel)[-1]


def double() -> SlackDouble:
    """With the scopes of the manifest and nothing more."""
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    return SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes)


@asynccontextmanager
async def whole(slack: SlackDouble, mode: Mode, home: Path, **given: Any) -> AsyncIterator[Whole]:
    """Served, with these settings and no others."""
    port = free_port()
    token = {"SLACK_APP_TOKEN": slack.app_token, "SLACK_SIGNING_SECRET": None}
    secret = {"SLACK_APP_TOKEN": None, "SLACK_SIGNING_SECRET": slack.signing_secret}
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "VOYAGE_API_KEY", "WEAVIATE_URL"))
    settings = await asyncio.to_thread(
        Settings.load,
        home=home,
        embedder="none",
        SLACK_BOT_TOKEN=slack.bot_token,
        slack_api_url=slack.base_url,
        CITEWELL_PORT=port,
        **(token if mode == "socket" else secret),
        **keys,
        **given,
    )
    slack.request_url = f"http://127.0.0.1:{port}/slack/events" if mode == "http" else None
    async with await build(settings) as app:
        made = Whole(slack, app)
        stop, ready = asyncio.Event(), asyncio.Event()

        def say(line: str) -> None:
            made.said.append(line)
            if line.startswith("Collections:"):
                ready.set()

        serving = asyncio.create_task(serve(app, say=say, stop=stop))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({serving, waiting}, timeout=20, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert waiting.done(), serving.result() if serving.done() else "not ready"
            yield made
        finally:
            waiting.cancel()
            stop.set()
            await serving
