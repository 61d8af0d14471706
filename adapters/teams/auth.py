"""Whether a request comes from Teams and is for us: the token it bears, held to every rule before anything is done.

The SDK's own extractor turns several kinds of bad token into a server error, refuses a rotated key for up to a day, and
fetches keys with a call that blocks the loop and has no time limit; so tokens are checked here, with PyJWT.
Source: "Authenticate requests from the Bot Connector service to your bot", learn.microsoft.com.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt

from adapters.teams.activities import parsed
from adapters.teams.hosts import service_allowed
from adapters.web_access import from_here

if TYPE_CHECKING:
    from collections.abc import Collection

    from aiohttp.web import Request

    from adapters.teams.activities import Activity
    from adapters.teams.keys import SigningKeys

CHANNEL = "msteams"
_ALGORITHM = "RS256"
_LEEWAY = 300
_LONGEST = 16_384


class Refused(Exception):
    """The request is not answered. The message names the rule that it breaks, and nothing of the request."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Rules:
    """What a request is held to. Without `app_id` (on loopback alone) there are no tokens, and all the rest holds.

    `tenant` is the organisation's own; where the bot is for several (`any_tenant`), people of others are guests.
    """

    app_id: str
    tenant: str
    issuer: str
    hosts: Collection[str]
    any_tenant: bool = False


class Gate:
    """Lets through what Teams sent to this bot, and raises `Refused` for everything else."""

    def __init__(self, rules: Rules, keys: SigningKeys) -> None:
        self.rules = rules
        self._keys = keys

    async def admitted(self, header: str, body: bytes) -> tuple[dict[str, Any] | None, Activity]:
        """What the token says, and the activity in the request, which is looked at only once the token holds.

        Raises `Refused`, `Malformed`, and `Transient` while its key cannot be asked for.
        """
        claims = await self._claims(header)
        activity = parsed(body)
        self._check(activity, claims)
        return claims, activity

    async def _claims(self, header: str) -> dict[str, Any] | None:
        """What the token in an Authorization header says, once its signature, issuer, audience and time hold.

        None where no tokens are asked for. Raises `Refused` (401), and `Transient` while its key cannot be asked for.
        """
        if not self.rules.app_id:
            return None
        scheme, _, token = header.partition(" ")
        if scheme != "Bearer" or not token or len(token) > _LONGEST:
            raise Refused("it bears no token", 401)
        try:
            return await self._verified(token)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            why = f"its token does not hold ({type(error).__name__})"
            raise Refused(why, 401) from None

    async def _verified(self, token: str) -> dict[str, Any]:
        header = jwt.get_unverified_header(token)
        kid = header.get("kid")
        if header.get("alg") != _ALGORITHM or not isinstance(kid, str):
            raise Refused("its token is signed in another way", 401)
        stated = jwt.decode(token, options={"verify_signature": False})
        if stated.get("iss") != self.rules.issuer:  # before a key is looked for: who forges anything else makes no work
            raise Refused("its token is somebody else's", 401)
        key = await self._keys.key(kid)
        if key is None:
            raise Refused("its token is signed with an unknown key", 401)
        if CHANNEL not in key.endorsements:
            raise Refused("its key may not sign for Teams", 401)
        ours = self.rules.app_id.casefold()
        claims: dict[str, Any] = jwt.decode(
            token,
            key.public,
            algorithms=[_ALGORITHM],
            audience=[one for one in _audiences(stated) if one.casefold() == ours],
            issuer=self.rules.issuer,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud"]},
        )
        return claims

    def _check(self, activity: Activity, claims: dict[str, Any] | None) -> None:
        """Hold what is said to who says it. Raises `Refused`: 401 for another service's token, else 403."""
        if claims is not None and claims.get("serviceurl") != activity.service_url:
            raise Refused("its token is for another service", 401)
        if activity.channel_id != CHANNEL:
            raise Refused("it does not come from Teams", 403)
        if not service_allowed(activity.service_url, self.rules.hosts):
            raise Refused("it asks for replies to a host that is not on the list", 403)
        if not self.rules.any_tenant and self.rules.tenant and activity.tenant != self.rules.tenant.casefold():
            raise Refused("it comes from another tenant", 403)


def from_this_machine(request: Request) -> None:
    """Without tokens, only this machine may ask, and no web page that is open on it. Raises `Refused`."""
    if not from_here(request):
        raise Refused("it does not come from this machine", 403)
    if request.content_type != "application/json" or "Origin" in request.headers:
        raise Refused("it comes from a web page", 403)


def _audiences(stated: dict[str, Any]) -> list[str]:
    """Whom a token says that it is for, as it writes them."""
    given = stated.get("aud")
    return [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str)]


def stated_in(token: str) -> dict[str, Any]:
    """What a token of our own says, whoever signed it; nothing where it cannot be read. Never for one that came in."""
    try:
        stated: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError):
        return {}
    return stated
