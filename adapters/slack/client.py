"""The client that speaks for us in Slack, and who it is."""

from __future__ import annotations

import logging

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.errors import mapped
from adapters.slack.events import Identity
from bot.errors import CitewellError

_LOG = logging.getLogger(__name__)
SLACK_API = "https://slack.com/api/"
_SECONDS_A_CALL = 30


def web_client(token: str, *, base_url: str = SLACK_API, session: ClientSession | None = None) -> AsyncWebClient:
    """A client that tries each call once: whether to try again is decided where it is known what that may do.

    With a `session`, calls share its connections; without one, each call opens its own, as the SDK does. The SDK and
    Bolt log bodies, with people's words, at INFO and DEBUG, so their loggers begin at WARNING.
    """
    return AsyncWebClient(token=token, base_url=base_url, logger=quiet("sdk"), retry_handlers=[], session=session)


def slack_session() -> ClientSession:
    """Connections to Slack for all clients together: a call that finds one open needs no handshake.

    Of what Slack sets, no cookie is kept, since workspaces share it. A call may take as long as the SDK lets one. Made
    within an event loop; to be closed.
    """
    return ClientSession(cookie_jar=DummyCookieJar(), timeout=ClientTimeout(total=_SECONDS_A_CALL))


async def identify(client: AsyncWebClient) -> Identity:
    """Who the token belongs to. Raises `Misconfigured` for a bad token, `Transient` if Slack does not answer."""
    with mapped("auth.test"):
        response = await client.auth_test()
    bot = str(response.get("bot_id") or "")
    return Identity(str(response["team_id"]), str(response["user_id"]), bot, app=await _app_of(client, bot))


async def _app_of(client: AsyncWebClient, bot: str) -> str:
    """The app that a bot belongs to; empty, and not checked, where Slack does not say."""
    try:
        with mapped("bots.info"):
            response = await client.bots_info(bot=bot)
    except CitewellError as error:
        _LOG.warning("which app a request was sent to is not checked: %s", error)
        return ""
    return str((response.get("bot") or {}).get("app_id") or "")


def quiet(part: str, level: int = logging.WARNING) -> logging.Logger:
    """The logger of a library that would write down what people say."""
    logger = logging.getLogger(f"{__name__}.{part}")
    logger.setLevel(level)
    return logger
