"""App Home and the questions offered in the messages tab: opened, clicked, published anew."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.clicks import ON_CLICK
from adapters.slack.errors import mapped
from adapters.slack.events import DIRECT, PLATFORM
from adapters.slack.home import FORGET_ACTION, Controls, HomeOpened, home, switched
from bot.errors import CitewellError
from bot.switches import STAGES
from memory.conversation import Conversation
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Collection

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.forgetting import Forgetter
    from adapters.overview import Overview
    from adapters.topics import Topics
    from bot.access import Access
    from bot.messages import Author
    from bot.switches import Switches
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
_QUESTIONS = 3
"""Of the four prompts that Slack shows; the last one asks what the bot can do."""


class AppHome:
    """The page of each person. Only `operators` (ids of people) see how the parts are and may switch stages, but for
    those that the settings keep off, `kept_off`.

    What they are told of the documents is what `access` allows in their direct message with us.
    """

    def __init__(
        self,
        *,
        overview: Overview,
        topics: Topics,
        forgetter: Forgetter,
        switches: Switches,
        words: Wording,
        access: Access,
        operators: Collection[str] = frozenset(),
        kept_off: Collection[str] = frozenset(),
    ) -> None:
        self._overview = overview
        self._topics = topics
        self._forgetter = forgetter
        self._switches = switches
        self._words = words
        self._access = access
        self._operators = frozenset(operators)
        self._offered = tuple(stage for stage in STAGES if stage not in kept_off)

    async def opened(self, event: HomeOpened, team: str, author: Author, client: AsyncWebClient) -> None:
        """Publish the page, or offer questions, as the tab wants. A refusal of Slack's is logged."""
        try:
            if event.tab == "home":
                await self._publish(team, author, client)
            else:
                await self._offer(Conversation(PLATFORM, team, event.channel), author, client)
        except CitewellError as error:
            _LOG.warning("the page was not shown: %s", error)

    async def clicked(self, action_id: str, value: str, team: str, author: Author, client: AsyncWebClient) -> None:
        """Do what the button says if this person may, and publish the page anew."""
        note = ""
        if action_id == FORGET_ACTION:
            note = await self._forget(team, author)
        elif (switch := switched(action_id, value)) and self._operates(author):
            self._switch(*switch)
        await self._publish(team, author, client, note)

    def _switch(self, stage: str, on: bool) -> None:
        if stage not in self._offered:
            return
        self._switches.turn(stage, on=on)
        _LOG.warning("the stage %s was switched %s by an operator, until the next start", stage, "on" if on else "off")

    def _operates(self, author: Author) -> bool:
        return author.id in self._operators and not author.guest

    async def _forget(self, team: str, author: Author) -> str:
        try:
            gone = await self._forgetter.matching(author=author.id, platform=PLATFORM, tenant=team)
        except MemoryUnavailable as error:
            _LOG.error("nothing was forgotten: %s", error)
            return self._words.home.unforgotten
        if gone.waiting:
            return self._words.home.forgotten_waiting
        return self._words.home.forgotten if gone.turns else self._words.home.nothing_kept

    async def _publish(self, team: str, author: Author, client: AsyncWebClient, note: str = "") -> None:
        alone = Conversation(PLATFORM, team, DIRECT)
        holdings = await self._overview.holdings(await self._access(alone, author))
        controls = None
        if self._operates(author):
            controls = Controls(await self._overview.health(), self._switches.off, self._offered)
        page = dict(home(holdings, self._words, note=note, controls=controls))

        async def publish() -> None:
            with mapped("views.publish"):
                await client.views_publish(user_id=author.id, view=page)

        await ON_CLICK.through(publish)

    async def _offer(self, where: Conversation, author: Author, client: AsyncWebClient) -> None:
        words = self._words.prompts
        questions = await self._topics.questions(await self._access(where, author), count=_QUESTIONS)
        prompts = [{"title": question, "message": question} for question in (*questions, words.help)]

        async def offer() -> None:
            with mapped("assistant.threads.setSuggestedPrompts"):
                await client.assistant_threads_setSuggestedPrompts(
                    channel_id=where.channel,  # and no thread_ts: with one, an agent's prompts are dropped
                    title=words.title,
                    prompts=prompts,
                )

        await ON_CLICK.through(offer)
