"""One call to Claude's Messages API: a structured reply or one of our errors. The only module that knows the SDK."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from bot.errors import CitewellError, Malformed, Misconfigured, Permanent, Refused, Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anthropic import APIError, AsyncAnthropic
    from anthropic.types import MessageParam, OutputConfigParam

    from bot.claude_models import Effort

DEFAULT_MODEL = "claude-sonnet-5-5"
SMALL_MODEL = "claude-haiku-5-5"
"""For what is asked often and needs no long thought."""
TOKENS = 4096
"""Room for a reply, in tokens; a model's own thinking counts too. A reply that is cut short is asked for once more
with twice as much."""
_PATIENCE = 2.0  # seconds: a longer wait than this is the caller's to decide
_TO_MEND = {
    401: "Claude's server refused the key (401): check ANTHROPIC_API_KEY",
    402: "Claude's server wants a payment first (402): see to the billing of the account behind ANTHROPIC_API_KEY",
    403: "Claude's server forbids this (403): check what the key in ANTHROPIC_API_KEY may use",
    404: "Claude's server knows no model {model!r} (404): choose another in {setting}, or check ANTHROPIC_BASE_URL",
}
_BUSY = {408, 409, 429}  # and every 5xx, 529 (overloaded) among them

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the API bills them."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int

    def __add__(self, other: Usage) -> Usage:
        """The tokens of both, of one model."""
        return Usage(
            self.model,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


class _Tokens(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Block(BaseModel):
    type: str
    text: str = ""


class _Details(BaseModel):
    category: str | None = None


class _Message(BaseModel):
    """The part of the API's reply that is read, checked here because the SDK does not."""

    type: Literal["message"]
    content: list[_Block]
    stop_reason: str | None = None
    stop_details: _Details | None = None
    usage: _Tokens = Field(default_factory=_Tokens)

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.content if block.type == "text")

    @property
    def cut_short(self) -> bool:
        return self.stop_reason in {"max_tokens", "model_context_window_exceeded"}


class Claude:
    """A model behind the Messages API, safe to call from many tasks at once.

    `timeout` bounds a whole `ask`, second try included; `pause` comes before a second try where the server names no
    wait; both in seconds. `on_usage` is told of every reply that was paid for, in the task that asked. `setting` is
    where the operator chose the model, and `effort` how hard it is to think, where it can be told.
    """

    def __init__(
        self,
        client: AsyncAnthropic,
        *,
        model: str = DEFAULT_MODEL,
        timeout: float = 30.0,
        pause: float = 0.5,
        on_usage: Callable[[Usage], None] | None = None,
        setting: str = "CITEWELL_MODEL",
        effort: Effort | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._timeout = timeout
        self._pause = pause
        self._on_usage = on_usage
        self._setting = setting
        self._effort: Effort | None = effort

    @classmethod
    def connect(
        cls,
        *,
        api_key: str,
        model: str = DEFAULT_MODEL,
        base_url: str | None = None,
        timeout: float = 30.0,
        pause: float = 0.5,
        on_usage: Callable[[Usage], None] | None = None,
        setting: str = "CITEWELL_MODEL",
        effort: Effort | None = None,
    ) -> Claude:
        """A model at Anthropic, or at any other server (`base_url`) that speaks the Messages API.

        The SDK's own retries and tracing are off: it would wait as long as a server says, and spans could hold texts.
        `Misconfigured` for a key that cannot be one.
        """
        from anthropic import AsyncAnthropic

        if not api_key.isascii() or api_key.split() != [api_key]:
            raise Misconfigured("ANTHROPIC_API_KEY holds something that no key has: copy it again, without spaces")
        client = AsyncAnthropic(
            api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0, open_telemetry=False
        )
        return cls(client, model=model, timeout=timeout, pause=pause, on_usage=on_usage, setting=setting, effort=effort)

    @property
    def model(self) -> str:
        """The model's name, as traces give it."""
        return self._model

    def using(self, model: str, *, setting: str, effort: Effort | None = None) -> Claude:
        """Another model over the same connections, which either one's `aclose` lets go of."""
        return Claude(
            self._client,
            model=model,
            timeout=self._timeout,
            pause=self._pause,
            on_usage=self._on_usage,
            setting=setting,
            effort=effort,
        )

    async def ask(self, shape: type[Shape], *, system: str, messages: Sequence[MessageParam]) -> Shape:
        """The model's reply as `shape`. What may pass by itself is tried twice: a server that is busy for a moment, a
        reply that is cut short or not in shape.

        Raises `Refused`, `Transient` (also for a reply that is out of shape twice), `Misconfigured` or `Permanent`.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask_twice(shape, system, messages)
        except TimeoutError as error:
            msg = f"Claude gave no answer within {self._timeout:g} s"
            raise Transient(msg) from error

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def _ask_twice(self, shape: type[Shape], system: str, messages: Sequence[MessageParam]) -> Shape:
        room = TOKENS
        try:
            message = await self._call(shape, system, messages, room)
            if message.cut_short:
                room *= 2
            else:
                return _read(shape, message)
        except Transient as error:
            pause = self._pause if error.retry_after is None else error.retry_after
            if pause > _PATIENCE:
                raise
            await asyncio.sleep(pause)
        return _read(shape, await self._call(shape, system, messages, room))

    async def _call(self, shape: type[Shape], system: str, messages: Sequence[MessageParam], room: int) -> _Message:
        from anthropic import APIError, transform_schema

        output: OutputConfigParam = {"format": {"type": "json_schema", "schema": transform_schema(shape)}}
        if self._effort is not None:
            output["effort"] = self._effort
        try:
            raw = await self._client.messages.with_raw_response.create(
                model=self._model,
                max_tokens=room,
                system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
                messages=messages,
                output_config=output,
            )
            body = await raw.read()
        except APIError as error:
            raise self._mapped(error) from None
        try:
            message = _Message.model_validate_json(body)
        except ValidationError:
            raise Transient("Claude's server sent something that is no message") from None
        self._report(message.usage)
        if message.stop_reason == "refusal":
            category = message.stop_details.category if message.stop_details else None
            msg = f"the model would not answer (category: {category or 'none given'})"
            raise Refused(msg)
        return message

    def _report(self, tokens: _Tokens) -> None:
        if self._on_usage:
            self._on_usage(
                Usage(
                    self._model,
                    tokens.input_tokens,
                    tokens.output_tokens,
                    tokens.cache_read_input_tokens or 0,
                    tokens.cache_creation_input_tokens or 0,
                )
            )

    def _mapped(self, error: APIError) -> CitewellError:
        """Ours for the SDK's, by what can be done about it. Raised without its cause, whose words may echo a text."""
        status: int | None = getattr(error, "status_code", None)
        if status is None:
            return Transient(f"Claude cannot be reached ({type(error).__name__})")
        if status in _TO_MEND:
            return Misconfigured(_TO_MEND[status].format(model=self._model, setting=self._setting))
        if status in _BUSY or status >= 500:
            return Transient(f"Claude's server is busy or down ({status})", retry_after=_retry_after(error))
        return Permanent(f"Claude's server would not take the request ({status})")


def _read(shape: type[Shape], message: _Message) -> Shape:
    """The reply in shape, whatever stands around its JSON object: not every server holds a model to the schema."""
    text = message.text
    try:
        return shape.model_validate_json(text[text.find("{") : text.rfind("}") + 1])
    except ValidationError:
        reason = "was cut short" if message.cut_short else "is not in the form asked for"
        msg = f"the model's reply {reason}"
        raise Malformed(msg) from None


def _retry_after(error: Any) -> float | None:
    """The seconds the server asks to wait, where it gives a plausible number of them."""
    try:
        seconds = float(error.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
