"""How a command ends when something goes wrong: with one plain line and an exit code, never with a traceback."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from adapters.terminal import one_line, plain
from bot.errors import CitewellError, outline
from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells give it."""


class Guarded(click.Group):
    """Commands whose faults are shown as `faults` shows them, from the reading of the arguments on."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command."""
        with faults():
            return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command whose arguments are read; click would give Ctrl-C a message and a code of its own."""
        with faults():
            return super().invoke(ctx)


@contextmanager
def faults() -> Iterator[None]:
    """Print what an operator has to mend, or the type of what nobody expected, and exit with 1; 130 after Ctrl-C."""
    try:
        yield
    except (CitewellError, RetrievalError, MemoryUnavailable) as error:
        click.echo(f"citewell: {plain(str(error))}", err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            click.echo(err=True)
        raise SystemExit(INTERRUPTED) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:  # noqa: BLE001 - nobody is left to handle it, and its text may quote what was said
        if _debugging():
            traceback.print_exc()
        click.echo(f"citewell: {_unexpected(error)}", err=True)
        raise SystemExit(1) from None


def _unexpected(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f": {one_line(str(error.filename))}" if error.filename else ""
        return f"{type(error).__name__}: {error.strerror}{where}"
    return f"something unexpected went wrong: {outline(error)}. CITEWELL_LOG_LEVEL=DEBUG shows all of it."


def _debugging() -> bool:
    return os.environ.get("CITEWELL_LOG_LEVEL") == "DEBUG" or logging.getLogger().isEnabledFor(logging.DEBUG)
