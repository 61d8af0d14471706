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
from adapters.web import web_app
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from adapters.app import Application
    from adapters.slack.app import SlackApp


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
        overview = Overview(app.index, app.inbox, app.backends, lambda: app.dispatcher.busy, by_meaning=by_meaning)
        topics = Topics(app.index, app.searcher, app.engine.wording.prompts.about, app.engine.clock)
        app.traces.add(metrics := await asyncio.to_thread(Metrics))
        return cls(app, overview, topics, metrics)

    async def listen(self, stack: AsyncExitStack, slack: SlackApp | None = None) -> str:
        """Serve them, and Slack's requests where it speaks HTTP, until the stack is left; gives the page's address.

        Raises `Misconfigured` where the port is taken.
        """
        settings = self.app.settings
        token = settings.web_token.get_secret_value() if settings.web_token else None
        playground = Playground(self.app, self.overview, self.topics, token=token).application()
        routes = web_app(slack, overview=self.overview, metrics=self.metrics, token=token, playground=playground)
        runner = web.AppRunner(routes, access_log=None)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            msg = f"Cannot listen on {where} ({error.strerror}): set CITEWELL_PORT to a free port."
            raise Misconfigured(msg) from error
        return f"http://{settings.host}:{settings.port}{PREFIX}/"
