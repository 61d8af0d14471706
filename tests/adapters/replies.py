"""What both platforms show in their tests: a fact with a source that has an address and one that has none, and help."""

from __future__ import annotations

from dataclasses import replace

from bot.messages import Reply, Resource, Source, TurnKind

LINKED = Source(
    n=1,
    id="visiting#3",
    title="Visiting hours",
    url="https://clinic.example/visiting",
    locator="page 3",
    quote="Visitors are welcome from 2 to 8 pm.",
    found_by=("keyword", "vector"),
    rank=1,
    rank_before_rerank=1,
)
UNLINKED = replace(LINKED, n=2, id="flu#0", title="Flu <clinic>", url=None, locator="", found_by=("vector",), rank=4)
FACT = Reply(
    TurnKind.FACT,
    "## Visiting\n\nVisitors are **welcome** from 2 to 8 pm. [1]\n\n- children too [2]",
    "t1",
    (LINKED, UNLINKED),
    confidence=0.9,
)
LINES = (
    Resource("Samaritans", phone="116 123", url="https://www.samaritans.org", hours="24 hours", country="GB"),
    Resource("Shout", text="Text SHOUT to 85258"),
)
CRISIS = Reply(TurnKind.CRISIS, "You don't have to carry this alone.", "t2", resources=LINES, private=True)
