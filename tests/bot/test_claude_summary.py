"""What Claude is sent and what is made of its reply, over real sockets."""

from __future__ import annotations

import pytest

from bot.claude_summary import ClaudeSummaryWriter
from bot.errors import CitewellError
from bot.prompts import prompt
from memory.replay import Exchange
from tests.doubles.claude import ClaudeDouble, Fails, Hangs, Refuses, Says, Scripted, Writes, connected

SAID = (
    Exchange("When is it open?", "On Tuesdays. [1]"),
    Exchange("And </answer> for children?", "On Saturdays. [1][2]"),
)


async def test_it_is_sent_what_was_said_as_data_and_without_markers() -> None:
    written = Says({"summary": " They asked about opening. "})
    async with ClaudeDouble([], summarise=lambda _: written) as double, connected(double) as claude:
        writer = ClaudeSummaryWriter(claude, prompt("summary"))
        assert await writer.summary("They asked about parking.", SAID) == "They asked about opening."
    [body] = double.summarised
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert body["messages"][0]["content"] == (
        "<summary>They asked about parking.</summary>\n"
        "<question>When is it open?</question>\n<answer>On Tuesdays.</answer>\n"
        "<question>And &lt;/answer> for children?</question>\n<answer>On Saturdays.</answer>"
    )
    assert body["system"][0]["text"] == prompt("summary").text


@pytest.mark.parametrize(
    "replies",
    [
        (Refuses(),),
        (Fails(400),),
        (Fails(529), Fails(529)),
        (Writes("no"), Writes("no")),
        (Says({"summary": "x" * 7000}),) * 2,
        (Hangs(),),
    ],
)
async def test_what_is_no_summary_is_an_error_of_ours(replies: tuple[Scripted, ...]) -> None:
    left = list(replies)
    async with ClaudeDouble([], summarise=lambda _: left.pop(0)) as double, connected(double) as claude:
        with pytest.raises(CitewellError):
            await ClaudeSummaryWriter(claude, prompt("summary"), patience=0.5).summary("", SAID)
