"""The keys that Microsoft signs with, fetched off the event loop's way and anew as soon as an unknown one is named."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import aiohttp
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWTError
from jwt.algorithms import RSAAlgorithm
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

logger = logging.getLogger(__name__)
_LEAST_BITS = 2048


class Published(Protocol):
    """Where the keys are published."""

    async def __call__(self) -> Iterable[object]:
        """The keys as JSON Web Keys. Raises `Transient`."""
        ...


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key, and the channels whose requests it may sign."""

    public: RSAPublicKey
    endorsements: frozenset[str]


class _Jwk(BaseModel):
    model_config = ConfigDict(extra="ignore")

    kid: str
    kty: str
    n: str
    e: str
    use: str | None = None
    endorsements: list[str] = []


class SigningKeys:
    """Keys by their id. They are asked for when first needed, every `fresh` seconds of `clock`, and for an unknown id.

    Unknown ids may cause `most` requests in `within` seconds, so that forged ones cannot make us ask without end; each
    answer brings all keys, so a rotated one is found by whichever request comes first. A key that was fetched before
    goes on being good until newer ones are there, and nobody waits while they are fetched.
    """

    def __init__(
        self,
        published: Published,
        clock: Callable[[], float],
        *,
        fresh: float = 86_400,
        most: int = 5,
        within: float = 60,
    ) -> None:
        self._published = published
        self._clock = clock
        self._fresh = fresh
        self._within = within
        self._asked: deque[float] = deque(maxlen=most)
        self._keys: dict[str, SigningKey] = {}
        self._at: float | None = None
        self._tries = 0
        self._told = False
        self._fetching = asyncio.Lock()
        self._beside: asyncio.Task[bool] | None = None

    async def key(self, kid: str) -> SigningKey | None:
        """The key of this id, None where nobody publishes one. `Transient` where that cannot be asked just now."""
        known = self._keys.get(kid)
        if known is not None:
            self._refresh_beside()
            return known
        told = await self._refresh(self._tries)
        found = self._keys.get(kid)
        if found is None and not told:
            raise Transient("Microsoft's signing keys cannot be asked for now: a new one cannot be told from a forged")
        return found

    async def close(self) -> None:
        """Stop asking."""
        if self._beside is not None:
            self._beside.cancel()
            await asyncio.gather(self._beside, return_exceptions=True)

    def _may_ask(self) -> bool:
        full = len(self._asked) == self._asked.maxlen
        return not full or self._clock() - self._asked[0] >= self._within

    def _refresh_beside(self) -> None:
        """Where the keys are old, and nobody is at it."""
        old = self._at is None or self._clock() - self._at >= self._fresh
        if old and self._may_ask() and (self._beside is None or self._beside.done()):
            self._beside = asyncio.create_task(self._refresh(self._tries))

    async def _refresh(self, seen: int) -> bool:
        """Fetch them, once for all that wait; whether there was an answer. A failure leaves what there is."""
        async with self._fetching:
            if self._tries != seen:
                return self._told
            if not self._may_ask():
                return False
            self._tries += 1
            self._asked.append(self._clock())
            self._told = False
            try:
                found = dict(_readable(await self._published()))
            except Transient as error:
                logger.warning("the signing keys could not be fetched: %s", error)
                return False
            if found:
                self._keys = found
                self._at = self._clock()
                self._told = True
            return self._told


class OpenId:
    """Keys as an OpenID provider publishes them: a document at `url` that names where they stand."""

    def __init__(self, session: aiohttp.ClientSession, url: str, *, patience: float = 5.0) -> None:
        self._session = session
        self._url = url
        self._patience = patience

    async def __call__(self) -> Iterable[object]:
        """The keys. Raises `Transient` for whatever stands in the way, after `patience` seconds at the latest."""
        try:
            async with asyncio.timeout(self._patience):
                where = (await self._json(self._url)).get("jwks_uri")
                if not isinstance(where, str) or where.partition(":")[0] not in {"https", self._url.partition(":")[0]}:
                    raise Transient("the OpenID document names no address of keys")
                keys = (await self._json(where)).get("keys")
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise Transient(f"no answer from the OpenID provider ({type(error).__name__})") from error
        return keys if isinstance(keys, list) else ()

    async def _json(self, url: str) -> Mapping[str, Any]:
        async with self._session.get(url, allow_redirects=False, raise_for_status=True) as got:
            found = json.loads(await got.read())
        return found if isinstance(found, dict) else {}


def _readable(keys: Iterable[object]) -> Iterable[tuple[str, SigningKey]]:
    """The RSA keys for signatures; one that cannot be read does not keep the others from being used."""
    for given in keys:
        try:
            jwk = _Jwk.model_validate(given)
            if jwk.kty != "RSA" or jwk.use not in {None, "sig"}:
                continue
            public = RSAAlgorithm.from_jwk(json.dumps({"kty": jwk.kty, "n": jwk.n, "e": jwk.e}))
        except (ValidationError, PyJWTError, ValueError):
            continue
        if isinstance(public, RSAPublicKey) and public.key_size >= _LEAST_BITS:
            yield jwk.kid, SigningKey(public, frozenset(jwk.endorsements))
