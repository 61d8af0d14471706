"""Whether words that are no message, an edit or a comment, have to be treated as one: someone may be at risk."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.safety import SelfHarm, assess

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.safety import SafetyVerdict

_LOG = logging.getLogger(__name__)


def at_risk(text: str, gate: Callable[[str], SafetyVerdict] = assess) -> bool:
    """Whether the gate sees someone at risk. Where it breaks it is yes: the turn then takes the safe branch."""
    try:
        return isinstance(gate(text), SelfHarm)
    except Exception as error:  # noqa: BLE001 - whatever it was
        _LOG.error("the safety gate broke: %s", type(error).__name__)
        return True
