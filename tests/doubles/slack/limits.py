"""The limits of Block Kit and of messages that Slack's types do not carry. Source: docs.slack.dev, "Block Kit"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MESSAGE_CHARACTERS = 12_000


class Refused(Exception):
    """The request is refused with this error code; `detail` is for the test's author."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def check_message(arguments: Mapping[str, Any]) -> None:
    """Refuse what no message may be."""
    blocks: Sequence[Mapping[str, Any]] = arguments.get("blocks") or ()
    text = arguments.get("text") or ""
    if not text and not blocks:
        raise Refused("no_text", "a message needs text or blocks")
    if len(text) > 4_000:
        raise Refused("msg_too_long", f"{len(text)} characters of text")
    if len(blocks) > 50:
        raise Refused("invalid_blocks", f"{len(blocks)} blocks")
    shown = len(text) + sum(len(string) for block in blocks for string in _texts(block))
    if shown > MESSAGE_CHARACTERS:
        raise Refused("msg_blocks_too_long", f"{shown} characters in text and blocks")
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        raise Refused("invalid_blocks", "a block_id stands twice")
    actions = [element.get("action_id") for block in blocks for element in _elements(block, "actions")]
    if len(actions) != len(set(actions)):
        raise Refused("invalid_blocks", "an action_id stands twice")
    for block in blocks:
        check_block(block)


def check_view(view: Mapping[str, Any]) -> None:
    """Refuse what no view may be."""
    blocks: Sequence[Mapping[str, Any]] = view.get("blocks") or ()
    if len(blocks) > 100:
        raise Refused("invalid_arguments", f"{len(blocks)} blocks in a view")
    for block in blocks:
        check_block(block)


def check_block(block: Mapping[str, Any]) -> None:
    """Refuse a block that is too long, too full or opens something that is no web page."""
    match block.get("type"):
        case "section":
            _length(block.get("text", {}).get("text", ""), 1, 3_000, "section text")
            _check_button(block.get("accessory", {}))
        case "markdown":
            _length(block.get("text", ""), 1, 12_000, "markdown text")
        case "header":
            _length(block.get("text", {}).get("text", ""), 1, 150, "header text")
        case "context":
            _count(block.get("elements", ()), 10, "context")
            for element in block.get("elements", ()):
                _length(element.get("text", ""), 1, 2_000, "context text")
        case "actions":
            _count(block.get("elements", ()), 25, "actions")
            for element in block.get("elements", ()):
                _check_button(element)
        case "context_actions":
            _count(block.get("elements", ()), 5, "context_actions")
            for element in block.get("elements", ()):
                for thumb in ("positive_button", "negative_button"):
                    button = element.get(thumb, {})
                    _length(button.get("text", {}).get("text", ""), 1, 75, "button text")
                    _length(button.get("value", ""), 1, 2_000, "button value")
        case _:
            pass


def _check_button(element: Mapping[str, Any]) -> None:
    if element.get("type") != "button":
        return
    _length(element.get("text", {}).get("text", ""), 1, 75, "button text")
    _length(element.get("action_id", "-"), 1, 255, "action_id")
    if "value" in element:
        _length(element["value"], 1, 2_000, "button value")
    if "confirm" in element:
        for part, most in {"title": 100, "text": 300, "confirm": 30, "deny": 30}.items():
            _length(element["confirm"][part]["text"], 1, most, f"the confirmation's {part}")
    if "url" in element:
        _length(element["url"], 1, 3_000, "button url")
        if not element["url"].startswith(("http://", "https://")):
            raise Refused("invalid_blocks", f"a button opens web pages only, not {element['url'][:40]!r}")


def _elements(block: Mapping[str, Any], kind: str) -> Sequence[Mapping[str, Any]]:
    return block.get("elements", ()) if block.get("type") == kind else ()


def _texts(value: Any) -> Iterator[str]:
    """Every string that is shown: the values of `text` keys, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _length(text: str, least: int, most: int, what: str) -> None:
    if not least <= len(text) <= most:
        raise Refused("invalid_blocks", f"{what} has {len(text)} characters, {least} to {most} are allowed")


def _count(elements: Sequence[object], most: int, what: str) -> None:
    if not 1 <= len(elements) <= most:
        raise Refused("invalid_blocks", f"{what} has {len(elements)} elements, 1 to {most} are allowed")
