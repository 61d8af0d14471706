"""The streams of a terminal: what is printed is safe to print, and waiting for a line never keeps a program alive."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import shutil
import sys
import unicodedata
from contextlib import contextmanager, suppress
from functools import partial
from logging.handlers import MemoryHandler
from threading import Thread
from typing import TYPE_CHECKING

import click

from bot.errors import Permanent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WIDTH, _NARROWEST, _WIDEST = 88, 40, 100
_RECORDS = 1000  # held back at most; the next one lets them all out


class OutputFailed(Permanent):
    """Standard output takes no more: its disk is full, or it was closed before we began."""


def be_lenient() -> None:
    """From now on a character that standard output cannot encode, or input cannot decode, is replaced."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def say(text: str, *, end: str = "\n") -> None:
    """Print to standard output, at once.

    A reader that went away ends the program quietly; other faults are `OutputFailed`.
    """
    if sys.stdout is None:
        msg = "cannot write to standard output: it is closed"
        raise OutputFailed(msg)
    try:
        click.echo(f"{text}{end}", nl=False)
    except BrokenPipeError:
        _forget_output()
        raise SystemExit(1) from None
    except OSError as error:
        _forget_output()
        msg = f"cannot write to standard output: {error.strerror}"
        raise OutputFailed(msg) from error


def says_unicode() -> bool:
    """Whether standard output can say every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").replace("_", "").startswith("utf")


def plain(text: str) -> str:
    """The text without characters that command a terminal or turn lines around: Cc (but line feed and tab) and Cf."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf"})


def one_line(text: str) -> str:
    """The same on one line, each run of white space as one blank."""
    return " ".join(plain(" ".join(text.split())).split())


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which stand for bytes of an argument that are no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def on_terminal() -> bool:
    """Whether standard output is read as it is written, by a person."""
    return sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def log_held_back() -> Iterator[None]:
    """What is logged in here comes after: a log on the same terminal would break into a line that is being written."""
    root = logging.getLogger()
    handlers = root.handlers
    root.handlers = [MemoryHandler(_RECORDS, flushLevel=sys.maxsize, target=handler) for handler in handlers]
    try:
        yield
    finally:
        for holding in root.handlers:
            holding.close()
        root.handlers = handlers


def width() -> int:
    """Columns for running text: the terminal's, within what reads well."""
    if not on_terminal():
        return _WIDTH
    return min(max(shutil.get_terminal_size((_WIDTH, 24)).columns, _NARROWEST), _WIDEST)


async def line_from(read: Callable[[], str]) -> str:
    """What `read` gives or raises. It waits in a thread that nobody joins, so that Ctrl-C need not wait for Enter."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def settle(give: Callable[[], None]) -> None:
        if not line.done():
            give()

    def work() -> None:
        try:
            give = partial(line.set_result, read())
        except Exception as error:  # noqa: BLE001 - it is raised where the line is awaited
            give = partial(line.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed: the program has ended meanwhile
            loop.call_soon_threadsafe(settle, give)

    Thread(target=work, daemon=True).start()
    return await line


def _forget_output() -> None:
    """Send what is still buffered nowhere, or the interpreter's last flush fails once more, and loudly."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
