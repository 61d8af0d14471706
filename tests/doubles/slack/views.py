"""Modals: who may open one and when, and what one may hold. Source: docs.slack.dev, "Modals" and "views.open"."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.doubles.slack.limits import Refused, check_block

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TRIGGER_SECONDS = 3.0


class Views:
    """The modals that one person has open, lowest first. A trigger is good once, and for three seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.stack: list[dict[str, Any]] = []
        self.shown: list[dict[str, Any]] = []
        self._issued: dict[str, float] = {}
        self._used: set[str] = set()

    @property
    def methods(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """What each method does with its arguments."""
        return {"views.open": self._open, "views.push": self._push, "views.update": self._update}

    def issue(self, trigger: str) -> None:
        """Something was clicked."""
        self._issued.setdefault(trigger, self.clock())

    def _open(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._use(arguments.get("trigger_id", ""))
        self.stack = []
        return self._put(arguments["view"])

    def _push(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._use(arguments.get("trigger_id", ""))
        if not self.stack:
            raise Refused("not_found", "nothing is open to push a view on")
        if len(self.stack) == 3:
            raise Refused("push_limit_reached", "three views are open already")
        return self._put(arguments["view"])

    def _update(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        for at, one in enumerate(self.stack):
            if one["id"] == arguments.get("view_id"):
                self.stack[at] = {**arguments["view"], "id": one["id"]}
                self.shown.append(self.stack[at])
                return {"view": self.stack[at]}
        raise Refused("not_found", "no such view is open")

    def _put(self, view: Mapping[str, Any]) -> dict[str, Any]:
        self.stack.append({**view, "id": f"V{len(self.shown):05d}"})
        self.shown.append(self.stack[-1])
        return {"view": self.stack[-1]}

    def _use(self, trigger: str) -> None:
        if trigger not in self._issued:
            raise Refused("invalid_trigger_id", trigger)
        if trigger in self._used:
            raise Refused("exchanged_trigger_id", trigger)
        if self.clock() - self._issued[trigger] > TRIGGER_SECONDS:
            raise Refused("expired_trigger_id", trigger)
        self._used.add(trigger)


def check_view(view: Mapping[str, Any]) -> None:
    """Refuse what no modal, and no page of an app, may be."""
    blocks = view.get("blocks") or ()
    if not 1 <= len(blocks) <= 100:
        raise Refused("invalid_arguments", f"{len(blocks)} blocks in a view, 1 to 100 are allowed")
    if view.get("type") != "home":
        _length(view.get("title", {}).get("text", ""), 1, 24, "title")
    for name in ("close", "submit"):
        if name in view:
            _length(view[name]["text"], 1, 24, name)
    _length(view.get("callback_id", "-"), 1, 255, "callback_id")
    _length(view.get("private_metadata", ""), 0, 3_000, "private_metadata")
    if "submit" not in view and any(block["type"] == "input" for block in blocks):
        raise Refused("invalid_arguments", "inputs need a submit button")
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        raise Refused("invalid_arguments", "a block_id stands twice")
    for block in blocks:
        check_block(block)
        if block["type"] == "input":
            _check_input(block)


def _check_input(block: Mapping[str, Any]) -> None:
    _length(block["label"]["text"], 1, 2_000, "label")
    element = block["element"]
    options = element.get("options")
    if options is not None and not 1 <= len(options) <= 10:
        raise Refused("invalid_arguments", f"{len(options)} options")
    for option in options or ():
        _length(option["text"]["text"], 1, 75, "option text")
        _length(option["value"], 1, 150, "option value")
    if not 1 <= element.get("max_length", 1) <= 3_000:
        raise Refused("invalid_arguments", "max_length goes up to 3,000")


def _length(text: str, least: int, most: int, what: str) -> None:
    if not least <= len(text) <= most:
        raise Refused("invalid_arguments", f"{what} has {len(text)} characters, {least} to {most} are allowed")
