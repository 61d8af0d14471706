"""The bot's own page in Slack, App Home: what it knows, what it keeps, and for operators its switches. Pure.

Source: docs.slack.dev, "App Home" and `View`; the limits are those of Block Kit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from adapters.slack.kit import actions, context, plain_text, section
from adapters.slack.mrkdwn import escape
from adapters.split import cut
from bot.switches import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.overview import Health, Holdings
    from adapters.slack.kit import Block
    from bot.wording import Wording

View: TypeAlias = "Mapping[str, Any]"
HOME_EVENT = "app_home_opened"
FORGET_ACTION = "home_forget"
STAGE_ACTION = re.compile(r"^home_stage:([a-z_]{1,40})$")
ON, OFF = "on", "off"
MOST_COLLECTIONS = 20
_LINE = 2_900


class HomeOpened(BaseModel):
    """Somebody opened one of the two tabs; `channel` is their direct message with us."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["app_home_opened"]
    user: str = Field(min_length=1)
    channel: str = Field(min_length=1)
    tab: Literal["home", "messages"]


@dataclass(frozen=True, slots=True)
class Controls:
    """What an operator sees besides: how the parts are, and which stages of a search are off for now.

    `offered` are those that can be switched: what the settings keep off stays off.
    """

    health: Health
    off: frozenset[str]
    offered: Sequence[str] = STAGES


def home(holdings: Holdings | None, words: Wording, *, note: str = "", controls: Controls | None = None) -> View:
    """The view to publish. `note` stands on top, after a click; `controls` are for operators alone."""
    blocks = [*([_section(note)] if note else []), *_knows(holdings, words), *_keeps(words)]
    if controls is not None:
        blocks += _controls(controls, words)
    return {"type": "home", "blocks": blocks}


def switched(action_id: str, value: str) -> tuple[str, bool] | None:
    """The stage that a click switches, and whether on; None for what is no switch of ours."""
    match = STAGE_ACTION.match(action_id)
    if match is None or match[1] not in STAGES or value not in {ON, OFF}:
        return None
    return match[1], value == ON


def _knows(holdings: Holdings | None, words: Wording) -> Iterator[Block]:
    home = words.home
    yield _header(home.knows)
    if holdings is None:
        yield _section(home.unknown)
        return
    if not holdings.collections:
        yield _section(home.nothing)
        return
    names = list(holdings.collections.items())
    lines = [f"• {home.collection.format(name=name, count=count)}" for name, count in names[:MOST_COLLECTIONS]]
    if len(names) > MOST_COLLECTIONS:
        lines.append(f"• {home.more.format(count=len(names) - MOST_COLLECTIONS)}")
    yield _section("\n".join(lines))
    if holdings.updated_at is not None:
        yield context(home.updated.format(day=words.dates.day_of(holdings.updated_at.date())))


def _keeps(words: Wording) -> Iterator[Block]:
    home = words.home
    yield _header(home.privacy)
    yield _section(home.privacy_text)
    confirm = {
        "title": plain_text(home.forget),
        "text": plain_text(home.forget_sure),
        "confirm": plain_text(home.forget_yes),
        "deny": plain_text(home.forget_no),
        "style": "danger",
    }
    button = {"type": "button", "action_id": FORGET_ACTION, "text": plain_text(home.forget), "value": "all"}
    yield from actions([button | {"confirm": confirm}])


def _controls(controls: Controls, words: Wording) -> Iterator[Block]:
    home, health = words.home, controls.health
    yield {"type": "divider"}
    yield _header(home.health)
    faults = "\n".join(f"• {fault}" for fault in health.faults) or home.healthy
    yield _section(cut(faults, _LINE))
    counted = home.counted.format(passages=health.passages, embedded=health.embedded, waiting=health.waiting)
    yield context(f"{health.backends} {counted}")
    yield _header(home.stages)
    yield _section(home.stages_text)
    for stage in controls.offered:
        off = stage in controls.off
        yield _section(f"{stage}: {home.is_off if off else home.is_on}") | {
            "accessory": {
                "type": "button",
                "action_id": f"home_stage:{stage}",
                "text": plain_text(home.turn_on if off else home.turn_off),
                "value": ON if off else OFF,
            }
        }


def _header(text: str) -> Block:
    return {"type": "header", "text": plain_text(text)}


def _section(text: str) -> Block:
    return section(escape(text))
