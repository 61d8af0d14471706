"""Where something comes from, whoever wrote it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.leaving import departure
from adapters.slack.origin import Origin, origin
from tests.doubles.slack import TEAM, Workspace, payloads

EVENT = payloads.callback(payloads.message("C1", "U1", "hello", "1.0"))
HOME = Workspace("T0HOME", bot="U0HOMEBOT", enterprise="E0TRUST")
OURS = Origin("T0HOME", "E0TRUST", app="A0CITEWELL")
WIDE = Origin("T0HOME", "E0TRUST", org_wide=True, app="A0CITEWELL")
BUTTON = {"action_id": "link:1", "type": "button"}
CLICK = payloads.click(BUTTON, "C1", "U1", "1.0")
COMMAND = payloads.command("/sources", "C1", "U1")
VIEW = {
    "type": "view_submission",
    "api_app_id": "A0CITEWELL",
    "team": {"id": "T0GUEST"},
    "user": {"id": "U1", "team_id": "T0GUEST"},
    "view": {"app_installed_team_id": "T0HOME"},
    "enterprise": {"id": "E0TRUST"},
}


@pytest.mark.parametrize("body", [EVENT, COMMAND, CLICK])
@pytest.mark.parametrize(("org_wide", "expected"), [(False, OURS), (True, WIDE)])
def test_a_workspace_is_named_in_all_that_comes_from_it(
    body: dict[str, Any], expected: Origin, *, org_wide: bool
) -> None:
    assert origin(payloads.of_workspace(body, HOME, org_wide=org_wide)) == expected


def test_an_event_of_a_shared_channel_is_of_where_we_are_installed() -> None:
    shared = payloads.callback(payloads.message("C1", "U1", "hello", "1.0", user_team="T0PARTNER"), team="T0PARTNER")
    assert origin(shared).team == TEAM


def test_a_click_in_a_shared_channel_is_of_where_the_button_was_posted() -> None:
    ours = {"team": {"id": "T0PARTNER"}, "message": CLICK["message"] | {"team": TEAM, "app_id": "A0CITEWELL"}}
    assert origin(CLICK | ours).team == TEAM
    another = ours | {"message": ours["message"] | {"app_id": "A0OTHER"}}
    assert origin(CLICK | another).team == "T0PARTNER"


def test_a_modal_is_of_where_we_are_installed_and_an_organisations_click_of_where_the_person_is() -> None:
    assert origin(VIEW) == OURS
    assert origin(CLICK | {"team": None, "is_enterprise_install": True}).team == TEAM


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*EVENT, *CLICK, "view", "id"]), inner),
    max_leaves=12,
)


@given(json)
def test_whatever_comes_is_read_without_harm(body: object) -> None:
    assert isinstance(origin(body), Origin)
    assert departure(body) is None


@pytest.mark.parametrize(
    "event",
    [
        None,
        {"type": "message"},
        {"type": "app_uninstalled_team"},
        {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}},
        {"type": "tokens_revoked", "tokens": "all"},
        {"type": "tokens_revoked"},
    ],
)
def test_what_is_no_departure_of_ours_is_none(event: object) -> None:
    assert departure({"type": "event_callback", "event": event, "event_time": 1}) is None
    assert departure({"type": "app_uninstalled"}) is None
