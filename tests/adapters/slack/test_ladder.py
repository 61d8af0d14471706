"""What Slack does not take in one form goes out in the next, and stands there once, whatever happens in between."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.slack.blocks import file_text, plain_posts, posts
from adapters.slack.client import identify, web_client
from adapters.slack.delivery import SlackDelivery
from adapters.slack.errors import Closed
from adapters.slack.pace import Pace
from adapters.slack.workspaces import OneWorkspace, Workspace
from bot.errors import CitewellError, Misconfigured, Permanent, Transient
from bot.messages import Reply, Source, TurnKind
from bot.wording import wording
from tests.adapters.slack.test_delivery import AMINA, CHANNEL, DIRECT, _asked
from tests.doubles.slack import ApiError, Broken, Dropped, SlackDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.messages import IncomingMessage
    from tests.doubles.slack import Fault, Message

WORDS = wording()
SOURCE = Source(1, "a#0", "Visits & hours", "https://clinic.example/v", "page 3", "Visitors.", ("keyword",), 1, 1)
SHORT = Reply(TurnKind.FACT, "Visitors are <welcome> from 2 to 8 pm. [1]", "t1", (SOURCE,))
PARAGRAPHS = [f"Paragraph {number}. " + "Some words of it stand here. " * 60 for number in range(12)]
LONG = replace(SHORT, text="\n\n".join(PARAGRAPHS))
TOO_LONG = ("msg_too_long", "msg_blocks_too_long", "invalid_blocks")


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


async def a_life(slack: SlackDouble) -> SlackDelivery:
    """The delivery of one process."""
    client = web_client(slack.bot_token, base_url=slack.base_url)
    workspaces = OneWorkspace(Workspace(await identify(client), client))
    return SlackDelivery(workspaces, WORDS, pace=Pace(interval=0))


async def delivered_over_crashes(slack: SlackDouble, message: IncomingMessage, reply: Reply, *, crashes: int) -> None:
    """A process that meets a fault is gone; the next one looks what stands, and goes on."""
    for _ in range(crashes + 1):
        life = await a_life(slack)
        if await life.delivered(message):
            return
        try:
            await life.deliver(message, reply)
        except Transient:
            continue
        assert await (await a_life(slack)).delivered(message)
        return
    raise AssertionError("it met more faults than were made")


def standing(slack: SlackDouble, channel: str = CHANNEL) -> list[Message]:
    return slack.workspace.posted(channel)


@pytest.mark.parametrize("error", TOO_LONG)
async def test_refused_blocks_become_plain_text_at_paragraphs(slack: SlackDouble, error: str) -> None:
    message = await _asked(slack)
    slack.fail("chat.postMessage", ApiError(error))
    await (await a_life(slack)).deliver(message, LONG)
    shown = standing(slack)
    assert [one.blocks for one in shown] == [[]] * len(plain_posts(LONG, WORDS))
    assert all(one.text.startswith("Paragraph") for one in shown)
    assert SOURCE.url in shown[-1].text  # type: ignore[operator]  # it has one
    assert await (await a_life(slack)).delivered(message)


async def test_a_part_that_is_refused_is_followed_by_what_was_left_and_nothing_twice(slack: SlackDouble) -> None:
    message = await _asked(slack)
    assert len(posts(LONG, WORDS)) > 2
    slack.fail("chat.postMessage", None, ApiError("msg_blocks_too_long"))
    await (await a_life(slack)).deliver(message, LONG)
    shown = standing(slack)
    assert shown[0].blocks
    assert not any(one.blocks for one in shown[1:])
    text = "\n".join([*(b["text"]["text"] for b in shown[0].blocks if "text" in b), *(one.text for one in shown[1:])])
    assert [text.count(f"Paragraph {number}.") for number in range(12)] == [1] * 12


@pytest.mark.parametrize("error", TOO_LONG)
async def test_where_no_message_is_taken_a_file_holds_the_answer_and_its_sources(
    slack: SlackDouble, error: str
) -> None:
    message = await _asked(slack)
    slack.fail("chat.postMessage", ApiError(error), ApiError(error))
    await (await a_life(slack)).deliver(message, SHORT)
    (shown,) = standing(slack)
    assert (shown.text, shown.thread_ts) == (WORDS.posting.file, message.id)
    (held,) = slack.workspace.uploads.content.values()
    assert held.decode() == file_text(SHORT, WORDS)
    for part in (SHORT.text, "Visits & hours", "https://clinic.example/v"):
        assert part in held.decode()
    assert await (await a_life(slack)).delivered(message)


async def test_where_not_even_a_file_is_taken_a_sentence_says_so(
    slack: SlackDouble, caplog: pytest.LogCaptureFixture
) -> None:
    message = await _asked(slack)
    slack.fail("chat.postMessage", ApiError("msg_too_long"), ApiError("msg_too_long"))
    slack.fail("files.getUploadURLExternal", ApiError("missing_scope"))
    await (await a_life(slack)).deliver(message, SHORT)
    (shown,) = standing(slack)
    assert shown.text == WORDS.posting.refused
    assert "reinstall" in caplog.text
    assert "welcome" not in caplog.text
    assert await (await a_life(slack)).delivered(message)


FALLS: list[tuple[dict[str, list[Fault | None]], int]] = [
    ({"chat.postMessage": [Broken(after_the_fact=True)]}, 1),
    ({"chat.postMessage": [Dropped()]}, 1),
    ({"chat.postMessage": [None, Broken()]}, 1),
    ({"chat.postMessage": [ApiError("msg_too_long"), Broken()]}, 1),
    ({"chat.postMessage": [ApiError("msg_too_long"), None, Broken(after_the_fact=True), Broken()]}, 2),
    ({"chat.postMessage": [None, ApiError("msg_blocks_too_long"), None, Dropped(), Broken()]}, 2),
    (
        {
            "chat.postMessage": [ApiError("msg_too_long")] * 6,
            "files.completeUploadExternal": [Broken(), Broken(after_the_fact=True)],
        },
        2,
    ),
    (
        {
            "chat.postMessage": [ApiError("msg_too_long")] * 4,
            "files.getUploadURLExternal": [Broken()],
            "files.completeUploadExternal": [Dropped()],
        },
        2,
    ),
]


@pytest.mark.parametrize(("faults", "crashes"), FALLS)
@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
@pytest.mark.parametrize("reply", [SHORT, LONG], ids=["short", "long"])
async def test_a_crash_between_any_two_steps_leaves_one_whole_answer(
    slack: SlackDouble, faults: dict[str, list[Fault | None]], crashes: int, channel: str, reply: Reply
) -> None:
    message = await _asked(slack, channel)
    for method, some in faults.items():
        slack.fail(method, *some)
    await delivered_over_crashes(slack, message, reply, crashes=crashes)
    shown = standing(slack, channel)
    files = [one for one in shown if one.files]
    if files:
        assert len(files) == 1
        return
    text = "\n".join(
        part
        for one in shown
        for part in ([b["text"]["text"] for b in one.blocks if b["type"] == "section"] if one.blocks else [one.text])
    )
    wanted = ["Visitors are"] if reply is SHORT else [f"Paragraph {number}." for number in range(12)]
    assert [text.count(one) for one in wanted] == [1] * len(wanted)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("is_archived", WORDS.posting.archived),
        ("not_in_channel", WORDS.posting.closed),
        ("channel_not_found", WORDS.posting.closed),
        ("restricted_action", WORDS.posting.closed),
    ],
)
async def test_who_asked_where_we_may_not_write_is_told_directly_once_and_without_the_answer(
    slack: SlackDouble, error: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    message = await _asked(slack)
    slack.workspace.closed_channels[CHANNEL] = error
    for _ in range(2):  # a second process, after a crash
        await (await a_life(slack)).deliver(message, SHORT)
    (told,) = standing(slack, f"D{AMINA}")
    assert told.text == said.format(channel=f"<#{CHANNEL}>")
    assert error in caplog.text
    assert "welcome" not in caplog.text


@pytest.mark.parametrize("error", ["cannot_dm_bot", "user_disabled", "user_not_found"])
async def test_who_cannot_be_written_to_ends_it_with_a_line_for_the_operator(
    slack: SlackDouble, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    message = await _asked(slack)
    slack.workspace.closed_channels[CHANNEL] = "is_archived"
    slack.fail("conversations.open", ApiError(error))
    with pytest.raises(Closed), caplog.at_level(logging.ERROR):
        await (await a_life(slack)).deliver(message, SHORT)
    assert error in caplog.text
    assert len(slack.called("chat.postMessage")) == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [("is_archived", Closed), ("cannot_dm_bot", Permanent), ("token_revoked", Misconfigured)],
)
async def test_a_direct_message_that_is_refused_goes_nowhere_else(
    slack: SlackDouble, error: str, kind: type[CitewellError]
) -> None:
    message = await _asked(slack, DIRECT)
    slack.fail("chat.postMessage", ApiError(error))
    with pytest.raises(kind):
        await (await a_life(slack)).deliver(message, SHORT)
    assert slack.called("conversations.open") == []


async def test_a_private_reply_is_never_told_of_elsewhere(slack: SlackDouble) -> None:
    message = await _asked(slack)
    slack.fail("chat.postEphemeral", ApiError("is_archived"))
    crisis = Reply(TurnKind.CRISIS, "Please talk to someone now.", "t2", private=True)
    await (await a_life(slack)).deliver(message, crisis)
    (shown,) = standing(slack, f"D{AMINA}")
    assert "Please talk" in shown.blocks[0]["text"]["text"]


async def test_who_waits_sees_it_as_a_status_or_else_alone(slack: SlackDouble) -> None:
    message = await _asked(slack)
    life = await a_life(slack)
    await life.waiting(message)
    assert slack.workspace.statuses == [(CHANNEL, message.id, WORDS.status.waiting)]
    slack.fail("assistant.threads.setStatus", ApiError("missing_scope"))
    await life.waiting(message)
    assert [one.text for one in slack.workspace.ephemeral] == [WORDS.status.waiting]
    slack.fail("assistant.threads.setStatus", Broken())
    slack.fail("chat.postEphemeral", Broken())
    await life.waiting(message)
