"""What a person sees in Microsoft's Agents Playground, from a question to its sources, with no account anywhere."""

from __future__ import annotations

import asyncio
import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from bot.wording import wording
from memory.file import MemoryFile
from memory.reports import Ratings, Reports
from tests.e2e.playground_rig import ALEX, BOT, CHANNEL, GROUP, MEGAN, PERSONAL, TENANT, playground_or_skip
from tests.e2e.playground_stage import Stage, staged
from tests.e2e.serve_rig import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORDS = wording()
QUESTION = "When is the flu clinic open?"
QUOTE = "The flu clinic is open on Tuesdays from 9 am to 12.30 pm and on Thursdays from 4 pm to 7.30 pm."
DOCUMENT = "https://larkfield.example/flu-clinic"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """One for all these tests, as its two processes take seconds to start: each test has a thread of its own."""
    playground_or_skip()
    async with staged(tmp_path_factory.mktemp("playground")) as stage:
        yield stage


async def test_a_question_gets_its_answer_label_citation_and_source(stage: Stage) -> None:
    answer = await stage.teams.carded(await stage.teams.answer(PERSONAL, QUESTION))
    assert QUOTE in answer.text
    assert "[1]" in answer.text
    assert answer.entity["additionalType"] == ["AIGeneratedContent"]
    (citation,) = answer.entity["citation"]
    assert citation["position"] == 1
    assert citation["appearance"]["name"].startswith("Flu vaccination clinic")
    assert citation["appearance"]["url"] == DOCUMENT
    assert QUOTE[:100] in citation["appearance"]["abstract"]
    opens, passages = answer.actions
    assert (opens["type"], opens["url"]) == ("Action.OpenUrl", DOCUMENT)
    assert passages["title"] == WORDS.sources.button
    assert answer.feedback


async def test_asking_on_keeps_to_the_subject(stage: Stage) -> None:
    await stage.teams.answer(PERSONAL, QUESTION)
    answer = await stage.teams.answer(PERSONAL, "And for children?")
    assert "Saturdays" in answer.text


async def test_a_channel_is_answered_in_the_thread_and_asked_on_there(stage: Stage) -> None:
    root = await stage.teams.answer(CHANNEL, QUESTION, mention=True)
    assert re.fullmatch(re.escape(CHANNEL) + r";messageid=\d+", root.thread)
    reply = await stage.teams.answer(root.thread, "and for children?", mention=True)
    assert reply.thread == root.thread
    assert "Saturdays" in reply.text
    other = await stage.teams.answer(CHANNEL, "and for children?", mention=True)
    assert other.thread != root.thread


async def test_a_group_is_answered_where_it_mentions_the_bot(stage: Stage) -> None:
    before = len(stage.teams.shown)
    await stage.teams.say(GROUP, "Is anyone at the desk?")
    answer = await stage.teams.answer(GROUP, QUESTION, mention=True)
    assert QUOTE in answer.text
    assert answer.conversation == GROUP
    assert len(stage.teams.shown) == before + 1


@pytest.mark.parametrize("command", ["sources", "/sources"])
async def test_sources_shows_the_passages_word_for_word(stage: Stage, command: str) -> None:
    root = await stage.teams.answer(CHANNEL, QUESTION, mention=True)
    shown = await stage.teams.carded(await stage.teams.answer(root.thread, command, mention=True))
    assert shown.text == WORDS.sources.heading
    said = str(shown.cards)
    assert QUOTE in said
    assert WORDS.sources.found_keyword in said
    assert "#1" in said
    assert not shown.entity
    assert not shown.feedback


async def test_the_passages_button_shows_them_too(stage: Stage) -> None:
    root = await stage.teams.carded(await stage.teams.answer(CHANNEL, QUESTION, mention=True))
    before = len(stage.teams.shown)
    await stage.teams.submit(root, root.actions[-1]["data"])
    await stage.teams.until(lambda: len(stage.teams.shown) > before)
    assert QUOTE in str((await stage.teams.carded(stage.teams.shown[before])).cards)


async def test_forgetting_leaves_no_sources(stage: Stage) -> None:
    root = await stage.teams.answer(CHANNEL, QUESTION, mention=True)
    done = await stage.teams.answer(root.thread, "forget this conversation", mention=True)
    assert done.text == WORDS.forget.done
    assert (await stage.teams.answer(root.thread, "What else?", mention=True)).text == WORDS.asking_on.nothing_yet


async def test_a_thumb_with_its_reason_is_noted(stage: Stage) -> None:
    """The playground does not say which message a thumb was about, as Teams does: that is sent beside it.

    Nor does it say which id a message with a card got, so this is about one without.
    """
    answer = await stage.teams.answer(PERSONAL, "What is the capital of Peru?")
    assert await stage.teams.rate(answer, "dislike", "Lima") == {}
    reason = {"reaction": "dislike", "feedback": '{"feedbackText":"Lima"}'}
    await stage.teams.activity(
        type="invoke",
        name="message/submitAction",
        replyToId=answer.id,
        value={"actionName": "feedback", "actionValue": reason},
        **_addressed(stage, ALEX),
    )
    memory = MemoryFile(stage.home / "memory.db")
    try:
        async with asyncio.timeout(PATIENCE):
            while await Reports(memory).ratings(None) == Ratings(0, 0):  # noqa: ASYNC110 - the file tells nobody
                await asyncio.sleep(0.02)
        assert await Reports(memory).ratings(None) == Ratings(good=0, bad=1)
    finally:
        await memory.close()


async def test_help_and_a_courtesy_have_neither_label_nor_thumbs(stage: Stage) -> None:
    for said, reply in (("help", WORDS.courtesy.help), ("thanks", WORDS.courtesy.thanks)):
        answer = await stage.teams.answer(PERSONAL, said)
        assert answer.text.split()[:4] == reply.split()[:4]
        assert not answer.entity
        assert not answer.feedback
        assert not answer.cards


async def test_what_the_documents_lack_is_declined(stage: Stage) -> None:
    answer = await stage.teams.answer(PERSONAL, "What is the capital of Peru?")
    assert "documents" in answer.text
    assert not answer.entity
    assert not answer.cards
    assert answer.feedback


async def test_a_person_in_need_gets_lines_and_no_thumbs(stage: Stage) -> None:
    """The playground opens a chat for them and then knows nobody in it: the lines stand where they wrote, then."""
    asked = await stage.teams.say(CHANNEL, "I want to end my life", mention=True)
    await stage.teams.until(lambda: any("988" in one.text for one in stage.teams.shown))
    answer = next(one for one in stage.teams.shown if "988" in one.text)
    assert answer.thread in {asked, PERSONAL}
    assert "end my life" not in answer.text
    assert not answer.feedback
    assert not answer.entity


async def test_a_question_that_is_mended_is_answered_again(stage: Stage) -> None:
    before = len(stage.teams.shown)
    await stage.teams.activity(
        type="messageUpdate",
        text=QUESTION,
        **_addressed(stage, MEGAN, eventType="editMessage"),
    )
    assert QUOTE in (await stage.teams.next(before)).text


async def test_nothing_went_wrong_on_our_side(stage: Stage) -> None:
    """Last, for it looks back at all of the above."""
    assert not [line for line in stage.served.lines if " ERROR " in line or "Traceback" in line]


def _addressed(stage: Stage, person: str, **channel_data: str) -> dict[str, Any]:
    """What stands in an activity of the personal chat beside what it is about."""
    return {
        "id": uuid.uuid4().hex,
        "channelId": "msteams",
        "serviceUrl": f"{stage.teams.url.replace('127.0.0.1', 'localhost')}/_connector",
        "channelData": {"tenant": {"id": TENANT}, **channel_data},
        "conversation": {"id": PERSONAL, "conversationType": "personal", "tenantId": TENANT},
        "recipient": {"id": BOT, "name": "Citewell"},
        "from": {"id": person, "name": "Alex Moreau", "aadObjectId": "00000000-0000-4000-8000-000000000020"},
    }
