"""Teams: the served product, with the double of Teams at the other end, in a channel."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from adapters.serve import serve
from adapters.teams.activities import PLATFORM
from adapters.teams.connector import NoTokens
from bot.wording import wording
from memory.conversation import Conversation
from tests.doubles.teams import APP, TENANT, Posted, TeamsDouble
from tests.doubles.teams.people import AMINA, BJORN, GUEST
from tests.doubles.teams.server import CHANNEL
from tests.golden.platforms import Shown
from tests.golden.settling import PATIENCE, settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from adapters.app import Application
    from tests.doubles.teams import Person
    from tests.golden.platforms import Writer

WRITERS: Mapping[Writer, Person] = {"member": AMINA, "colleague": BJORN, "guest": GUEST}
_LEAD = wording().crisis.mention


class StaticToken(NoTokens):
    """The one that the double asks for."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self) -> str:
        return self._token


class Teams:
    """A channel in which a member, a colleague and a guest write, each message with a mention."""

    def __init__(self, double: TeamsDouble) -> None:
        self._double = double
        self._app: Application | None = None
        self._threads: dict[str, str] = {}
        self._seen: set[str] = set()
        self._dialog: Any = None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "TEAMS_APP_ID": APP,
            "TEAMS_TENANT_ID": TENANT,
            "TEAMS_APP_PASSWORD": "secret",
            "teams_openid_url": self._double.openid_url,
            "teams_service_hosts": "127.0.0.1",
        }

    @asynccontextmanager
    async def serving(self, app: Application) -> AsyncIterator[None]:
        self._app = app
        ready, stop = asyncio.Event(), asyncio.Event()
        ports: list[int] = []

        def said(line: str) -> None:
            ready.set()
            ports.append(int(line.rpartition("port ")[2].partition(")")[0])) if "port " in line else None

        work = serve(app, say=said, stop=stop, tokens=StaticToken(self._double.token))
        served = asyncio.create_task(work)
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({served, waiting}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert waiting.done()
            self._double.endpoint = f"http://127.0.0.1:{ports[0]}/api/messages"
            yield
        finally:
            waiting.cancel()
            stop.set()
            await served

    async def say(self, text: str, *, by: Writer, thread: str, delivered: int) -> Sequence[Shown]:
        assert self._app is not None
        where = self._threads.get(thread, CHANNEL)
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        activity = self._double.message(where, WRITERS[by], escaped)
        self._threads.setdefault(thread, activity["conversation"]["id"])
        for _ in range(delivered):
            assert (await self._double.deliver(activity)).status == 200
            await settled(self._app.dispatcher)
        posted = [one for one in self._double.messages() if one.id not in self._seen]
        self._seen |= {one.id for one in posted}
        for one in posted:
            assert one.to or one.conversation == self._threads[thread]
        assert {one.to for one in posted} <= {None, WRITERS[by].id}
        return [_shown(one) for one in posted]

    async def press(self, label: str, *, by: Writer) -> str:
        """Click the button of this label under the latest message that has one, or in the dialog that came of that;
        what the dialog shows then.
        """
        shown = self._dialog or [card for posted in self._double.messages() for card in posted.cards]
        button = [one for one in _actions(shown) if one["title"] == label][-1]
        name = "task/submit" if self._dialog else "task/fetch"
        assert ("msteams" in button["data"]) is (name == "task/fetch")
        where = next(iter(self._threads.values()))
        value = {"data": button["data"], "context": {"theme": "default"}}
        activity = self._double.activity(where, WRITERS[by], type="invoke", name=name, value=value)
        given = await self._double.deliver(activity)
        assert given.status == 200
        self._dialog = given.body
        return "\n".join(_strings(given.body))

    def conversation(self, thread: str) -> Conversation:
        root = self._threads.get(thread, "").partition(";messageid=")[2]
        return Conversation(PLATFORM, TENANT, CHANNEL, root or "not yet")


@asynccontextmanager
async def teams() -> AsyncIterator[Teams]:
    """A request that the double refuses is a fault."""
    async with TeamsDouble() as double:
        yield Teams(double)
        assert double.rejections == []
        assert double.elsewhere == []


def _shown(posted: Posted) -> Shown:
    paragraphs = _unescaped(posted.text).split("\n\n")
    answer = list(takewhile(lambda text: not text.startswith(_LEAD), paragraphs))
    buttons = [button for card in posted.cards for button in _actions(card)]
    opened = [one for one in buttons if one["type"] == "Action.OpenUrl"]
    named = [one for one in buttons if "] " in one["title"]]
    return Shown(
        answer="\n\n".join(answer),
        beside="\n\n".join(paragraphs[len(answer) :]),
        sources=tuple(_name(one["title"], _names(posted)) for one in named),
        links=tuple(one["url"] for one in opened),
        everything="\n".join([_unescaped(posted.text), *_strings(posted.cards)]),
        private=posted.to is not None,
    )


def _names(posted: Posted) -> list[str]:
    """The whole names of its sources, where they are cited and above their passages."""
    cited = [one for entity in posted.activity.get("entities") or () for one in entity.get("citation") or ()]
    above = [text for text in _strings(posted.cards) if text.startswith("[")]
    return [f"[{one['position']}] {one['appearance']['name']}" for one in cited] + above


def _name(title: str, names: Sequence[str]) -> str:
    """What a button is for, without its number; a button has less room than what is cited."""
    short = title.removesuffix("…")
    whole = next((name for name in names if title.endswith("…") and name.startswith(short)), title)
    return whole.partition("] ")[2]


def _unescaped(text: str) -> str:
    """Teams' Markdown as a person reads it."""
    marks = "\\`*_{}[]()#+-.!~|<>:@&"
    for mark in marks:
        text = text.replace(f"\\{mark}", mark)
    return text


def _actions(value: object) -> Iterator[dict[str, Any]]:
    match value:
        case dict():
            if str(value.get("type", "")).startswith("Action."):
                yield value
            for inner in value.values():
                yield from _actions(inner)
        case list():
            for inner in value:
                yield from _actions(inner)
        case _:
            pass


def _strings(value: object) -> Iterator[str]:
    """Every text and every link, however deep."""
    match value:
        case dict():
            for name, inner in value.items():
                if name in {"text", "url", "title"} and isinstance(inner, str):
                    yield inner
                else:
                    yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case _:
            pass
