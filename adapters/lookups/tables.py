"""All tables that are declared, read once before the first question."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adapters.lookups.settings import TableSettings
    from adapters.lookups.table import Table

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tables:
    """They, in the order in which they were declared."""

    all: tuple[Table, ...] = ()

    @classmethod
    async def open(cls, declared: Mapping[str, TableSettings], home: Path) -> Tables:
        """Files lie below `home` unless absolute. One that cannot be read is logged, and tried again when asked."""
        if not declared:
            return cls()
        from adapters.lookups.table import Table

        tables = cls(tuple(Table(name, settings, home) for name, settings in declared.items()))
        for table in tables.all:
            try:
                await asyncio.to_thread(table.vocabulary)
            except LookupFailed as error:
                logger.error("%s", error)  # noqa: TRY400 - the message says it all
        return tables

    def close(self) -> None:
        """Let go of the rows."""
        for table in self.all:
            table.close()
