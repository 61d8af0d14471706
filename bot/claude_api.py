"""One call to Claude's Messages API: a structured reply or one of our errors. The only module that knows the SDK."""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pydantic import ValidationError

from bot.claude_message import Message, StructuredReply, objects_in
from bot.claude_request import asks_too_much, conversation, instructions, plain
from bot.claude_stream import broken_off, put_together
from bot.errors import CitewellError, Malformed, Misconfigured, Permanent, Refused, Transient
from retrieval.hosted import Later, key_fault, retry_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anthropic import APIError, AsyncAnthropic, AsyncAPIResponse
    from anthropic.types import MessageParam, OutputConfigParam, TextBlockParam

    from bot.claude_message import Usage
    from bot.claude_models import Effort

_log = logging.getLogger(__name__)

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
_LIMIT = re.compile(r"anthropic-ratelimit-(.+)-limit")
_BUSY = {408, 409, 429}  # and every 5xx, 529 (overloaded) among them

Content: TypeAlias = "str | Iterable[TextBlockParam]"
"""What a person says to the model: a text, or blocks where some are marked for the server's cache."""

Shape = TypeVar("Shape", bound=StructuredReply)


class Claude:
    """A model behind the Messages API, safe to call from many tasks at once.

    `timeout` bounds a whole `ask`, second try included; `pause` comes before a second try where the server names no
    wait; both in seconds. `on_usage` is told of every reply that was paid for, in the task that asked. `setting` is
    where the operator chose the model, and `effort` how hard it is to think, where it can be told.
    """

    def __init__(
        self,
        client: Later[AsyncAnthropic],
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
        self._plainly = False
        self._quota: dict[str, tuple[int, int]] = {}

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
    ) -> Claude:
        """A model at Anthropic, or at any other server (`base_url`) that speaks the Messages API.

        The SDK's own retries and tracing are off: it would wait as long as a server says, and spans could hold texts.
        Nothing of it is loaded before the first `ask`. `Misconfigured` for a key that cannot be one.
        """

        def client() -> AsyncAnthropic:
            from anthropic import AsyncAnthropic

            return AsyncAnthropic(
                api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0, open_telemetry=False
            )

        if fault := key_fault("ANTHROPIC_API_KEY", api_key):
            raise Misconfigured(fault)
        return cls(Later(client), model=model, timeout=timeout, pause=pause, on_usage=on_usage)

    @property
    def model(self) -> str:
        """The model's name, as traces give it."""
        return self._model

    @property
    def quota(self) -> Mapping[str, tuple[int, int]]:
        """What the last reply said is left of each of the key's rate limits, and out of how many: "requests", "tokens"
        and the like. Empty where the server says nothing of them. Source: `anthropic-ratelimit-*` headers.
        """
        return self._quota

    def using(
        self,
        model: str,
        *,
        setting: str,
        effort: Effort | None = None,
        on_usage: Callable[[Usage], None] | None = None,
    ) -> Claude:
        """Another model over the same connections, which either one's `aclose` lets go of.

        `on_usage` is told of its replies in place of the one that is told of this model's.
        """
        return Claude(
            self._client,
            model=model,
            timeout=self._timeout,
            pause=self._pause,
            on_usage=on_usage or self._on_usage,
            setting=setting,
            effort=effort,
        )

    async def ask(
        self,
        shape: type[Shape],
        *,
        system: str,
        content: Content,
        history: Sequence[MessageParam] = (),
        patience: float | None = None,
        insist: bool = True,
        so_far: Callable[[str], None] | None = None,
    ) -> Shape:
        """The model's reply to `content` as `shape`. `history` are earlier turns; `patience` may shorten the time-out.

        Where there is `so_far`, the reply is streamed, and it is given what has been written each time there is more.
        A second try begins anew.

        What may pass by itself is tried twice: a reply that is cut short or not in shape, and a server that is busy for
        a moment; the latter not where a caller that tries again itself says `insist=False`. Raises `Refused`,
        `Transient` (also for a reply that is out of shape twice), `Misconfigured` or `Permanent`.
        """
        seconds = self._timeout if patience is None else min(patience, self._timeout)
        messages: list[MessageParam] = [*conversation(history), {"role": "user", "content": content}]
        try:
            async with asyncio.timeout(seconds):
                return await self._ask_twice(shape, system, messages, insist=insist, so_far=so_far)
        except TimeoutError as error:
            msg = f"Claude gave no answer within {seconds:g} s"
            raise Transient(msg) from error

    async def aclose(self) -> None:
        """Let go of the connections."""
        if self._client.made is not None:
            await self._client.made.close()

    async def _ask_twice(
        self,
        shape: type[Shape],
        system: str,
        messages: Sequence[MessageParam],
        *,
        insist: bool,
        so_far: Callable[[str], None] | None,
    ) -> Shape:
        room = TOKENS
        try:
            message = await self._call(shape, system, messages, room, so_far)
            if not message.cut_short:
                return _read(shape, message)
            room *= 2
        except Malformed:
            pass  # the server is well: nothing to wait for
        except Transient as error:
            pause = self._pause if error.retry_after is None else error.retry_after
            if not insist or pause > _PATIENCE:
                raise
            await asyncio.sleep(pause)
        return _read(shape, await self._call(shape, system, messages, room, so_far))

    async def _call(
        self,
        shape: type[Shape],
        system: str,
        messages: Sequence[MessageParam],
        room: int,
        so_far: Callable[[str], None] | None,
    ) -> Message:
        client = await self._client.get()
        from anthropic import APIError, APIStatusError, omit, transform_schema

        if so_far is not None:
            so_far("")
        plainly = self._plainly
        output: OutputConfigParam = {"format": {"type": "json_schema", "schema": transform_schema(shape)}}
        if self._effort is not None:
            output["effort"] = self._effort
        try:
            response = await client.messages.with_raw_response.create(
                model=self._model,
                max_tokens=room,
                system=system if plainly else instructions(system),
                messages=plain(messages) if plainly else messages,
                output_config=omit if plainly else output,
                stream=so_far is not None,
            )
            self._quota = _quota(response.headers)
            if so_far is None:
                message = Message.model_validate_json(await response.read())
            else:
                message = await _streamed(response, so_far)
        except APIError as error:
            status = error.status_code if isinstance(error, APIStatusError) else 0
            if not plainly and asks_too_much(status, str(error)):
                # The form stands in the instructions too, and the reply is checked all the same.
                _log.warning("the server of %s takes no schema or cache mark; it is asked without", self._model)
                self._plainly = True
                raise Malformed("Claude's server takes no schema or cache mark; it is asked without") from None
            raise self._mapped(error) from None
        except ValidationError:
            raise Transient("Claude's server sent something that is no message") from None
        if self._on_usage:
            self._on_usage(message.used(self._model))
        if message.stop_reason == "refusal":
            category = message.stop_details.category if message.stop_details else None
            msg = f"the model would not answer (category: {category or 'none given'})"
            raise Refused(msg)
        return message

    def _mapped(self, error: APIError) -> CitewellError:
        """Ours for the SDK's, by what can be done about it. Raised without its cause, whose words may echo a text."""
        from anthropic import APIStatusError

        if not isinstance(error, APIStatusError):
            return Transient(f"Claude cannot be reached ({type(error).__name__})")
        status, wait = error.status_code, retry_after(error.response.headers)
        if status in _TO_MEND:
            return Misconfigured(_TO_MEND[status].format(model=self._model, setting=self._setting))
        if status in _BUSY or status >= 500:
            return Transient(f"Claude's server is busy or down ({status})", retry_after=wait)
        return Permanent(f"Claude's server would not take the request ({status})")


def _quota(headers: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    found = {}
    for name, limit in headers.items():
        if kind := _LIMIT.fullmatch(name.lower()):
            left = headers.get(f"anthropic-ratelimit-{kind[1]}-remaining", "")
            if left.isdecimal() and limit.isdecimal():
                found[kind[1].replace("-", " ")] = int(left), int(limit)
    return found


async def _streamed(response: AsyncAPIResponse[Any], so_far: Callable[[str], None]) -> Message:
    """The reply as it comes, event by event, or at once from a server that streams nothing."""
    from anthropic import AsyncStream
    from httpx2 import HTTPError

    try:
        if "text/event-stream" in response.headers.get("content-type", ""):
            return await put_together(
                (event.data async for event in AsyncStream.raw_events(response.http_response)), so_far
            )
        return Message.model_validate_json(await response.read())
    except (HTTPError, UnicodeDecodeError) as error:
        raise broken_off(type(error).__name__) from None
    finally:
        await response.close()


def _read(shape: type[Shape], message: Message) -> Shape:
    """The reply in shape, whatever stands around its JSON object: not every server holds a model to the schema."""
    for written in objects_in(message.text):
        with suppress(ValidationError):
            return shape.model_validate_json(written)
    reason = "was cut short" if message.cut_short else "is not in the form asked for"
    msg = f"the model's reply {reason}"
    raise Malformed(msg)
