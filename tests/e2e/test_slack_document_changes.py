"""Messages whose files were taken in, and which are edited or deleted then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.standing import telling
from tests.doubles.slack import interactions
from tests.e2e.test_slack_changes import EDITED
from tests.e2e.test_slack_documents import DOCS, documents, here, mode, send, slack

if TYPE_CHECKING:
    from tests.doubles.slack import Message
    from tests.e2e.whole_rig import Whole

__all__ = ["here", "mode", "slack"]


def sent_in(made: Whole, channel: str) -> Message:
    """The last message of a person there."""
    return [one for one in made.slack.workspace.messages[channel] if not one.by_bot][-1]


async def edited(made: Whole, message: Message, text: str, at: str = EDITED) -> None:
    message.files = made.slack.files.shared("F1")
    assert (await made.slack.change(interactions.changed(message, text, at))).ok
    message.text = text


async def test_other_words_beside_files_that_were_taken_in_are_met_with_nothing(here: Whole) -> None:
    report = await send(here, "F1", channel=DOCS, text="the rota")
    for at, text in (("1764500900.000000", "the new rota"), ("1764500901.000000", "the newest rota")):
        await edited(here, sent_in(here, DOCS), text, at)
    await send(here, "F1", channel=DOCS, text="and once more")  # behind which any note would have been said
    assert here.slack.workspace.ephemeral == []
    assert report in here.slack.workspace.posted(DOCS)
    assert len(await documents(here)) == 1


async def test_an_edit_of_files_that_nobody_told_us_of_takes_them_in(here: Whole) -> None:
    message = await here.slack.write(DOCS, "U0AMINA", "the rota")
    await edited(here, message, "the new rota")
    await here.settled()
    assert [one.title for one in await documents(here)] == ["Heron rota"]


async def test_what_tells_how_far_files_are_goes_with_their_message(here: Whole) -> None:
    report = await send(here, "F1", channel=DOCS)
    message = sent_in(here, DOCS)
    key = f"slack:{here.slack.workspace.team}:{DOCS}:{message.ts}"
    report.metadata = telling(key)  # as after a crash before the report, which alone can be undone
    report.blocks = [block for block in report.blocks if block["type"] != "actions"]
    assert (await here.slack.change(interactions.tombstone(message))).ok
    await here.slack.until(lambda: here.slack.workspace.posted(DOCS) == [])
