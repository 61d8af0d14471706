"""Slack: the served product over Socket Mode, with the double of Slack at the other end."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from adapters.serve import serve
from adapters.slack.events import PLATFORM
from bot.wording import wording
from memory.conversation import Conversation
from tests.doubles.slack import BOT, TEAM, Message, SlackDouble
from tests.golden.platforms import Shown
from tests.golden.settling import PATIENCE, settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from adapters.app import Application
    from tests.golden.platforms import Writer

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared")) / "slack" / "schemas"
CHANNEL = "C0WARD"
WRITERS: Mapping[Writer, str] = {"member": "U0AMINA", "colleague": "U0BJORN", "guest": "U0GUEST"}
_LEAD = wording().crisis.mention


class Slack:
    """A channel in which a member, a colleague and a guest write, each thread begun with a mention."""

    def __init__(self, double: SlackDouble) -> None:
        self._double = double
        there = {"locale": "en-GB", "tz": "Europe/London"}
        self._double.workspace.add_user(WRITERS["colleague"], **there)
        self._double.workspace.add_user(WRITERS["guest"], is_restricted=True, **there)
        self._app: Application | None = None
        self._threads: dict[str, str] = {}
        self._seen: set[str] = set()

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "SLACK_BOT_TOKEN": self._double.bot_token,
            "SLACK_APP_TOKEN": self._double.app_token,
            "slack_api_url": self._double.base_url,
        }

    @asynccontextmanager
    async def serving(self, app: Application) -> AsyncIterator[None]:
        self._app = app
        ready, stop = asyncio.Event(), asyncio.Event()
        served = asyncio.create_task(serve(app, say=lambda _: ready.set(), stop=stop))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({served, waiting}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert waiting.done()
            yield
        finally:
            waiting.cancel()
            stop.set()
            await served

    async def say(self, text: str, *, by: Writer, thread: str, delivered: int) -> Sequence[Shown]:
        assert self._app is not None
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        root = self._threads.get(thread)
        said = escaped if root else f"<@{BOT}> {escaped}"
        message = await self._double.write(CHANNEL, WRITERS[by], said, thread=root)
        self._threads.setdefault(thread, message.ts)
        events = self._double.events_of(message)
        for retry in range(delivered):
            acks = await asyncio.gather(*(self._double.deliver(event, retry=retry) for event in events))
            assert all(ack.ok for ack in acks)
            await settled(self._app.dispatcher)
        posted = [message for message in self._posted() if message.ts not in self._seen]
        self._seen |= {message.ts for message in posted}
        for message in posted:  # what one person alone sees is not seen in a thread that nobody has replied in
            assert message.thread_ts == (self._threads[thread] if root or not message.to else None)
        assert {message.to for message in posted} <= {None, WRITERS[by]}
        return [_shown(message) for message in posted]

    async def press(self, label: str, *, by: Writer) -> str:
        """Click the button of this label under the latest message that has one; what they alone see then."""
        seen = [*self._posted()]
        found = [(message, one) for message in seen for one in _buttons(message) if one["text"]["text"] == label]
        message, button = max(found, key=lambda pair: seen.index(pair[0]))
        shown = self._double.workspace.ephemeral
        before = len(shown)
        await self._double.click(button, message, WRITERS[by])
        await self._double.until(lambda: len(shown) > before)
        assert shown[-1].to == WRITERS[by]
        return "\n".join([shown[-1].text, *_strings(shown[-1].blocks)])

    def conversation(self, thread: str) -> Conversation:
        return Conversation(PLATFORM, TEAM, CHANNEL, self._threads.get(thread, "not yet"))

    def _posted(self) -> Iterator[Message]:
        for messages in self._double.workspace.messages.values():
            yield from (message for message in messages if message.by_bot)
        yield from self._double.workspace.ephemeral


@asynccontextmanager
async def slack() -> AsyncIterator[Slack]:
    """With the scopes of the manifest and nothing more. A request that the double refuses is a fault."""
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    async with SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes) as double:
        yield Slack(double)
        assert double.rejections == []


def _shown(message: Message) -> Shown:
    words = [block["text"]["text"] for block in message.blocks if block["type"] == "section"]
    answer = list(takewhile(lambda text: not text.startswith(_LEAD), words))
    buttons = _buttons(message)
    return Shown(
        answer="\n\n".join(answer),
        beside="\n\n".join(words[len(answer) :]),
        sources=tuple(
            _label(button) for button in buttons if button["action_id"].partition(":")[0] in {"link", "passage"}
        ),
        links=tuple(button["url"] for button in buttons if "url" in button),
        everything="\n".join([message.text, *_strings(message.blocks)]),
        private=message.to is not None,
    )


def _buttons(message: Message) -> list[dict[str, Any]]:
    return [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]


def _label(button: Mapping[str, Any]) -> str:
    """Without its number, which is its place in the list."""
    label: str = button["text"]["text"]
    return label.partition("] ")[2]


def _strings(value: object) -> Iterator[str]:
    """Every text and every link, however deep."""
    match value:
        case dict():
            for name, inner in value.items():
                if name in {"text", "url"} and isinstance(inner, str):
                    yield inner
                else:
                    yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case _:
            pass
