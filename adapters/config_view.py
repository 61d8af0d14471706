"""`citewell config`: every setting in force, and where it comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from pydantic import BaseModel, SecretStr

from adapters.commands import json_option, print_json
from adapters.home_settings import home_file
from adapters.settings import HOME_ONLY, environment_file, environment_names, names_of
from adapters.terminal import one_line, say

if TYPE_CHECKING:
    from adapters.settings import Settings

_HIDDEN = "(set)"


@click.command()
@click.option("--all", "everything", is_flag=True, help="Those that nobody has set, too.")
@json_option
@click.pass_obj
def config(settings: Settings, *, everything: bool, as_json: bool) -> None:
    """Show the settings in force and where each comes from: the environment, .env, citewell.toml or the default.

    Keys and tokens are shown as set, never as they are.
    """
    rows = [row for row in _rows(settings) if everything or row["from"] != "default"]
    if as_json:
        print_json({"home": str(settings.home.expanduser()), "settings": rows})
        return
    if not rows:
        say("Nothing is set: everything is as it comes. --all shows that.")
    for row in rows:
        say(f"{row['setting']} = {one_line(str(row['value']))}  ({row['from']})")


def _rows(settings: Settings) -> list[dict[str, Any]]:
    names = environment_names() | {name: name for name in HOME_ONLY}
    outside, file = _upper(os.environ), _upper(environment_file())
    rows = []
    for field, name in names.items():
        value = getattr(settings, field)
        aliases = {one.upper() for one in names_of(field)}
        if aliases & outside:
            source = "environment"
        elif aliases & file:
            source = ".env"
        elif field in settings.model_fields_set:
            source = str(home_file(settings.home))
        else:
            source = "default"
        rows.append({"setting": name, "value": _shown(value), "from": source})
    return rows


def _upper(given: Any) -> set[str]:
    return {name.upper() for name, value in given.items() if value}


def _shown(value: object) -> Any:
    match value:
        case SecretStr():
            return _HIDDEN
        case BaseModel():
            return value.model_dump(mode="json")
        case frozenset():
            return sorted(str(one) for one in value)
        case dict():
            return {name: _shown(one) for name, one in value.items()}
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)
