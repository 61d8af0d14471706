"""The playground's routes, below `/playground/`."""

from __future__ import annotations

import asyncio
import json
import logging
from importlib import resources
from typing import TYPE_CHECKING, Any

from aiohttp import web
from pydantic import ValidationError

from adapters.playground.asking import Question, asked, conversation
from adapters.playground.dashboard import Dashboard
from adapters.playground.entry import Entry
from adapters.playground.uploading import Undoing, Uploading
from adapters.web import BODY_LIMIT
from bot.switches import STAGES

if TYPE_CHECKING:
    from adapters.app import Application
    from adapters.overview import Overview
    from adapters.topics import Topics

logger = logging.getLogger(__name__)

PREFIX = "/playground"
_FILES = {
    "": ("index.html", "text/html"),
    "dashboard": ("dashboard.html", "text/html"),
    "app.js": ("app.js", "text/javascript"),
    "parts.js": ("parts.js", "text/javascript"),
    "dashboard.js": ("dashboard.js", "text/javascript"),
    "style.css": ("style.css", "text/css"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
}
_EXAMPLES = 4


class Playground:
    """The page and what it calls. `token` lets people in from other machines; without one nobody is."""

    def __init__(self, app: Application, overview: Overview, topics: Topics, *, token: str | None) -> None:
        self._app = app
        self._overview = overview
        self._topics = topics
        self._entry = Entry(token)
        self._dashboard = Dashboard(app)
        self._uploading = Uploading(app)

    def application(self) -> web.Application:
        """To be added below `PREFIX`."""
        page = web.Application(middlewares=[self._entry.guarding], client_max_size=BODY_LIMIT)
        for name in _FILES:
            page.router.add_get(f"/{name}", self._file)
        page.router.add_get("/login", self._login_page)
        page.router.add_post("/login", self._log_in)
        page.router.add_get("/api/state", self._state)
        page.router.add_get("/api/dashboard", self._numbers)
        page.router.add_post("/api/ask", self._ask)
        page.router.add_post("/api/forget", self._forget)
        page.router.add_post("/api/documents", self._take_in)
        page.router.add_post("/api/documents/undo", self._undo)
        return page

    async def _file(self, request: web.Request) -> web.Response:
        name, kind = _FILES[request.path.removeprefix(f"{PREFIX}/")]
        return web.Response(text=await asyncio.to_thread(_read, name), content_type=kind)

    async def _login_page(self, _: web.Request) -> web.Response:
        return web.Response(text=await asyncio.to_thread(_read, "login.html"), content_type="text/html")

    async def _log_in(self, request: web.Request) -> web.Response:
        form = await request.post()
        response = self._entry.log_in(request, str(form.get("token", "")))
        if response is None:
            await asyncio.sleep(1)  # a guess a second is too slow to be worth making
            raise web.HTTPSeeOther("login")
        return response

    async def _state(self, _: web.Request) -> web.Response:
        holdings, health = await self._overview.holdings(None), await self._overview.health()
        return web.json_response(
            {
                "collections": dict(holdings.collections) if holdings else {},
                "faults": list(health.faults),
                "backends": health.backends,
                "stages": list(STAGES),
                "off": sorted(self._app.engine.switches.off | self._app.settings.stages_off),
                "into": self._app.intake.permission.collection,
                "most_bytes": self._app.intake.permission.most_bytes,
                "examples": list(await self._topics.questions(None, count=_EXAMPLES)),
            }
        )

    async def _ask(self, request: web.Request) -> web.Response:
        try:
            question = Question.model_validate(await _json(request))
            return web.json_response(await asked(self._app, question, self._app.engine.new_id()))
        except (ValidationError, ValueError) as error:
            return _refused("That cannot be asked so." if isinstance(error, ValidationError) else str(error))

    async def _forget(self, request: web.Request) -> web.Response:
        try:
            where = conversation(str((await _json(request))["conversation"]))
        except (ValueError, KeyError, TypeError):
            return _refused("No conversation is named.")
        gone = await self._app.forgetter.matching(conversation=where)
        words = self._app.engine.wording.forget
        return web.json_response({"said": words.done if gone.turns else words.none})

    async def _take_in(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(await self._uploading.take_in(request))
        except ValueError as error:
            return _refused(str(error))

    async def _undo(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(await self._uploading.undo(Undoing.model_validate(await _json(request))))
        except ValueError:
            return _refused("There is no upload of that name.")

    async def _numbers(self, _: web.Request) -> web.Response:
        return web.json_response(await self._dashboard.numbers())


async def _json(request: web.Request) -> Any:
    """ValueError for what is no JSON."""
    if request.content_type != "application/json":
        raise ValueError("the page sends JSON")
    return json.loads(await request.text())


def _refused(why: str) -> web.Response:
    return web.json_response({"error": why}, status=400)


def _read(name: str) -> str:
    return resources.files("adapters.playground").joinpath("page", name).read_text(encoding="utf-8")
