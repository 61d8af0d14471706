"""A reply as Slack shows it: words first, then people who help, then the sources in blocks of their own.

Pure: nothing here asks or sends anything. Everything on a button comes from the index's records (promise 1), and the
limits of Block Kit live here. Source: docs.slack.dev, "Block Kit", and the schemas of Slack's own types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.label import button_label, joined, label_of, source_label
from adapters.link import web_url
from adapters.people import people_lines
from adapters.slack.again import retry
from adapters.slack.feedback import feedback
from adapters.slack.kit import (
    BUTTON_TEXT,
    BUTTON_VALUE,
    SECTION_TEXT,
    actions,
    button,
    context,
    quote,
    section,
)
from adapters.slack.mrkdwn import escape, mrkdwn, plain, unescape
from adapters.split import cut, cut_escaped, split
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.slack.kit import Block
    from bot.messages import Reply, Source
    from bot.wording import Wording
    from retrieval.evidence import Hit

MESSAGE_BLOCKS = 50
MESSAGE_TEXT = 6_000
"""Of an answer's words in one message; with buttons, resources and the fallback it stays below Slack's 12,000."""
FALLBACK_TEXT = 3_000
"""Of the words for notifications and screen readers, and of a message that has no blocks."""
PASSAGES_TEXT = 6_000
LABELS_TEXT = 1_500
"""Of the sources' names in the words for notifications; those that do not fit are left out there."""


PASSAGE_ACTION = "passage"
PLACE_ACTION = "place"
SOURCES_ACTION = "sources"
LINK_ACTION = "link"
MORE_ACTION = "more"


@dataclass(frozen=True, slots=True)
class Post:
    """One message to send. `text` is what notifications show and screen readers read; `blocks` may be empty."""

    text: str
    blocks: tuple[Block, ...] = ()


def posts(reply: Reply, words: Wording) -> tuple[Post, ...]:
    """The messages that show a reply: one, unless its text is longer than a message may be.

    Sources, confidence, resources and the thumbs stand in the last one. A courtesy that has sources is the answer to
    "sources": it shows them in full.
    """
    if reply.kind is TurnKind.COURTESY and reply.sources:
        return (passages(reply.sources, words, heading=reply.text),)
    parts = split(mrkdwn(reply.text), MESSAGE_TEXT) or [""]
    shown = [list(_sections(part)) for part in parts]
    shown[-1] += [*_resources(reply, words), *_sources(reply.sources, words), *_all_sources(reply, words)]
    shown[-1] += more_rows(reply.more, words)
    shown[-1] += [*_confidence(reply.confidence, words), *feedback(reply, words), *retry(reply, words)]
    spoken = _spoken(reply, words, len(parts))
    return tuple(Post(text, tuple(blocks[:MESSAGE_BLOCKS])) for text, blocks in zip(spoken, shown, strict=True))


def plain_posts(reply: Reply, words: Wording, *, since: int = 0) -> tuple[Post, ...]:
    """The same reply without blocks, for when Slack refuses them: text, resources and sources as plain lines.

    With `since`, what the messages of that number and behind it would have shown.
    """
    text = "\n\n".join(split(mrkdwn(reply.text), MESSAGE_TEXT)[since:]) if since else plain(reply.text)
    text = _paragraphs(text, _resource_lines(reply, words), escape(_source_lines(reply, words)))
    return tuple(Post(part) for part in split(text, FALLBACK_TEXT))


def file_text(reply: Reply, words: Wording) -> str:
    """The same reply as a file, in which nothing is escaped."""
    return _paragraphs(reply.text, unescape(_resource_lines(reply, words)), _source_lines(reply, words)) + "\n"


def passages(sources: Sequence[Source], words: Wording, *, heading: str, more: str = "") -> Post:
    """Sources with their passages, verbatim, and how each was found; links in a block of their own.

    `more` is the id of rows that are left.
    """
    shown = sources[: (MESSAGE_BLOCKS - 2) // 3]
    each = PASSAGES_TEXT // max(1, len(shown))
    blocks: list[Block] = [section(f"*{plain(heading)}*")]
    for source in shown:
        rank = words.sources.rank_of(source)
        blocks += [
            section(f"*{_shown_label(label_of(source.n, source.title, source.locator), len(shown))}*")
            | _in_its_place(source, words),
            quote(cut(source.quote, each)),
            context(joined(words.sources.found(source.found_by), rank, words.mark(source))),
        ]
    links = [button for source in shown if (button := _link_button(source, words)) is not None]
    fitting = [*blocks, *actions(links)][: MESSAGE_BLOCKS - 1]
    return Post(plain(heading), (*fitting, *more_rows(more, words)))


def more_rows(id_: str, words: Wording) -> Iterator[Block]:
    """What shows the rows that are left, to whoever clicks; nothing where there are none."""
    if id_:
        yield from actions([button(MORE_ACTION, 0, words.lookups.more_button, value=id_)])


def passage(hit: Hit, source_number: int, mark: str = "", lead: str = "") -> Post:
    """One passage in full, as it stands in its document, with what its document is marked by; `lead` goes before it."""
    label = label_of(source_number, hit.document.title, hit.locator)
    return Post(
        escape(joined(label, mark)),
        (
            *([section(plain(lead))] if lead else []),
            section(f"*{_shown_label(label, 1)}*"),
            quote(cut(hit.passage.text, PASSAGES_TEXT)),
            *([context(mark)] if mark else []),
        ),
    )


def note(text: str, *buttons: Block) -> Post:
    """One of our own fixed sentences, with what can be done about it."""
    return Post(plain(text), (section(mrkdwn(text)), *actions(buttons)))


def told(text: str) -> Post:
    """One of our own sentences, in Slack's own marks: it may name a channel."""
    return Post(text, (section(text),))


def alert(text: str, link: tuple[str, str] | None) -> Post:
    """That someone may need help: `text` in Slack's own marks, and a button with a label and an address."""
    buttons = [button(LINK_ACTION, 0, link[0]) | {"url": url}] if link and (url := web_url(link[1])) else []
    return Post(text, (section(text), *actions(buttons)))


def content(part: Post) -> dict[str, Any]:
    """What a message says. `link_names` off: "@here" in a text stays a word."""
    said: dict[str, Any] = {"text": part.text, "link_names": False, "parse": "none"}
    return said | {"blocks": list(part.blocks)} if part.blocks else said


def _source_lines(reply: Reply, words: Wording) -> str:
    """The sources with their addresses, one a line."""
    named = ([source_label(source, words), web_url(source.url)] for source in reply.sources)
    return "\n".join(" ".join(filter(None, one)) for one in named)


def _spoken(reply: Reply, words: Wording, parts: int) -> list[str]:
    """What is read out of each message; of the last one, the people who help and the sources too.

    Where room is short the answer's own words give way, since its blocks show them in full.
    """
    texts = [split(part, FALLBACK_TEXT)[0] for part in split(plain(reply.text), MESSAGE_TEXT)][:parts]
    texts += ["…"] * (parts - len(texts))
    people = _resource_lines(reply, words)
    labels = _labels(reply.sources, words)
    room = max(FALLBACK_TEXT // 3, FALLBACK_TEXT - len(people) - len(labels) - 4)
    return [*texts[:-1], _paragraphs(cut_escaped(texts[-1], room), people, labels)]


def _labels(sources: Sequence[Source], words: Wording) -> str:
    """The sources' names, a line each."""
    lines: list[str] = []
    for source in sources:
        line = escape(source_label(source, words))
        if sum(map(len, lines)) + len(lines) + len(line) > LABELS_TEXT:
            break
        lines.append(line)
    return "\n".join(lines)


def _shown_label(label: str, of: int) -> str:
    """A label above its passage, `of` of which stand in one message."""
    return cut_escaped(escape(label), max(LABELS_TEXT * 2 // of, LABELS_TEXT // 10))


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _sections(text: str) -> Iterator[Block]:
    return (section(part) for part in split(text, SECTION_TEXT))


def _in_its_place(source: Source, words: Wording) -> Block:
    """Beside a source's name, what shows the passage in its document."""
    if len(source.id) > BUTTON_VALUE:
        return {}
    return {"accessory": button(PLACE_ACTION, source.n, words.sources.in_place, value=source.id)}


def _source_button(action: str, source: Source, words: Wording) -> Block:
    return button(action, source.n, button_label(source, words, BUTTON_TEXT))


def _link_button(source: Source, words: Wording) -> Block | None:
    url = web_url(source.url)
    return None if url is None else _source_button(LINK_ACTION, source, words) | {"url": url}


def _sources(sources: Sequence[Source], words: Wording) -> Iterator[Block]:
    """A link where the document has one, else a button that shows the passage."""
    buttons = []
    for source in sources:
        button = _link_button(source, words)
        if button is None and len(source.id) <= BUTTON_VALUE:
            button = _source_button(PASSAGE_ACTION, source, words) | {"value": source.id}
        if button is not None:
            buttons.append(button)
    return actions(buttons)


def _all_sources(reply: Reply, words: Wording) -> Iterator[Block]:
    """What shows the passages themselves, to whoever clicks."""
    if reply.kind is TurnKind.FACT and reply.sources:
        yield from actions([button(SOURCES_ACTION, 0, words.sources.all, value=reply.trace_id)])


def _resources(reply: Reply, words: Wording) -> Iterator[Block]:
    """Numbers as text (a button opens web pages only), chats and sites as buttons."""
    yield from _sections(_resource_lines(reply, words))
    links = [
        button(f"resource_{LINK_ACTION}", number, resource.name) | {"url": url}
        for number, resource in enumerate(reply.resources, 1)
        if (url := web_url(resource.url)) is not None
    ]
    yield from actions(links)


def _resource_lines(reply: Reply, words: Wording) -> str:
    """The people who help, one a line, escaped."""
    return escape(people_lines(reply, words))


def _confidence(confidence: float | None, words: Wording) -> Iterator[Block]:
    if confidence is not None:
        yield context(words.confidence.of(confidence))
