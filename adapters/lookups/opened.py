"""All look-ups that are declared, made ready before the first question."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.lookup import Card, LookupFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date
    from pathlib import Path

    from adapters.lookups.settings import FunctionSettings, LookupSettings
    from bot.lookup import Found, Lookup, Row
    from bot.lookup_vocabulary import Vocabulary

logger = logging.getLogger(__name__)

_LOADING = 10.0
"""Seconds that a Python file gets to be loaded."""


class Broken:
    """A look-up that cannot be asked, because of `fault`."""

    def __init__(self, name: str, said: LookupSettings, fault: str) -> None:
        from pydantic import BaseModel

        answers, personal = said.answers or said.title, said.person is not None
        self.card = Card(name, answers, said.title, BaseModel, BaseModel, {}, (), said.collections, personal=personal)
        self._fault = fault

    def vocabulary(self) -> Vocabulary:
        """Always `LookupFailed`, and so are the others."""
        raise LookupFailed(self._fault)

    async def run(self, *_: object, **__: object) -> Found:
        """As above."""
        raise LookupFailed(self._fault)

    async def again(self, *_: object) -> dict[str, Row]:
        """As above."""
        raise LookupFailed(self._fault)


@dataclass(frozen=True, slots=True)
class Opened:
    """They, in the order in which they were declared."""

    all: tuple[Lookup, ...] = ()

    @classmethod
    async def of(
        cls,
        declared: Mapping[str, LookupSettings],
        home: Path,
        *,
        today: Callable[[], date],
        variables: Mapping[str, str | None],
    ) -> Opened:
        """Files lie below `home` unless absolute; services find their secrets in `variables`.

        What is wrong with one is logged, and costs that one alone. A table is tried again when it is asked.
        """
        found: list[Lookup] = []
        for name, said in declared.items():
            found.append(await _made(name, said, home, today, variables))
            try:
                await asyncio.to_thread(found[-1].vocabulary)
            except LookupFailed as error:
                logger.error("%s", error)  # noqa: TRY400 - the message says it all
        return cls(tuple(found))

    def close(self) -> None:
        """Let go of the rows of tables."""
        for one in self.all:
            if (close := getattr(one, "close", None)) is not None:
                close()


async def _made(
    name: str,
    said: LookupSettings,
    home: Path,
    today: Callable[[], date],
    variables: Mapping[str, str | None],
) -> Lookup:
    from adapters.lookups.settings import EndpointSettings, TableSettings

    if isinstance(said, TableSettings):
        from adapters.lookups.table import Table

        return Table(name, said, home)
    if isinstance(said, EndpointSettings):
        from adapters.lookups.endpoint import Endpoint

        return Endpoint(name, said, today, variables)
    return await _function(name, said, home, today)


async def _function(name: str, said: FunctionSettings, home: Path, today: Callable[[], date]) -> Lookup:
    from adapters.lookups.apart import Apart
    from adapters.lookups.function import Function, load

    apart = Apart(f"look-up {name}")
    try:
        async with asyncio.timeout(_LOADING):
            registered = await apart.run(lambda: load(home / said.module.expanduser(), name))
        return Function(registered, said, apart, today)
    except LookupFailed as error:
        return Broken(name, said, str(error))
    except TimeoutError:
        return Broken(name, said, f"look-up {name}: {said.module} took longer than {_LOADING:g} seconds to be loaded")
