"""What every command is made with."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import UTC
from typing import TYPE_CHECKING, Any

import click

from adapters.shelving_settings import COLLECTION_RULE, is_collection_name
from adapters.terminal import say, says_unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime
    from pathlib import Path

    from adapters.app import Application
    from adapters.settings import Settings
    from memory.file import MemoryFile


def utc_day(_: click.Context, __: click.Parameter, value: datetime | None) -> datetime | None:
    """The beginning of a day that an option names, in UTC."""
    return None if value is None else value.replace(tzinfo=UTC)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
since_option = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    callback=utc_day,
    help="Only what was asked from this day (UTC) on.",
)


def checked_collection(_: click.Context, __: click.Parameter, value: str) -> str:
    """A collection's name as an option's value. Bad use if it is none."""
    if not is_collection_name(value):
        raise click.BadParameter(f"{COLLECTION_RULE}.")
    return value


def in_a_folder(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Bad use if the file's folder is not there or cannot be written to: better said before anything is asked."""
    if value and not value.parent.is_dir():
        raise click.BadParameter(f"there is no folder {value.parent}: make it, or name another place.")
    if value and not value.exists() and not os.access(value.parent, os.W_OK):
        raise click.BadParameter(f"the folder {value.parent} cannot be written to: name another place.")
    return value


def run(settings: Settings, work: Callable[[Application], Coroutine[Any, Any, None]], **build_with: Any) -> None:
    """Build the application, do the work, close it."""

    async def whole() -> None:
        from adapters.app import build

        async with await build(settings, **build_with) as app:
            await work(app)

    asyncio.run(whole())


def run_on_memory(settings: Settings, work: Callable[[MemoryFile], Coroutine[Any, Any, None]]) -> None:
    """Do work on the memory file alone: no index, model or key is needed for it."""

    async def whole() -> None:
        from memory.file import MemoryFile

        file = MemoryFile(settings.memory_path)
        try:
            await work(file)
        finally:
            await file.close()

    if not settings.memory_path.exists():
        click.echo(f"Nothing is remembered in {settings.memory_path.parent} (CITEWELL_HOME).", err=True)
    asyncio.run(whole())


def print_json(value: dict[str, Any], *, line: bool = False) -> None:
    """One document on standard output, indented unless it is one of many lines."""
    say(json.dumps(value, ensure_ascii=not says_unicode(), indent=None if line else 2))
