"""What the Messages API takes, as far as the double of Claude's server is asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELDS = {
    *("model", "max_tokens", "messages", "system", "output_config", "metadata", "stop_sequences", "stream", "thinking"),
}
_OLDEST_FIELDS = {"model", "max_tokens", "messages", "system", "stream"}
_EFFORTS = {"low", "medium", "high", "xhigh", "max"}
_MOST_BREAKPOINTS = 4
_ANNOTATIONS = {"title", "description", "default", "format"}
_SCHEMA_KEYWORDS = _ANNOTATIONS | {
    *("$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "items", "minItems", "properties"),
    *("required", "type"),
}


def wrongs(body: dict[str, Any]) -> Iterator[str]:
    """What the real API would answer with 400."""
    yield from (f"{name}: extra inputs are not permitted" for name in body.keys() - _FIELDS)
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: must be a positive integer"
    if not text_of(body.get("system")).strip():
        yield "system: text content blocks must be non-empty"
    yield from _wrong_messages(body.get("messages") or [])
    yield from _wrong_cache_marks(body)
    output = body.get("output_config", {})
    yield from (
        f"output_config.{name}: extra inputs are not permitted" for name in output.keys() - {"format", "effort"}
    )
    if output.get("effort", "low") not in _EFFORTS:
        yield "output_config.effort: no such effort"
    wanted = output.get("format")
    if wanted is None or wanted.get("type") != "json_schema":
        yield "output_config.format: the double is asked for structured output only"
    else:
        yield from _wrong_schema(wanted["schema"])


def beyond_a_simple_server(body: dict[str, Any]) -> Iterator[str]:
    """What a server would answer with 400 that takes texts and knows nothing of schemas and caches."""
    yield from (f"{name}: unknown field" for name in body.keys() - _OLDEST_FIELDS)
    if not isinstance(body.get("system"), str):
        yield "system: cache_control is not supported"
    if not all(isinstance(message["content"], str) for message in body["messages"]):
        yield "messages: cache_control is not supported"
    yield from _wrong_messages(body["messages"])


def _wrong_messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    if not messages:
        yield "messages: at least one message is required"
    for number, message in enumerate(messages):
        if message.get("role") != ("user", "assistant")[number % 2]:
            yield f"messages.{number}: roles must start with user and alternate"
        if not text_of(message.get("content")).strip():
            yield f"messages.{number}: text content blocks must be non-empty"
    if len(messages) % 2 == 0:
        yield "messages: the conversation must end with a user message"


def _wrong_cache_marks(body: dict[str, Any]) -> Iterator[str]:
    marks = [(text, mark) for text, mark in blocks(body) if mark is not None]
    if len(marks) > _MOST_BREAKPOINTS:
        yield f"a maximum of {_MOST_BREAKPOINTS} blocks with cache_control may be provided, found {len(marks)}"
    for text, mark in marks:
        if not text.strip():
            yield "cache_control cannot be set for empty text blocks"
        if (
            mark.get("type") != "ephemeral"
            or mark.get("ttl", "5m") not in {"5m", "1h"}
            or mark.keys() - {"type", "ttl"}
        ):
            yield "cache_control: input should be ephemeral, for 5m or 1h"


def _wrong_schema(schema: Any) -> Iterator[str]:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"output_config.format.schema: {error.message}"
        return
    if schema.get("type") != "object":
        yield "output_config.format.schema: the root must be an object"
    for part in _parts(schema):
        yield from (
            f"output_config.format.schema: {word!r} is not supported" for word in part.keys() - _SCHEMA_KEYWORDS
        )
        if part.get("type") == "object" and part.get("additionalProperties") is not False:
            yield "output_config.format.schema: 'additionalProperties' must be false"


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every schema inside it."""
    yield schema
    inner = [*schema.get("$defs", {}).values(), *schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for part in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from _parts(part)


def text_of(content: Any) -> str:
    """The text of a string or of text blocks."""
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content or [] if block.get("type") == "text")


def blocks(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Each text of the prompt with its `cache_control`, in the order of caching: system, then messages."""
    contents = [body.get("system"), *(message.get("content") for message in body.get("messages") or [])]
    found: list[tuple[str, Any]] = []
    for content in contents:
        if isinstance(content, str):
            found.append((content, None))
        else:
            found += [(block.get("text", ""), block.get("cache_control")) for block in content or []]
    return found
