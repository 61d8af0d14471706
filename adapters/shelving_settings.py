"""The settings' table of channels: which collections each shows, and what is amiss in it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator
from pydantic_settings import NoDecode

from bot.access import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bot.access import Shelving

PLATFORMS = ("slack", "teams")
COLLECTION_RULE = "a collection's name has letters, digits, '-', '_' and '.', at most 64 of them"
_COLLECTION = re.compile(r"[\w.-]{1,64}")
_SLACK_ID = re.compile(r"[CGTE][A-Z0-9]{2,}")
_HOW = '[channels.slack], and under it C0123456789 = ["public", "wards"]'


def is_collection_name(name: str) -> bool:
    """Whether `COLLECTION_RULE` holds for it."""
    return _COLLECTION.fullmatch(name) is not None


def _tables(given: object) -> dict[str, dict[str, frozenset[str]]]:
    """By platform and channel. ValueError says which entry has to be mended, and how."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise ValueError('write it as JSON: {"slack": {"C0123456789": ["public", "wards"]}}') from None
    if not isinstance(given, Mapping):
        raise ValueError(f"write a table for each platform: {_HOW}")  # noqa: TRY004 - pydantic reports no TypeError
    return {platform: dict(_table(str(platform), table)) for platform, table in given.items()}


def _table(platform: str, table: object) -> Iterator[tuple[str, frozenset[str]]]:
    if platform not in PLATFORMS:
        near = difflib.get_close_matches(platform, PLATFORMS, n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {' and '.join(PLATFORMS)}"
        raise ValueError(f"{platform} is no platform; {meant} Write {_HOW}")
    if not isinstance(table, Mapping):
        raise ValueError(f"{platform}: write {_HOW}")  # noqa: TRY004 - as above
    for channel, names in table.items():
        if platform == "slack" and channel != DEFAULT and not _SLACK_ID.fullmatch(channel):
            how = f"a channel's id begins with C or G, a workspace's with T; all others are named {DEFAULT}"
            raise ValueError(f"{platform}.{channel}: write the channel's id in place of its name; {how}")
        if not isinstance(names, list | tuple | set | frozenset) or not all(isinstance(name, str) for name in names):
            raise ValueError(f'{platform}.{channel}: write a list of collections, ["public", "wards"]')
        for name in names:
            if not is_collection_name(name):
                raise ValueError(f"{platform}.{channel}: {name!r} is no collection's name; {COLLECTION_RULE}")
        yield str(channel), frozenset(names)


Channels = Annotated[dict[str, dict[str, frozenset[str]]], NoDecode, BeforeValidator(_tables)]


def unknown_names(
    channels: Mapping[str, Mapping[str, frozenset[str]]], more: Mapping[str, Collection[str]], there: Collection[str]
) -> list[str]:
    """A line for each collection that is set and not in the index, with what to do. `more` are other settings' names.

    Such a name opens nothing; it may be a slip, or stand for documents that are still to come.
    """
    places = {
        f"channels.{platform}.{channel}": names
        for platform, table in channels.items()
        for channel, names in table.items()
    }
    lines = []
    for place, names in {**places, **more}.items():
        for name in sorted(set(names) - set(there)):
            near = difflib.get_close_matches(name, sorted(there), n=1)
            known = ", ".join(sorted(there)) or "none yet"
            meant = f"did you mean {near[0]}?" if near else f"there are: {known}."
            lines.append(
                f"{place} names the collection {name}, which has no documents; {meant} "
                f"Mend the name, or take some in: citewell ingest --collection {name}"
            )
    return lines


def in_a_line(shelving: Shelving) -> str:
    """Which channels show what, for the operator."""
    public = ", ".join(sorted(shelving.public)) or "nothing"
    if shelving.channels:
        tables = "; ".join(
            f"{platform} {channel}: {', '.join(sorted(names)) or 'nothing'}"
            for platform, table in shelving.channels.items()
            for channel, names in table.items()
        )
        said = f"{tables}; other channels: {public}" if not _all_named(shelving.channels) else tables
    else:
        said = "channels without outsiders: all"
    direct = "as the person's channels" if shelving.direct_by_channels else public
    return f"Collections: {said}; direct messages: {direct}; outsiders, and where they can read: {public}."


def _all_named(channels: Mapping[str, Mapping[str, frozenset[str]]]) -> bool:
    return all(DEFAULT in table for table in channels.values())
