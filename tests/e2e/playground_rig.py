"""Microsoft's Agents Playground as a process of its own: Teams as far as it can be had without an account.

`make playground` fetches it from npm. It is driven over its HTTP interface, and what a person would see arrives on its
websocket. It listens on every interface and has no option for it: a preload binds it to loopback.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from aiohttp import ClientConnectionError, ClientSession

from tests.e2e.serve_rig import PATIENCE, free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

ROOT = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("PLAYGROUND", ROOT / ".playground")) / "node_modules"
PROGRAM = MODULES / "@microsoft" / "m365agentsplayground" / "cli.js"
FILES = Path(__file__).with_name("playground")
PERSONAL, GROUP, CHANNEL = "a:1personal", "19:group1@thread.v2", "19:ward1@thread.tacv2"
ALEX, MEGAN = "29:1alex", "29:1megan"
BOT, BOT_NAME = "28:11111111-1111-4111-8111-111111111111", "Citewell"
TENANT = "72f988bf-0000-4000-8000-000000000001"


def playground_or_skip() -> None:
    """Skip the tests, and say why, where it cannot be run."""
    if shutil.which("node") is None:
        missing("needs Node.js, for Microsoft's Agents Playground")
    if not PROGRAM.exists():
        missing("needs Microsoft's Agents Playground: make playground fetches it from npm")


def missing(what: str) -> NoReturn:
    """Skip the test; fail it where PLAYGROUND_REQUIRED says that all of it has to be there."""
    if os.environ.get("PLAYGROUND_REQUIRED") == "1":
        pytest.fail(what)
    pytest.skip(what)


@dataclass(slots=True)
class Shown:
    """One message as a person sees it, in its last state."""

    id: str
    conversation: str
    raw: dict[str, Any]

    @property
    def text(self) -> str:
        return str(self.raw.get("text") or "")

    @property
    def whole(self) -> bool:
        """Whether it says what it will say, and is not being written still."""
        stream = (self.raw.get("streamEntity") or {}).get("streamType", "final")
        return bool(self.text) and stream == "final"

    @property
    def thread(self) -> str:
        return str(self.raw.get("postConversationId") or self.conversation)

    @property
    def entity(self) -> dict[str, Any]:
        """The label for generated content with the citations; empty where there is none."""
        return self.raw.get("aiEntity") or {}

    @property
    def feedback(self) -> bool:
        return bool(self.raw.get("feedbackLoopEnabled"))

    @property
    def cards(self) -> list[dict[str, Any]]:
        return [one["content"] for one in self.raw.get("attachments") or ()]

    @property
    def actions(self) -> list[dict[str, Any]]:
        """Every button of its cards, in order."""
        return [action for card in self.cards for element in card["body"] for action in element.get("actions", ())]


@dataclass(slots=True)
class Playground:
    """Chats with a bot. `shown` are the bot's messages so far, in the order in which they came."""

    url: str
    session: ClientSession
    shown: list[Shown] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def say(self, conversation: str, text: str, *, mention: bool = False) -> str:
        """What the person at the keyboard writes; the id of the message's thread in a channel, else of the chat."""
        body: dict[str, Any] = {"from": {"id": ALEX}, "text": text, "textFormat": "plain"}
        if mention:
            at = f"<at>{BOT_NAME}</at>"
            mentioned = {"mentioned": {"id": BOT, "name": BOT_NAME}, "text": at}
            body |= {"text": f"{at} {text}", "mentions": [mentioned]}
        said = await self._post(f"/_conversation/v1/conversations/{conversation}/messages", body)
        return str(said.get("postConversationId") or conversation)

    async def answer(self, conversation: str, text: str, *, mention: bool = False) -> Shown:
        """Say something, and wait for the one message that comes of it."""
        before = len(self.shown)
        await self.say(conversation, text, mention=mention)
        return await self.next(before)

    async def carded(self, message: Shown) -> Shown:
        """The same message once its card is there, which comes behind its text."""
        await self.until(lambda: message.cards)
        return message

    async def next(self, after: int) -> Shown:
        """The message that follows the first `after` ones, once it is there and whole."""
        await self.until(lambda: len(self.shown) > after and self.shown[after].whole)
        return self.shown[after]

    async def until(self, reached: Callable[[], object]) -> None:
        """Wait until something holds of what was shown. TimeoutError, if it does not come."""
        async with asyncio.timeout(PATIENCE), self.changed:
            await self.changed.wait_for(lambda: bool(reached()))

    async def submit(self, message: Shown, value: dict[str, Any]) -> None:
        """Click a button of a card that sends its data."""
        body = {"conversation": {"id": message.thread}, "from": {"id": ALEX}, "replyToId": message.id, "value": value}
        await self._post("/_conversation/v1/submit", body)

    async def invoke(self, message: Shown, name: str, value: dict[str, Any]) -> dict[str, Any]:
        """Send an invoke from a message, and give back what the bot said to it."""
        body = {
            "name": name,
            "value": value,
            "from": {"id": ALEX},
            "conversation": {"id": message.thread},
            "replyToId": message.id,
        }
        return await self._post("/_conversation/v1/invoke", body)

    async def rate(self, message: Shown, reaction: str, words: str) -> dict[str, Any]:
        """Click a thumb and say why."""
        value = {
            "actionName": "feedback",
            "actionValue": {"reaction": reaction, "feedback": f'{{"feedbackText":"{words}"}}'},
        }
        return await self.invoke(message, "message/submitAction", value)

    async def activity(self, **activity: Any) -> None:
        """Send the bot any activity."""
        await self._post("/_internal/v1/customActivities", activity)

    async def template(self, conversation: str, kind: str) -> dict[str, Any]:
        """An activity of this kind to fill in."""
        query = {"conversationId": conversation, "type": kind}
        async with self.session.get(f"{self.url}/_internal/v1/customActivities/template", params=query) as got:
            assert got.status == 200, await got.text()
            return dict(await got.json())

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self.session.post(self.url + path, json=body) as got:
            text = await got.text()
            assert got.status < 300, (path, got.status, text)
            return dict(await got.json(content_type=None) or {}) if text.strip().startswith("{") else {}

    async def _listen(self) -> None:
        address = f"{self.url}/_ws_conversation/v1/conversations/stream"
        async with self.session.ws_connect(address, max_msg_size=0) as stream:
            async for frame in stream:
                await self._take(frame.json())

    async def _take(self, event: dict[str, Any]) -> None:
        async with self.changed:
            self.events.append(event)
            message = event.get("message") or {}
            if event.get("action") in {"createMessage", "updateMessage"} and _from_bot(message):
                self._show(str(message["messageId"]), str(event["actionConversationId"]), message)
            self.changed.notify_all()

    def _show(self, id_: str, conversation: str, message: dict[str, Any]) -> None:
        """A message with text and a card arrives as two, the card behind its text: they are put together again."""
        for one in self.shown:
            if one.id == id_:
                one.raw |= message
                return
        new = Shown(id_, conversation, message)
        before = next((one for one in reversed(self.shown) if one.thread == new.thread), None)
        if before is not None and new.cards and not new.text and not before.cards:
            before.raw |= {"attachments": message["attachments"]}
        else:
            self.shown.append(new)


def _from_bot(message: dict[str, Any]) -> bool:
    return (message.get("from") or {}).get("id") == BOT


@asynccontextmanager
async def playground(endpoint: str, folder: Path) -> AsyncIterator[Playground]:
    """One with the chats of `playground/m365agentsplayground.yml`, that sends what is said there to `endpoint`."""
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("M365_", "TEAMSAPPTESTER_"))},
        "TEAMSAPPTESTER_BROWSER": "none",
        "NODE_OPTIONS": f"--require {FILES / 'loopback.cjs'}",
        "M365_AGENTS_PLAYGROUND_CONFIG_PATH": str(FILES / "m365agentsplayground.yml"),
    }
    process = await asyncio.create_subprocess_exec(
        *("node", str(PROGRAM), "start", "-e", endpoint, "-c", "msteams", "-p", str(port), "--dt"),
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with ClientSession() as session:
            there = Playground(f"http://127.0.0.1:{port}", session)
            await _ready(there, process, folder)
            listening = asyncio.create_task(there._listen())
            try:
                yield there
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _ready(there: Playground, process: asyncio.subprocess.Process, folder: Path) -> None:
    """It says that it listens even where it ends at once; the reason then stands in its log alone."""
    async with asyncio.timeout(PATIENCE):
        while True:
            log = folder / "devTools" / "m365agentsplayground.log"
            assert process.returncode is None, log.read_text(encoding="utf-8") if log.exists() else "it ended at once"
            try:
                async with there.session.get(f"{there.url}/_debug/ping") as got:
                    if got.status == 200:
                        return
            except ClientConnectionError:
                await asyncio.sleep(0.05)
