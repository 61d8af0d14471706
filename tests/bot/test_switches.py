"""Stages switched off for now."""

from __future__ import annotations

import pytest

from bot.switches import STAGES, Switches
from retrieval.search import EVERY_STAGE, PipelineSettings


def test_a_stage_that_is_off_runs_in_no_search_until_it_is_on_again() -> None:
    switches = Switches()
    switches.turn("rerank", on=False)
    assert switches.applied(EVERY_STAGE) == PipelineSettings(rerank=False)
    switches.turn("rerank", on=True)
    assert switches.applied(EVERY_STAGE) == EVERY_STAGE


def test_switching_on_does_not_run_what_the_settings_keep_off() -> None:
    switches = Switches()
    switches.turn("hyde", on=True)
    assert not switches.applied(PipelineSettings(hyde=False)).hyde


def test_a_name_that_is_no_stage_is_refused_and_says_which_there_are() -> None:
    with pytest.raises(ValueError, match=STAGES[-1]):
        Switches().turn("everything", on=False)
