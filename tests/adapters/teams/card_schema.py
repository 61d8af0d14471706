"""What of Adaptive Cards 1.5 our cards are made of, as a JSON Schema: anything else is a mistake.

Written from adaptivecards.io, "Schema explorer"; Teams' own limits stand beside it.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def _element(kind: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["type", *required],
        "properties": {"type": {"const": kind}, **properties},
    }


_WORDS = {"type": "string", "minLength": 1}
_STYLE = {
    "weight": {"enum": ["Lighter", "Default", "Bolder"]},
    "size": {"enum": ["Small", "Default", "Medium", "Large", "ExtraLarge"]},
    "isSubtle": {"type": "boolean"},
}
_SPACING = {"enum": ["None", "Small", "Default", "Medium", "Large", "ExtraLarge", "Padding"]}
_TITLE = {"type": "string", "minLength": 1, "maxLength": 45}
_DATA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["citewell"],
    "properties": {
        "msteams": {"const": {"type": "task/fetch"}},
        "citewell": {"enum": ["passage", "sources", "retry"]},
        "id": {"type": "string", "maxLength": 2_000},
        "n": {"type": "integer", "minimum": 1},
        "key": {"type": "string"},
    },
}
CARD = {
    "$defs": {
        "run": _element("TextRun", {"text": _WORDS, **_STYLE}, "text"),
        "rich": _element(
            "RichTextBlock", {"inlines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/run"}}}, "inlines"
        ),
        "open": _element("Action.OpenUrl", {"title": _TITLE, "url": {"pattern": "^https?://"}}, "title", "url"),
        "submit": _element("Action.Submit", {"title": _TITLE, "data": _DATA}, "title", "data"),
        "actions": _element(
            "ActionSet",
            {
                "actions": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 6,
                    "items": {"oneOf": [{"$ref": "#/$defs/open"}, {"$ref": "#/$defs/submit"}]},
                }
            },
            "actions",
        ),
        "container": _element(
            "Container",
            {
                "style": {"enum": ["default", "emphasis"]},
                "spacing": _SPACING,
                "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/element"}},
            },
            "items",
        ),
        "element": {"oneOf": [{"$ref": "#/$defs/rich"}, {"$ref": "#/$defs/actions"}, {"$ref": "#/$defs/container"}]},
    },
    **_element(
        "AdaptiveCard",
        {
            "$schema": {"const": "http://adaptivecards.io/schemas/adaptive-card.json"},
            "version": {"const": "1.5"},
            "body": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/element"}},
        },
        "version",
        "body",
    ),
}
_CHECK = Draft202012Validator(CARD)


def check_card(content: dict[str, Any]) -> None:
    """Raise for a card that holds anything but what is known here."""
    _CHECK.validate(content)
