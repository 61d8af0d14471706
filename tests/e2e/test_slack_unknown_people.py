"""Slack does not say just now who somebody is: they are taken for a guest, and are not told that they may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.wording import wording
from tests.doubles.slack import ApiError
from tests.e2e.test_slack_documents import AMINA, BEN, DIRECT, WARD, documents, here, mode, send, slack

if TYPE_CHECKING:
    from tests.e2e.whole_rig import Whole

__all__ = ["here", "mode", "slack"]
WORDS = wording()


async def test_who_may_send_documents_is_asked_to_send_it_again(here: Whole) -> None:
    here.slack.fail("users.info", ApiError("internal_error"))
    assert (await send(here, "F1")).text == WORDS.again.unsure
    assert await documents(here) == []
    assert (await send(here, "F1")).text != WORDS.again.unsure
    assert len(await documents(here)) == 1


async def test_who_may_not_is_told_so_all_the_same(here: Whole) -> None:
    here.slack.fail("users.info", ApiError("internal_error"))
    assert (await send(here, "F1", user=BEN)).text == WORDS.documents.not_yours


async def test_the_command_says_that_it_cannot_tell_who_asks(here: Whole) -> None:
    here.slack.fail("users.info", ApiError("internal_error"))
    assert (await here.slack.command("/sources", WARD, AMINA)).payload["text"] == WORDS.again.unsure
    assert (await here.slack.command("/sources", WARD, AMINA)).payload["text"] == WORDS.sources.none


async def test_the_sources_of_an_answer_from_before_are_found_again(here: Whole) -> None:
    await send(here, "F1")
    here.slack.fail("users.info", ApiError("internal_error"))
    await here.asked(DIRECT, BEN, "When does the heron rota begin?")
    text = (await here.slack.command("/sources", DIRECT, BEN)).payload["text"]
    assert text != WORDS.sources.none


async def test_an_empty_index_is_said_on_the_start(here: Whole) -> None:
    assert "The index is empty: take documents in with citewell ingest." in here.said
