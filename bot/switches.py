"""The stages of a search that whoever runs the bot has switched off for now, to see what each one does."""

from __future__ import annotations

from dataclasses import fields, replace

from retrieval.search import PipelineSettings

STAGES = tuple(field.name for field in fields(PipelineSettings))


class Switches:
    """On until switched off, and on again with the next start: the settings hold what stays off."""

    def __init__(self) -> None:
        self._off: set[str] = set()

    @property
    def off(self) -> frozenset[str]:
        """What is off now."""
        return frozenset(self._off)

    def turn(self, stage: str, *, on: bool) -> None:
        """Switch a stage, from the next search on. ValueError for a name that is none of `STAGES`."""
        if stage not in STAGES:
            msg = f"{stage!r} is no stage; there are {', '.join(STAGES)}"
            raise ValueError(msg)
        (self._off.discard if on else self._off.add)(stage)

    def applied(self, pipeline: PipelineSettings) -> PipelineSettings:
        """What may run of these stages."""
        return replace(pipeline, **dict.fromkeys(self._off, False))
