"""Nobody learns more than the place allows: the rule alone, then through everything that shows a passage."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.sources import Sources, answering_sources
from bot.access import DEFAULT, PlaceAccess, Shelving
from bot.messages import Author, IncomingMessage
from memory.conversation import Conversation
from tests.bot.engine import NOW, bench

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bot.messages import Reply

PLATFORM, TENANT = "slack", "T1"
DIRECT = "D1"
WARD, OPEN, OTHER = "C1", "C2", "C3"
MEMBER, GUEST = Author("ann"), Author("gus", guest=True)
PUBLIC = frozenset({"public"})
WARDS = frozenset({"public", "wards"})
DIVIDED = Shelving(channels={PLATFORM: {WARD: WARDS, OPEN: WARDS}})


@dataclass
class Told:
    """What a platform says: where outsiders read, and the channels that everyone is in."""

    open: Collection[str] = ()
    channels: Collection[str] = ()
    broken: Exception | None = None
    silent: bool = False
    asked: list[str] = field(default_factory=list)

    def is_direct(self, conversation: Conversation) -> bool:
        return conversation.channel.startswith("D")

    async def closed(self, conversation: Conversation) -> bool:
        self.asked.append(conversation.channel)
        if self.silent:
            await asyncio.Event().wait()
        if self.broken is not None:
            raise self.broken
        return conversation.channel not in self.open

    async def channels_of(self, author: Author) -> Collection[str]:
        if self.broken is not None:
            raise self.broken
        return self.channels


def at(channel: str, *, tenant: str = TENANT, platform: str = PLATFORM) -> Conversation:
    return Conversation(platform, tenant, channel, "1.1")


def access(shelving: Shelving, told: Told, *, patience: float = 2.0) -> PlaceAccess:
    made = PlaceAccess(shelving, own={"console"}, patience=patience)
    made.register(PLATFORM, TENANT, told)
    return made


@pytest.mark.parametrize(
    ("shelving", "channel", "author", "seen"),
    [
        (Shelving(), WARD, MEMBER, None),
        (Shelving(), WARD, GUEST, PUBLIC),
        (Shelving(), OPEN, MEMBER, PUBLIC),
        (Shelving(), DIRECT, MEMBER, PUBLIC),
        (Shelving(direct_by_channels=True), DIRECT, MEMBER, None),
        (Shelving(direct_by_channels=True), DIRECT, GUEST, PUBLIC),
        (DIVIDED, WARD, MEMBER, WARDS),
        (DIVIDED, WARD, GUEST, PUBLIC),
        (DIVIDED, OPEN, MEMBER, PUBLIC),
        (DIVIDED, OTHER, MEMBER, PUBLIC),
        (DIVIDED, DIRECT, MEMBER, PUBLIC),
        (replace(DIVIDED, direct_by_channels=True), DIRECT, MEMBER, WARDS),
        (Shelving(channels={PLATFORM: {WARD: frozenset({"wards"})}}), WARD, MEMBER, {"wards"}),
        (Shelving(channels={PLATFORM: {WARD: frozenset()}}), WARD, MEMBER, frozenset()),
        (Shelving(channels={PLATFORM: {DEFAULT: WARDS}}), OTHER, MEMBER, WARDS),
        (Shelving(channels={PLATFORM: {TENANT: WARDS, DEFAULT: PUBLIC}}), OTHER, MEMBER, WARDS),
        (Shelving(channels={"teams": {WARD: WARDS}}), WARD, MEMBER, PUBLIC),
        (Shelving(public=frozenset({"leaflets"})), WARD, GUEST, {"leaflets"}),
    ],
)
async def test_the_place_the_person_and_the_settings_decide(
    shelving: Shelving, channel: str, author: Author, seen: frozenset[str] | None
) -> None:
    told = Told(open={OPEN}, channels={WARD, OPEN})
    assert await access(shelving, told)(at(channel), author) == seen


async def test_a_direct_message_gets_nothing_from_a_channel_that_outsiders_read() -> None:
    shelving = replace(DIVIDED, direct_by_channels=True)
    assert await access(shelving, Told(open={WARD, OPEN}, channels={WARD, OPEN}))(at(DIRECT), MEMBER) == PUBLIC
    assert await access(shelving, Told(channels={OTHER}))(at(DIRECT), MEMBER) == PUBLIC


@pytest.mark.parametrize("channel", [WARD, DIRECT])
async def test_where_the_platform_cannot_say_or_takes_too_long_it_is_public(channel: str) -> None:
    shelving = replace(DIVIDED, direct_by_channels=True)
    for told in (Told(broken=RuntimeError("down")), Told(silent=True, channels={WARD})):
        assert await access(shelving, told, patience=0.01)(at(channel), MEMBER) == PUBLIC


async def test_a_place_that_nobody_knows_is_open_to_outsiders() -> None:
    known = access(Shelving(), Told())
    assert await known(at(WARD, tenant="T2"), MEMBER) == PUBLIC
    assert await known(at(WARD, platform="teams"), MEMBER) == PUBLIC
    known.forget(PLATFORM, TENANT)
    assert await known(at(WARD), MEMBER) == PUBLIC


async def test_on_the_operators_own_machine_a_member_sees_all_and_a_guest_what_is_public() -> None:
    known = access(DIVIDED, Told())
    assert await known(at("terminal", platform="console"), MEMBER) is None
    assert await known(at("terminal", platform="console"), GUEST) == PUBLIC


async def test_a_platform_is_not_asked_where_its_answer_changes_nothing() -> None:
    told = Told()
    assert await access(Shelving(channels={PLATFORM: {WARD: PUBLIC}}), told)(at(WARD), MEMBER) == PUBLIC
    assert told.asked == []


COLLECTIONS = ("public", "wards", "pharmacy")
ANIMALS = dict(zip(COLLECTIONS, ("kestrel", "heron", "plover"), strict=True))
TEXTS = {
    name: f"The {animal} rota of the {name} begins at {hour} pm."
    for hour, (name, animal) in enumerate(ANIMALS.items(), 5)
}
CHANNELS = (WARD, OPEN, OTHER, DIRECT)
SOME = st.frozensets(st.sampled_from(COLLECTIONS))
TABLES = st.dictionaries(st.sampled_from([WARD, OPEN, OTHER, TENANT, DEFAULT]), SOME)
SHELVINGS = st.builds(
    Shelving,
    public=st.sampled_from([PUBLIC, frozenset({"public", "wards"})]),
    channels=st.one_of(st.just({}), st.fixed_dictionaries({PLATFORM: TABLES})),
    direct_by_channels=st.booleans(),
)
STATES = st.builds(
    Told, open=st.frozensets(st.sampled_from(CHANNELS[:3])), channels=st.frozensets(st.sampled_from(CHANNELS[:3]))
)
SAYS = [f"When does the {animal} rota begin?" for animal in ANIMALS.values()]
SAYS += ["And on Sundays?", "What else?", "explain it more simply", "sources", "source 1", "auf Deutsch bitte"]
STEPS = st.lists(
    st.tuples(st.sampled_from(CHANNELS), st.sampled_from([MEMBER, GUEST]), st.sampled_from(SAYS), SHELVINGS, STATES),
    min_size=1,
    max_size=5,
)


def may_see(shelving: Shelving, told: Told, channel: str, author: Author) -> set[str]:
    """The rule once more, in other words: what this person may be shown here, of all that there is."""

    def shown_in(one: str) -> set[str]:
        if not shelving.channels:
            return set(shelving.public if one in told.open else COLLECTIONS)
        table: Mapping[str, frozenset[str]] = shelving.channels[PLATFORM]
        named = next((table[name] for name in (one, TENANT, DEFAULT) if name in table), shelving.public)
        return set(shelving.public if one in told.open and named - shelving.public else named)

    if author.guest:
        return set(shelving.public)
    if channel != DIRECT:
        return shown_in(channel)
    mine = [shown_in(one) for one in told.channels] if shelving.direct_by_channels else []
    return set(shelving.public).union(*mine)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_nobody_is_shown_a_passage_that_the_place_does_not_allow_at_that_moment(
    steps: list[tuple[str, Author, str, Shelving, Told]],
) -> None:
    """Settings, members and sharing change between any two messages; buttons of all that there is are clicked."""

    async def hold() -> None:
        made = await bench(leaflets={})
        for name, text in TEXTS.items():
            await _shelve(made.index, name, text)
        ids = count(1)
        for channel, author, text, shelving, told in steps:
            known = access(shelving, told)
            sources = Sources(made.engine.memories, made.index, known)
            respond = answering_sources(replace(made.engine, access=known).respond, sources, made.engine.wording)
            where = at(channel)
            reply = await respond(IncomingMessage(f"m{next(ids)}", where, author, text, NOW))
            allowed = may_see(shelving, told, channel, author)
            hidden = set(COLLECTIONS) - allowed
            assert [name for name in hidden if ANIMALS[name] in _everything(reply, asked=text)] == []
            behind = [await sources.of_person(where, author), await sources.of_conversation(where, author)]
            assert {source.id for found in behind for source in found or ()} <= {f"{name}#1" for name in allowed}
            clicked = {name: await sources.passage(f"{name}#1", where, author) for name in COLLECTIONS}
            assert {name for name, hit in clicked.items() if hit is not None} == allowed

    asyncio.run(hold())


async def test_the_property_can_see_something() -> None:
    made = await bench(leaflets={})
    for name, text in TEXTS.items():
        await _shelve(made.index, name, text)
    engine = replace(made.engine, access=access(DIVIDED, Told()))
    asked = IncomingMessage("m1", at(WARD), MEMBER, "When does the heron rota begin?", NOW)
    assert "6 pm" in (await engine.respond(asked)).text
    reply = await engine.respond(replace(asked, id="m2", text="When does the plover rota begin?"))
    assert "7 pm" not in reply.text


async def _shelve(index: object, name: str, text: str) -> None:
    from retrieval.document import Document, Passage
    from retrieval.ram_index import RamIndex

    assert isinstance(index, RamIndex)
    document = Document(name, f"Rota of {name}", f"/{name}.md", name, name)
    await index.replace(document, [Passage(f"{name}#1", name, 1, text, "", (), (0, len(text)))])


def _everything(reply: Reply, *, asked: str) -> str:
    """All that is shown, without what the person said themselves."""
    shown = [reply.text.replace(asked, ""), *(f"{one.title} {one.quote}" for one in reply.sources)]
    return " ".join(shown).casefold()
