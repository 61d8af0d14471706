"""What the safety gate says of words before or outside a turn: an edit, a comment, what stands beside files."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.safety import SelfHarm, assess

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.safety import SafetyVerdict

_LOG = logging.getLogger(__name__)


def at_risk(text: str, gate: Callable[[str], SafetyVerdict] = assess) -> bool:
    """Whether the gate sees someone at risk."""
    return isinstance(verdict(text, gate), SelfHarm)


def verdict(text: str, gate: Callable[[str], SafetyVerdict]) -> SafetyVerdict:
    """What the gate says. Where it breaks, someone is at risk: the turn then takes the safe branch (promise 6)."""
    try:
        return gate(text)
    except Exception as error:  # noqa: BLE001 - whatever it was
        _LOG.error("the safety gate broke: %s", type(error).__name__)
        return SelfHarm("broken")
