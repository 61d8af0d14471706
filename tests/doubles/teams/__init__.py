"""A stand-in for Microsoft Teams: its connector, its OpenID provider and what it sends, over real sockets on loopback.

Our own adapter talks to it. It asks every call for its token, refuses activities that are out of shape, larger than
Teams takes or in the wrong place, and signs what it sends with keys of its own. What it refused stands in
`TeamsDouble.rejections`.

Thinner than the real thing: one bot, one team; no rate limits of its own (tests inject them); cards are looked at for
their type and version only; nothing is sent again unless a test says so.
"""

from tests.doubles.teams.connector import Posted
from tests.doubles.teams.faults import Broken, Dropped, Fault, RateLimited, Refuses, Stuck
from tests.doubles.teams.people import APP, BOT, TENANT, Person
from tests.doubles.teams.server import Given, TeamsDouble

__all__ = [
    "APP",
    "BOT",
    "TENANT",
    "Broken",
    "Dropped",
    "Fault",
    "Given",
    "Person",
    "Posted",
    "RateLimited",
    "Refuses",
    "Stuck",
    "TeamsDouble",
]
