"""What a click on a card or a thumb says: read from what Teams sends, which anyone could have made up. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from adapters.teams.activities import as_json

if TYPE_CHECKING:
    from adapters.teams.activities import Activity


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ShowSources(_Part):
    """The passages behind the last answer."""

    citewell: Literal["sources"]


class ShowPassage(_Part):
    """One passage, under the number that it had."""

    citewell: Literal["passage"]
    id: str = Field(min_length=1, max_length=2_000)
    n: int = Field(ge=0, le=9_999)


class ShowRows(_Part):
    """The rows of this id, which an answer did not show."""

    citewell: Literal["more"]
    id: str = Field(min_length=1, max_length=100)


class AskAgain(_Part):
    """The message of this id, once more."""

    citewell: Literal["retry"]
    key: str = Field(default="", max_length=500)


Click: TypeAlias = ShowSources | ShowPassage | ShowRows | AskAgain
_CLICKS: TypeAdapter[Click] = TypeAdapter(Annotated[Click, Field(discriminator="citewell")])


@dataclass(frozen=True, slots=True)
class Thumb:
    """What a person thinks of the message of this id."""

    message: str
    good: bool


def clicked(activity: Activity) -> Click | None:
    """What a button of ours asks for, however Teams brings it; None for a button of nobody's."""
    value = as_json(activity.value)
    action = as_json(value.get("action"))
    for data in (value.get("data"), action.get("data"), value):
        try:
            return _CLICKS.validate_python(data)
        except ValidationError:
            continue
    return None


def thumb(activity: Activity) -> Thumb | None:
    """What the feedback buttons under an answer say; None for what they never say."""
    value = as_json(activity.value)
    said = as_json(value.get("actionValue"))
    reaction = said.get("reaction")
    if value.get("actionName") != "feedback" or reaction not in {"like", "dislike"} or not activity.reply_to_id:
        return None
    return Thumb(activity.reply_to_id, reaction == "like")


def comment(activity: Activity) -> str:
    """What a person wrote beside a thumb, whole, even where the thumb itself cannot be read.

    Teams sends a JSON object as text. What is none is what they wrote, since someone at risk may have written it.
    """
    given = as_json(as_json(activity.value).get("actionValue")).get("feedback")
    try:
        said = as_json(json.loads(given) if isinstance(given, str) else given).get("feedbackText")
    except (ValueError, RecursionError):
        said = given
    return said if isinstance(said, str) else ""
