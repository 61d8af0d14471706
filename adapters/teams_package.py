"""`citewell teams-package`: the file that an administrator uploads to Teams."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapters.commands import in_a_folder
from adapters.terminal import say

if TYPE_CHECKING:
    from adapters.settings import Settings

_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,3})(?:\.(?:0|[1-9][0-9]{0,3})){2}")


def _version(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _VERSION.fullmatch(value):
        raise click.BadParameter(
            "a version is three numbers with dots between them and no zeros before them, as 1.0.2."
        )
    return value


@click.command("teams-package")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("citewell-teams.zip"),
    show_default=True,
    callback=in_a_folder,
    help="Write it here.",
)
@click.option(
    "--app-version", metavar="X.Y.Z", callback=_version, help="Has to rise with every upload; else Citewell's own."
)
@click.pass_obj
def teams_package(settings: Settings, *, output: Path, app_version: str | None) -> None:
    """Build the app package for Microsoft Teams: manifest, icons, your bot's id and addresses."""
    from adapters.teams.package import package

    output.write_bytes(package(settings, version=app_version))
    say(f"{output} is ready to be uploaded: Teams, Apps, Manage your apps, Upload an app.")
