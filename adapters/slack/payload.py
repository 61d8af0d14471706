"""What Slack sends, read before Bolt sees it: Bolt takes every field for what it should be, and raises where it is not.

Bolt is handed nothing but the fields that were read here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.slack import blocks
from adapters.slack.again import ASK_ACTION, RETRY_ACTION
from adapters.slack.changes import ChangeEvent, is_change
from adapters.slack.events import Event
from adapters.slack.feedback import FEEDBACK_ACTION, clicked
from adapters.slack.home import FORGET_ACTION, HOME_EVENT, STAGE_ACTION, HomeOpened
from adapters.slack.intake import UNDO_ACTION
from adapters.slack.reasons import REASON_VIEW

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND = "/sources"
SHORTCUT = "show_sources"
_SHOWN = f"{blocks.PASSAGE_ACTION}|{blocks.PLACE_ACTION}|{blocks.SOURCES_ACTION}|{blocks.MORE_ACTION}"
_OURS = f"{_SHOWN}|{RETRY_ACTION}|{ASK_ACTION}"
BUTTON = re.compile(rf"^(?:{FEEDBACK_ACTION}|(?:{_OURS}):[0-9]{{1,4}})$")
LINK_BUTTON = re.compile(rf"^(?:resource_)?{blocks.LINK_ACTION}:[0-9]{{1,4}}$")


class Malformed(Exception):
    """What Slack should not have sent. The message says what is wrong and holds nothing of what was sent."""

    def __init__(self, why: str, *, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Verification(_Part):
    type: Literal["url_verification"]
    challenge: str


class _Command(_Part):
    command: Literal["/sources"]
    user_id: str = Field(min_length=1)
    channel_id: str = Field(min_length=1)
    team_id: str | None = None
    text: str = ""


class _Action(_Part):
    action_id: str
    value: str | None = None


class _User(_Part):
    id: str = Field(min_length=1)
    team_id: str | None = None


class _Channel(_Part):
    id: str = Field(min_length=1)


class _Container(_Part):
    channel_id: str | None = None
    message_ts: str | None = None
    thread_ts: str | None = None


class _Message(_Part):
    ts: str | None = None
    thread_ts: str | None = None


class _View(_Part):
    callback_id: str = ""
    private_metadata: str = ""


class _Click(_Part):
    type: Literal["block_actions"]
    user: _User
    actions: list[_Action] = Field(min_length=1)
    channel: _Channel | None = None
    container: _Container | None = None
    message: _Message | None = None
    view: _View | None = None
    trigger_id: str = ""


class _Chosen(_Part):
    ts: str = Field(min_length=1)
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] | None = None


class _Shortcut(_Part):
    type: Literal["message_action"]
    callback_id: str
    trigger_id: str = ""
    user: _User
    channel: _Channel
    message: _Chosen


class _State(_Part):
    values: dict[str, dict[str, dict[str, Any]]] = {}


class _Filled(_View):
    type: Literal["modal"]
    state: _State = _State()


class _Submission(_Part):
    type: Literal["view_submission"]
    user: _User
    view: _Filled


def decoded(body: bytes) -> object:
    """The JSON in a signed request: its whole body, or the field `payload` of a form. A form without one is a command.

    Raises `Malformed` for anything else.
    """
    try:
        text = body.decode()
        if text.lstrip()[:1] in {"{", "["}:
            return json.loads(text)
        form = dict(parse_qsl(text, keep_blank_values=True))
        return json.loads(form["payload"]) if "payload" in form else form
    except (ValueError, RecursionError) as error:
        raise Malformed("its body cannot be read") from error


def read(body: object) -> dict[str, Any] | None:
    """The fields that we go by, for Bolt; None for what is in order and asks nothing of us.

    Raises `Malformed`. Slack sends an event again until it gets a 200, and turns events off where too many fail, while
    no sending again mends a malformed one: it is acknowledged. Commands and clicks come once: 400 tells the person
    that nothing came of theirs.
    """
    if not isinstance(body, dict) or not body:
        raise Malformed("its body is no object, or an empty one")
    match body.get("type"):
        case "url_verification" | "message_action" | "view_submission" | None if (model := _model(body)) is not None:
            return _validated(model, body)
        case "event_callback":
            return _event(body.get("event"), shared=bool(body.get("is_ext_shared_channel")))
        case "block_actions":
            return _click(body)
        case str():
            return None
        case _:
            raise Malformed("it is neither an event nor a command nor a click")


def _model(body: Mapping[str, Any]) -> type[_Part] | None:
    """What a body has to be that comes once; None where it is none of ours."""
    match body:
        case {"type": "url_verification"}:
            return _Verification
        case {"type": "message_action", "callback_id": str(name)} if name == SHORTCUT:
            return _Shortcut
        case {"type": "view_submission", "view": {"callback_id": str(name)}} if name == REASON_VIEW:
            return _Submission
        case {"command": _} if "type" not in body:
            return _Command
        case _:
            return None


def _event(event: object, *, shared: bool) -> dict[str, Any] | None:
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise Malformed("its event is missing or has no type", status=200)
    model: type[Event | ChangeEvent | HomeOpened] = ChangeEvent if is_change(event) else Event
    try:
        known = (HomeOpened if event["type"] == HOME_EVENT else model).model_validate(event)
    except ValidationError:
        return None
    read = {"type": "event_callback", "event": known.model_dump(exclude_unset=True)}
    return read | ({"is_ext_shared_channel": True} if shared else {})


def _click(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """A click on a button of ours. Buttons of other versions may stand in old messages: they do nothing any more."""
    click = _validated(_Click, body)
    action = click["actions"][0]
    if LINK_BUTTON.match(action["action_id"]):
        return click
    if action["action_id"] == FORGET_ACTION or STAGE_ACTION.match(action["action_id"]):
        return click  # on the page of the bot, which stands in no channel
    thumb = action["action_id"] == FEEDBACK_ACTION
    if action["action_id"] != UNDO_ACTION and not BUTTON.match(action["action_id"]):
        return None
    place = click.get("channel") or (click.get("container") or {}).get("channel_id")
    if not action.get("value") or not (place or (click.get("view") or {}).get("private_metadata")):
        raise Malformed("a button came without its value or channel")
    if thumb and clicked(action["value"]) is None:
        raise Malformed("a thumb came with a value that is none of ours")
    return click


def _validated(model: type[_Part], body: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return model.model_validate(body).model_dump(exclude_unset=True)
    except ValidationError as error:
        fields = sorted({".".join(str(step) for step in one["loc"]) for one in error.errors()})
        raise Malformed(f"missing or wrong: {', '.join(fields)}") from error
