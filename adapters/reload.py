"""Settings read again while it runs: what can change changes as one, and what cannot is named."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.app import people_of, turn_settings
from adapters.backends import choose_grader, choose_writers
from adapters.settings import environment_names
from adapters.tracing.traces import words_until
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.app import Application
    from adapters.settings import Settings

logger = logging.getLogger(__name__)

RELOADED = frozenset(
    {
        *("answer_prompt", "country", "own_people", "passages", "question_limit", "replay_tokens", "stages_off"),
        *("confident_threshold", "evidence_threshold", "thresholds"),
        *("channels", "direct_messages", "public_collections"),
        *("documents_from", "documents_in", "documents_into", "documents_limit"),
        *("log_level", "trace_words_until"),
    }
)
"""The settings that need no restart. The files that `answer_prompt` and `own_people` name are read again, too."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The names of settings, as the environment has them: those that changed, and those that wait for a restart."""

    changed: tuple[str, ...]
    waiting: tuple[str, ...]

    def __str__(self) -> str:
        changed = (
            f"changed: {', '.join(self.changed)}" if self.changed else "no setting that can change now has changed"
        )
        waiting = f"; needs a restart: {', '.join(self.waiting)}" if self.waiting else ""
        return f"Settings were read again; {changed}{waiting}."


async def reload(app: Application, load: Callable[[], Settings]) -> Reloaded:
    """Read the settings and what they name, check all of it, and only then put it in force.

    Raises `Misconfigured`, which says how to mend it; everything is as it was then.
    """
    before, given = app.settings, await asyncio.to_thread(load)
    differs = [name for name in type(given).model_fields if getattr(given, name) != getattr(before, name)]
    now = before.model_copy(update={name: getattr(given, name) for name in differs if name in RELOADED})
    old = app.engine
    people = await asyncio.to_thread(people_of, now, old.clock().date())
    grader = await asyncio.to_thread(choose_grader, now, app.embedder)
    answerer, rewriter = old.answerer, old.rewriter
    if app.claude is not None:
        answerer, rewriter = await asyncio.to_thread(choose_writers, now, app.claude, old.fallback)
    engine = replace(
        old,
        answerer=answerer,
        rewriter=rewriter,
        settings=turn_settings(now, people),
        pipeline=now.pipeline,
        may_keep_words=words_until(now.trace_words_until, old.clock),
    )
    # From here on nothing is waited for, so that no turn sees one half of it.
    app.grader.move_to(evidence=grader.evidence, confident=grader.confident)
    app.access.shelving = now.shelving
    app.intake.allow(now.permission, collections=now.named_collections, public=now.public_collections)
    app.live.settings, app.live.engine = now, engine
    logging.getLogger().setLevel(now.log_level)
    names = environment_names() | {"thresholds": "thresholds"}
    return Reloaded(
        tuple(names[name] for name in differs if name in RELOADED),
        tuple(names[name] for name in differs if name not in RELOADED),
    )


async def reload_when_asked(
    app: Application, asked: asyncio.Event, load: Callable[[], Settings], say: Callable[[str], None]
) -> None:
    """Each time that `asked` is set, for as long as it runs. Settings that are refused change nothing."""
    while True:
        await asked.wait()
        asked.clear()
        try:
            say(str(await reload(app, load)))
        except Misconfigured as error:
            logger.error("settings were not read again, those of before stay in force: %s", error)  # noqa: TRY400 - see it
        except Exception as error:  # noqa: BLE001 - whatever it is, it goes on as before
            logger.error("settings were not read again: %s", type(error).__name__)  # noqa: TRY400 - a traceback may quote
