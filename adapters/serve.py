"""`citewell serve`: the platforms that are configured, until told to stop."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from adapters.app import utc_now
from adapters.filling import keep_filled
from adapters.installing import in_slack, slack_wanted
from adapters.pages import Pages
from adapters.reload import reload_when_asked
from adapters.settings import Settings
from adapters.shelving_settings import in_a_line, unknown_names
from adapters.signals import stopped_by_signal, told_by_hangup
from adapters.slack.alerts import Alerts
from adapters.slack.app import SlackApp
from adapters.slack.app_home import AppHome
from adapters.slack.delivery import SlackDelivery
from adapters.slack.events import PLATFORM as SLACK
from adapters.slack.intake import SlackIntake
from adapters.slack.leaving import Leaving
from adapters.slack.localities import Localities
from adapters.slack.threads import Threads
from adapters.slack.users import Users
from adapters.teams.configured import configured as teams_configured
from bot.errors import Misconfigured, outline
from memory.errors import MemoryUnavailable
from retrieval.document import PUBLIC
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.app import Application
    from adapters.installing import InSlack
    from adapters.slack.workspaces import Workspaces
    from adapters.teams.app import TeamsApp
    from adapters.teams.connector import TokenSource

logger = logging.getLogger(__name__)

_RESUME_SECONDS = 300.0
_DAY_SECONDS = 86_400.0
_SWITCH_SECONDS = 0.0005
"""How long a thread that computes may hold the others up: what arrives is acknowledged while questions are answered."""


async def serve(
    app: Application,
    *,
    say: Callable[[str], None],
    stop: asyncio.Event | None = None,
    local: bool = False,
    tokens: TokenSource | None = None,
    load: Callable[[], Settings] = Settings.load,
) -> None:
    """Answer on every configured platform until `stop`, SIGTERM or SIGINT; then finish what runs and end.

    `local` serves Teams to this machine without an app id, for Microsoft's playground; `tokens` stand in for those that
    Microsoft's login gives. SIGHUP has settings read again by `load`. Vectors that are missing are filled in beside it.
    `say` gets a line when it is ready, one that names the backends, and one when it stops. Raises `Misconfigured` where
    nothing is configured, or a token is refused.
    """
    settings = app.settings
    sys.setswitchinterval(_SWITCH_SECONDS)
    in_teams = teams_configured(settings, local=local)
    async with AsyncExitStack() as stack:
        stop = stop or stack.enter_context(stopped_by_signal()).event
        asked = stack.enter_context(told_by_hangup())
        pages = await Pages.of(app)
        spoken_in = slack = None
        if slack_wanted(settings) or not in_teams:
            spoken_in = await in_slack(settings, app.engine.wording, stack)
            slack = await _slack(app, spoken_in, pages, stack)
            stack.push_async_callback(slack.close)
        teams = await _teams(app, stack, tokens) if in_teams else None
        over_http = None if settings.slack_app_token else slack
        port = await pages.listen(stack, over_http, spoken_in.installer if spoken_in else None, teams)
        stack.push_async_callback(app.dispatcher.drain, settings.drain_grace)
        await _delete_too_old(app)
        resumed = await _resume(app)
        if slack is not None:
            with _naming("SLACK_APP_TOKEN"):
                await slack.start()
        works = [keep_filled(app, stop), _resume_now_and_then(app), _delete_too_old_daily(app), _restore_documents(app)]
        works.append(reload_when_asked(app, asked, load, say))
        if spoken_in is not None:
            works.append(_refresh_now_and_then(spoken_in.workspaces))
        beside = [asyncio.create_task(work) for work in works]
        say(f"Citewell answers in {_where(settings, slack, teams, port)}. Messages that were waiting: {resumed}.")
        if spoken_in is not None and spoken_in.installer is not None:
            say(f"To install it in a workspace: {spoken_in.installer.url}")
        say(app.backends)
        say(f"The playground, on this machine: {pages.address(port)}")
        await _say_who_sees_what(app, say)
        await stop.wait()
        say("Stopping: finishing what runs.")
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def _teams(app: Application, stack: AsyncExitStack, tokens: TokenSource | None) -> TeamsApp:
    from adapters.teams.start import start  # here, not above: who serves Slack alone does without 10 MB

    return await start(app, stack, tokens=tokens)


def _where(settings: Settings, slack: SlackApp | None, teams: TeamsApp | None, port: int) -> str:
    how = "Socket Mode" if settings.slack_app_token else f"HTTP, port {port}"
    named = [f"Slack ({how})"] if slack else []
    return " and in ".join([*named, f"Teams (HTTP, port {port})"] if teams else named)


async def _slack(app: Application, spoken_in: InSlack, pages: Pages, stack: AsyncExitStack) -> SlackApp:
    settings, workspaces = app.settings, spoken_in.workspaces
    words, privately = app.engine.wording, settings.crisis_privately
    alerts = Alerts(workspaces, settings.crisis_alert, words.alert) if settings.crisis_alert else None
    if alerts is not None:
        stack.push_async_callback(alerts.close)
    delivery = SlackDelivery(workspaces, words, privately=privately, alerts=alerts)
    telling = SlackIntake(delivery.outlet, delivery, words)
    app.dispatcher.register(SLACK, telling)
    localities = Localities(workspaces, telling, app.access, app.intake, time.monotonic)
    stack.push_async_callback(localities.close)
    await localities.begin()
    users, threads = Users(time.monotonic, shared=localities.shared), Threads(app.engine.memories)
    return SlackApp(
        client=spoken_in.client,
        workspaces=workspaces,
        dispatcher=app.dispatcher,
        leaving=Leaving(workspaces, app.forgetter, (users.forget, threads.forget, localities.forget), app.intake.leave),
        localities=localities,
        users=users,
        threads=threads,
        sources=app.sources,
        memories=app.engine.memories,
        intake=app.intake,
        home=_home(app, pages),
        forgetter=app.forgetter,
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
        access=app.access,
        operators=app.settings.operators,
        kept_off=app.settings.stages_off,
    )


async def _say_who_sees_what(app: Application, say: Callable[[str], None]) -> None:
    """Whether there is anything, which channels have what, and which collections of the settings have no documents."""
    settings = app.settings
    try:
        held = await app.index.status()
    except RetrievalError:
        held = None  # it has been said already that there is no index
    if held is not None and not held.passages:
        say("The index is empty: take documents in with citewell ingest.")
    say(in_a_line(settings.shelving))
    if held is None:
        return
    more = {"public_collections": settings.public_collections - {PUBLIC}}
    for line in unknown_names(settings.channels, more, held.collections):
        say(f"Please check: {line}")


@contextmanager
def _naming(setting: str) -> Iterator[None]:
    """Say which setting holds what was refused."""
    try:
        yield
    except Misconfigured as error:
        msg = f"{setting}: {error}"
        raise Misconfigured(msg) from error


async def _restore_documents(app: Application) -> None:
    """Those that were sent, where the index has been built anew."""
    try:
        await app.intake.restore()
    except (RetrievalError, OSError) as error:
        logger.error("documents that were sent are not looked through: %s", outline(error))  # noqa: TRY400 - see outline


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


async def _refresh_now_and_then(workspaces: Workspaces) -> None:
    """Renew tokens before they expire, for as long as it runs."""
    while True:
        await workspaces.refresh()
        await asyncio.sleep(_RESUME_SECONDS)


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
