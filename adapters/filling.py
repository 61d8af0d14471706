"""Vectors for passages that have none yet: made beside everything else, now and whenever passages have come."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from retrieval.errors import RetrievalError
from retrieval.vectors import fill

if TYPE_CHECKING:
    import asyncio

    from adapters.app import Application

logger = logging.getLogger(__name__)


async def keep_filled(app: Application, stop: asyncio.Event) -> None:
    """For as long as it runs. Where they cannot be made, the log says so and words still find."""
    while app.embedder is not None:
        app.intake.fresh.clear()
        try:
            if filled := await fill(app.index, app.embedder, stop=stop):
                logger.info("%d passages can now be found by meaning", filled)
        except RetrievalError as error:
            logger.error("vectors are not filled in, words still find: %s", error)  # noqa: TRY400 - it says it all
        await app.intake.fresh.wait()
