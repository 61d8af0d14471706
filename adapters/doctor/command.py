"""The command itself."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adapters.commands import json_option, print_json
from adapters.doctor.finding import Findings, State
from adapters.terminal import one_line, say

if TYPE_CHECKING:
    from adapters.settings import Settings

_MARKS = {
    State.GOOD: ("ok", "green"),
    State.WARNING: ("!", "yellow"),
    State.FAULT: ("FAULT", "red"),
    State.ABSENT: ("-", None),
}


@click.command()
@click.option("--no-models", is_flag=True, help="Ask no hosted model, which costs a fraction of a cent.")
@json_option
@click.pass_obj
def doctor(settings: Settings, *, no_models: bool, as_json: bool) -> None:
    """Look at the set-up and say how to mend what is not right. It exits with 1 where something does not work.

    Tokens and keys are tried and never shown.
    """
    found = asyncio.run(_look(settings, ask=not no_models))
    if as_json:
        print_json({"findings": [asdict(one) for one in found.all], "faults": _count(found, State.FAULT)})
    else:
        for one in found.all:
            mark, colour = _MARKS[one.state]
            say(f"{click.style(f'{mark:<6}', fg=colour)} {one.check}: {one_line(one.said)}")
            if one.mend:
                say(f"       {one_line(one.mend)}")
    if _count(found, State.FAULT):
        raise SystemExit(1)


async def _look(settings: Settings, *, ask: bool) -> Findings:
    from adapters.app import utc_now
    from adapters.doctor.backends import look_at_backends
    from adapters.doctor.lookups import look_at_lookups
    from adapters.doctor.machine import look_at_machine
    from adapters.slack.doctor import look_at_slack
    from adapters.teams.doctor import look_at_teams

    found, now = Findings(), utc_now()
    await look_at_machine(settings, found, now.date())
    await look_at_backends(settings, found, ask=ask)
    await look_at_lookups(settings, found, now.date())
    await look_at_slack(settings, found, now)
    await look_at_teams(settings, found)
    return found


def _count(found: Findings, state: State) -> int:
    return sum(one.state is state for one in found.all)
