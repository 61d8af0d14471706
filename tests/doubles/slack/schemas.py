"""Requests and blocks against JSON Schemas made from Slack's own types, relaxed where those are stricter than Slack."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft7Validator

from tests.doubles.slack.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CHECKED_APART = {"blocks", "team_id"}  # Bolt adds team_id to every call; blocks are typed as "or anything" there


class Schemas:
    """The schemas of a folder. A method that has none there is not checked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check_request(self, method: str, arguments: Mapping[str, Any]) -> None:
        """Refuse arguments that Slack's types for this method do not allow."""
        for block in arguments.get("blocks") or ():
            self.check_block(block)
        if "view" in arguments:
            _check(self._folder / "View.schema.json", arguments["view"], "invalid_arguments")
        path = self._folder / f"{method}.request.json"
        if path.is_file():
            plain = {name: value for name, value in arguments.items() if name not in _CHECKED_APART}
            if arguments.get("blocks") and "text" not in plain:
                plain["text"] = "stands for the blocks"
            _check(path, plain, "invalid_arguments")

    def check_block(self, block: Mapping[str, Any]) -> None:
        """Refuse a block of no known kind or with fields it does not have."""
        _check(self._folder / "KnownBlock.schema.json", block, "invalid_blocks")

    def check_event(self, event: Mapping[str, Any]) -> None:
        """Refuse an event of our own making that Slack would not send."""
        _check(self._folder / "SlackEvent.schema.json", event, "invalid_event")


@cache
def _validator(path: Path) -> Draft7Validator:
    return Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


def _check(path: Path, value: Mapping[str, Any], code: str) -> None:
    error = next(_validator(path).iter_errors(dict(value)), None)
    if error is not None:
        kind = value.get("type", path.stem)
        raise Refused(code, f"{path.stem} does not allow this ({kind}): {error.message[:300]}")
