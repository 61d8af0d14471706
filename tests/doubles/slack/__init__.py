"""A stand-in for Slack: Web API, Socket Mode and signed HTTP over real sockets on loopback.

The real slack_sdk and Bolt talk to it. It refuses what Slack would refuse: a request or block that the schemas of
Slack's own types do not allow (where they are at hand) and what breaks the documented limits (always). Requests that
it refused stand in `SlackDouble.rejections`.

Thinner than the real thing: one app, and no rate limits of its own (tests inject them); a thread is not checked to
exist; names, avatars, unfurling, files and search are missing; texts are kept as sent, not parsed; the schemas say
nothing of how many characters a whole message may have, so that limit is ours; a connection takes any number of
envelopes, and none is sent again unless a test says so.
"""

from tests.doubles.slack.api import Call
from tests.doubles.slack.faults import ApiError, Broken, Dropped, Fault, RateLimited, Stuck
from tests.doubles.slack.server import Ack, SlackDouble
from tests.doubles.slack.workspace import BOT, TEAM, Message, Workspace

__all__ = [
    "BOT",
    "TEAM",
    "Ack",
    "ApiError",
    "Broken",
    "Call",
    "Dropped",
    "Fault",
    "Message",
    "RateLimited",
    "SlackDouble",
    "Stuck",
    "Workspace",
]
