"""`citewell serve`: the platforms that are configured, until told to stop."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from adapters.app import utc_now
from adapters.pages import Pages
from adapters.signals import stopped_by_signal
from adapters.slack.alerts import Alerts
from adapters.slack.app import SlackApp, identify, web_client
from adapters.slack.app_home import AppHome
from adapters.slack.delivery import SlackDelivery
from adapters.slack.events import PLATFORM as SLACK
from adapters.slack.threads import Threads
from adapters.slack.users import Users
from bot.errors import Misconfigured
from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError
from retrieval.vectors import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.app import Application

logger = logging.getLogger(__name__)

NOTHING_TO_SERVE = (
    "No platform is configured. For Slack set SLACK_BOT_TOKEN, and SLACK_APP_TOKEN (Socket Mode) or "
    "SLACK_SIGNING_SECRET (HTTP); docs/slack.md tells where they come from. To try it here: citewell demo."
)
_RESUME_SECONDS = 300.0
_DAY_SECONDS = 86_400.0


async def serve(app: Application, *, say: Callable[[str], None], stop: asyncio.Event | None = None) -> None:
    """Answer on every configured platform until `stop`, SIGTERM or SIGINT; then finish what runs and end.

    Vectors that are missing are filled in beside it. `say` gets a line when it is ready, one that names the
    backends, and one when it stops. Raises `Misconfigured` where nothing is configured, or a token is refused.
    """
    settings = app.settings
    if settings.slack_bot_token is None:
        raise Misconfigured(NOTHING_TO_SERVE)
    async with AsyncExitStack() as stack:
        stop = stop or stack.enter_context(stopped_by_signal()).event
        pages = await Pages.of(app)
        slack = await _slack(app, settings.slack_bot_token.get_secret_value(), pages, stack)
        stack.push_async_callback(slack.close)
        address = await pages.listen(stack, None if settings.slack_app_token else slack)
        stack.push_async_callback(app.dispatcher.drain, settings.drain_grace)
        await _delete_too_old(app)
        resumed = await _resume(app)
        with _naming("SLACK_APP_TOKEN"):
            await slack.start()
        works = _fill(app, stop), _resume_now_and_then(app), _delete_too_old_daily(app)
        beside = [asyncio.create_task(work) for work in works]
        how = "Socket Mode" if settings.slack_app_token else f"HTTP, port {settings.port}"
        say(f"Citewell answers in Slack ({how}). Messages that were waiting: {resumed}.")
        say(app.backends)
        say(f"The playground, on this machine: {address}")
        await stop.wait()
        say("Stopping: finishing what runs.")
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def _slack(app: Application, token: str, pages: Pages, stack: AsyncExitStack) -> SlackApp:
    settings = app.settings
    client = web_client(token, base_url=settings.slack_api_url)
    with _naming("SLACK_BOT_TOKEN"):
        me = await identify(client)
    words, privately = app.engine.wording, settings.crisis_privately
    alerts = Alerts(client, settings.crisis_alert, words.alert) if settings.crisis_alert else None
    if alerts is not None:
        stack.push_async_callback(alerts.close)
    app.dispatcher.register(SLACK, SlackDelivery(client, me, words, privately=privately, alerts=alerts))
    return SlackApp(
        client=client,
        me=me,
        dispatcher=app.dispatcher,
        users=Users(client, time.monotonic),
        threads=Threads(app.engine.memories),
        sources=app.sources,
        memories=app.engine.memories,
        home=_home(app, pages),
        words=app.engine.wording,
        now=utc_now,
        app_token=settings.slack_app_token.get_secret_value() if settings.slack_app_token else None,
        signing_secret=settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else None,
    )


def _home(app: Application, pages: Pages) -> AppHome:
    engine = app.engine
    return AppHome(
        overview=pages.overview,
        topics=pages.topics,
        forgetter=app.forgetter,
        switches=engine.switches,
        words=engine.wording,
        visible=lambda author: engine.settings.visible(guest=author.guest),
        operators=app.settings.operators,
    )


@contextmanager
def _naming(setting: str) -> Iterator[None]:
    """Say which setting holds what was refused."""
    try:
        yield
    except Misconfigured as error:
        msg = f"{setting}: {error}"
        raise Misconfigured(msg) from error


async def _fill(app: Application, stop: asyncio.Event) -> None:
    if app.embedder is None:
        return
    try:
        if filled := await fill(app.index, app.embedder, stop=stop):
            logger.info("%d passages can now be found by meaning", filled)
    except RetrievalError as error:
        logger.error("vectors are not filled in, words still find: %s", error)  # noqa: TRY400 - the message says it all


async def _resume_now_and_then(app: Application) -> None:
    """Bring back replies that could not be delivered, for as long as it runs."""
    while True:
        await asyncio.sleep(_RESUME_SECONDS)
        await _resume(app)


async def _resume(app: Application) -> int:
    """How much of what waits was taken up; none where it cannot be read, for new messages can be answered still."""
    try:
        return await app.dispatcher.resume()
    except MemoryUnavailable as error:
        logger.error("what waits in the inbox cannot be read: %s", error)  # noqa: TRY400 - the message says it all
        return 0


async def _delete_too_old_daily(app: Application) -> None:
    """Once a day, for as long as it runs."""
    while True:
        await asyncio.sleep(_DAY_SECONDS)
        await _delete_too_old(app)


async def _delete_too_old(app: Application) -> None:
    """Where that cannot be done now, it is done another day: new messages can be answered still."""
    try:
        gone = await app.forgetter.too_old(app.engine.clock(), keep_days=app.settings.keep_days)
    except MemoryUnavailable as error:
        logger.error("what is too old cannot be deleted: %s", error)  # noqa: TRY400 - the message says it all
    else:
        logger.info("deleted as too old: %d turns, %d messages that waited", gone.turns, gone.waiting)
