"""`citewell backup` and `citewell restore`: the home's databases, settings and documents, while the bot runs."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapters.home_settings import FORMER_NAME, HOME_FILE
from adapters.ingest_history import HISTORY
from adapters.terminal import say
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.settings import Settings

_REST = (HOME_FILE, FORMER_NAME, HISTORY, ".documents")
"""What belongs to a home besides its databases."""
_ENDINGS = ("", "-wal", "-shm")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.pass_obj
def backup(settings: Settings, *, folder: Path) -> None:
    """Copy the home's databases, settings and sent documents to FOLDER, whole and as of one moment each.

    The bot may go on running. FOLDER holds what people wrote: keep it as carefully as the home.
    """
    home = settings.home.expanduser()
    if folder.exists() and any(folder.iterdir()):
        raise click.ClickException(f"{folder} is not empty: name a new folder, one for each backup.")
    databases = list(_databases(home))
    if not databases:
        raise click.ClickException(f"There is nothing to back up in {home} (CITEWELL_HOME).")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for database in databases:
        copy_database(database, folder / database.name)
        say(f"{database.name}: {(folder / database.name).stat().st_size:,} bytes")
    _copy_rest(home, folder)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def restore(settings: Settings, *, folder: Path, yes: bool) -> None:
    """Put a backup from FOLDER in place of what the home holds. The bot has to be stopped.

    Each database is checked before anything is touched. What stood in the home, settings and documents too, is kept
    beside it as `NAME.before`, in place of what was kept so earlier.
    """
    home = settings.home.expanduser()
    databases = list(_databases(folder))
    if not databases:
        raise click.ClickException(f"{folder} holds no backup.")
    for database in databases:
        _check(database)
        _check_unused(home / database.name)
    if not yes:
        names = ", ".join(database.name for database in databases)
        click.confirm(f"Put {names} in place of what stands in {home}?", abort=True, err=True)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for database in databases:
        _set_aside(home / database.name)
        copy_database(database, home / database.name)
        say(f"{database.name} is as it was backed up")
    for name in _REST:
        _set_aside(home / name)
    _copy_rest(folder, home)


def copy_database(source: Path, target: Path) -> None:
    """A whole copy of a database that others may be writing, readable by its owner alone."""
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _databases(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.glob("*.db")) if file.is_file())


def _copy_rest(source: Path, target: Path) -> None:
    for name in _REST:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        elif (source / name).exists():
            shutil.copy2(source / name, target / name)


def _check(database: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as found:
            (said,) = found.execute("PRAGMA quick_check").fetchone()
    except sqlite3.Error as error:
        said = str(error)
    if said != "ok":
        raise Misconfigured(f"{database} is damaged: take another backup. Nothing was changed.")


def _check_unused(database: Path) -> None:
    """A database that another process is writing cannot be replaced below it."""
    if not database.exists():
        return
    try:
        with closing(sqlite3.connect(database, timeout=0.5, isolation_level=None)) as held:
            held.execute("PRAGMA locking_mode = EXCLUSIVE")
            held.execute("BEGIN EXCLUSIVE")
            held.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        raise Misconfigured(f"{database} is in use: stop the bot, then restore. Nothing was changed.") from error
    except sqlite3.DatabaseError:
        return  # damaged, which is a reason to restore


def _set_aside(there: Path) -> None:
    """A database with the files that belong to it, another file, or a folder."""
    found = [(there.with_name(there.name + end), there.with_name(f"{there.name}.before{end}")) for end in _ENDINGS]
    if not any(one.exists() for one, _ in found):
        return
    for one, aside in found:
        if aside.is_dir():
            shutil.rmtree(aside)
        else:
            aside.unlink(missing_ok=True)
        if one.exists():
            one.replace(aside)
