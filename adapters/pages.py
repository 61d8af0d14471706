"""What can be opened in a browser or by who watches: built for one application, and listened for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from adapters.overview import Overview
from adapters.playground.server import PREFIX, Playground
from adapters.topics import Topics
from adapters.tracing.metrics import Metrics
from adapters.watch import add_watch
from adapters.web import web_app
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from adapters.app import Application
    from adapters.slack.app import SlackApp
    from adapters.slack.install import Installer
    from adapters.teams.app import TeamsApp


@dataclass(frozen=True, slots=True)
class Pages:
    """What the pages tell of, shared with App Home."""

    app: Application
    overview: Overview
    topics: Topics
    metrics: Metrics

    @classmethod
    async def of(cls, app: Application) -> Pages:
        """For an application; its turns are counted from now on."""
        by_meaning = app.embedder is not None
        overview = Overview(app.index, app.backends, app.dispatcher.waiting, by_meaning=by_meaning)
        topics = Topics(app.index, app.searcher, app.engine.wording.prompts.about, app.engine.clock)
        app.traces.add(metrics := await asyncio.to_thread(Metrics))
        return cls(app, overview, topics, metrics)

    async def listen(
        self,
        stack: AsyncExitStack,
        slack: SlackApp | None = None,
        installer: Installer | None = None,
        teams: TeamsApp | None = None,
    ) -> int:
        """Serve them, and what the platforms send over HTTP, until the stack is left; gives the port.

        That is any free one where 0 is set. Raises `Misconfigured` where it is taken.
        """
        settings = self.app.settings
        token = settings.web_token.get_secret_value() if settings.web_token else None
        routes = web_app(slack, installer, teams)
        add_watch(routes, overview=self.overview, metrics=self.metrics, token=token)
        routes.add_subapp(PREFIX, Playground(self.app, self.overview, self.topics, token=token).application())
        runner = web.AppRunner(routes, access_log=None)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            msg = f"Cannot listen on {where} ({error.strerror}): set CITEWELL_PORT to a free port."
            raise Misconfigured(msg) from error
        return int(runner.addresses[0][1])

    def address(self, port: int) -> str:
        """Where the playground is, on this machine."""
        return f"http://127.0.0.1:{port}{PREFIX}/"
