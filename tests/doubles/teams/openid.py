"""The OpenID provider: keys of its own, the documents that publish them, and tokens signed with them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.doubles.teams.people import APP

ISSUER = "https://api.botframework.com"


@cache
def private_key(number: int) -> rsa.RSAPrivateKey:
    """A key of this run; making one takes a moment."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass(slots=True)
class Provider:
    """What is published, and how often it was asked for."""

    published: dict[str, int] = field(default_factory=lambda: {"k1": 1})
    endorsements: list[str] | None = field(default_factory=lambda: ["msteams", "webchat"])
    asked: int = 0
    down: bool = False

    def keys(self) -> dict[str, Any]:
        """The document of the keys."""
        return {"keys": [self._jwk(kid, number) for kid, number in self.published.items()]}

    def _jwk(self, kid: str, number: int) -> dict[str, Any]:
        jwk = json.loads(RSAAlgorithm.to_jwk(private_key(number).public_key()))
        more = {} if self.endorsements is None else {"endorsements": self.endorsements}
        return {"kty": "RSA", "use": "sig", "kid": kid, "n": jwk["n"], "e": jwk["e"], **more}


def token(
    service_url: str,
    *,
    kid: str | None = "k1",
    key: Any = 1,
    algorithm: str = "RS256",
    headers: Any = None,
    **claims: Any,
) -> str:
    """A token as Teams bears it; `claims` replace or, as None, take away."""
    now = int(time.time())
    stated = {"iss": ISSUER, "aud": APP, "nbf": now - 10, "exp": now + 3600, "serviceurl": service_url} | claims
    signing = private_key(key) if isinstance(key, int) else key
    named = {**({"kid": kid} if kid is not None else {}), **(headers or {})}
    kept = {name: value for name, value in stated.items() if value is not None}
    return jwt.PyJWS().encode(json.dumps(kept).encode(), signing, algorithm=algorithm, headers=named)
