"""A reply as Slack shows it: words first, then people who help, then the sources in blocks of their own.

Pure: nothing here asks or sends anything. Everything on a button comes from the index's records (promise 1), and the
limits of Block Kit live here. Source: docs.slack.dev, "Block Kit", and the schemas of Slack's own types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from adapters.label import button_label, joined, label_of, source_label
from adapters.link import web_url
from adapters.people import people_lines
from adapters.slack.feedback import feedback
from adapters.slack.mrkdwn import escape, mrkdwn, plain
from adapters.split import cut, cut_escaped, split
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.messages import Reply, Source
    from bot.wording import Wording
    from retrieval.evidence import Hit

Block: TypeAlias = dict[str, Any]

SECTION_TEXT = 3_000
BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
ACTION_ELEMENTS = 25
MESSAGE_BLOCKS = 50
MESSAGE_TEXT = 6_000
"""Of an answer's words in one message; with buttons, resources and the fallback it stays below Slack's 12,000."""
FALLBACK_TEXT = 3_000
"""Of the words for notifications and screen readers, and of a message that has no blocks."""
PASSAGES_TEXT = 6_000
LABELS_TEXT = 1_500
"""Of the sources' names in the words for notifications; those that do not fit are left out there."""

PASSAGE_ACTION = "passage"
LINK_ACTION = "link"


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
    shown[-1] += [*_resources(reply, words), *_sources(reply.sources, words), *_confidence(reply.confidence, words)]
    shown[-1] += feedback(reply, words)
    spoken = _spoken(reply, words, len(parts))
    return tuple(Post(text, tuple(blocks[:MESSAGE_BLOCKS])) for text, blocks in zip(spoken, shown, strict=True))


def plain_posts(reply: Reply, words: Wording) -> tuple[Post, ...]:
    """The same reply without blocks, for when Slack refuses them: text, resources and sources as plain lines."""
    sources = (" ".join(filter(None, [source_label(source, words), web_url(source.url)])) for source in reply.sources)
    text = _paragraphs(plain(reply.text), _resource_lines(reply, words), escape("\n".join(sources)))
    return tuple(Post(part) for part in split(text, FALLBACK_TEXT))


def passages(sources: Sequence[Source], words: Wording, *, heading: str) -> Post:
    """Sources with their passages, verbatim, and how each was found; links in a block of their own."""
    shown = sources[: (MESSAGE_BLOCKS - 2) // 3]
    each = PASSAGES_TEXT // max(1, len(shown))
    blocks: list[Block] = [_section(f"*{plain(heading)}*")]
    for source in shown:
        blocks += [
            _section(f"*{_shown_label(label_of(source.n, source.title, source.locator), len(shown))}*"),
            _quote(cut(source.quote, each)),
            _context(joined(words.sources.found(source.found_by), f"#{source.rank}", words.mark(source))),
        ]
    links = [button for source in shown if (button := _link_button(source, words)) is not None]
    return Post(plain(heading), tuple([*blocks, *_actions(links)][:MESSAGE_BLOCKS]))


def passage(hit: Hit, source_number: int, mark: str = "") -> Post:
    """One passage in full, as it stands in its document, with what its document is marked by."""
    label = label_of(source_number, hit.document.title, hit.locator)
    return Post(
        escape(joined(label, mark)),
        (
            _section(f"*{_shown_label(label, 1)}*"),
            _quote(cut(hit.passage.text, PASSAGES_TEXT)),
            *([_context(mark)] if mark else []),
        ),
    )


def note(text: str) -> Post:
    """One of our own fixed sentences."""
    return Post(plain(text), (_section(mrkdwn(text)),))


def alert(text: str, link: tuple[str, str] | None) -> Post:
    """That someone may need help: `text` in Slack's own marks, and a button with a label and an address."""
    buttons = [_button(LINK_ACTION, 0, link[0]) | {"url": url}] if link and (url := web_url(link[1])) else []
    return Post(text, (_section(text), *_actions(buttons)))


def content(part: Post) -> dict[str, Any]:
    """What a message says. `link_names` off: "@here" in a text stays a word."""
    said: dict[str, Any] = {"text": part.text, "link_names": False, "parse": "none"}
    return said | {"blocks": list(part.blocks)} if part.blocks else said


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
    return (_section(part) for part in split(text, SECTION_TEXT))


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "plain_text", "text": text, "emoji": False}]}


def _quote(text: str) -> Block:
    """Rich text, since nothing in it is ever read as formatting: a passage stays verbatim."""
    quote = {"type": "rich_text_quote", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [quote]}


def _actions(buttons: Sequence[Block]) -> Iterator[Block]:
    for at in range(0, len(buttons), ACTION_ELEMENTS):
        yield {"type": "actions", "elements": list(buttons[at : at + ACTION_ELEMENTS])}


def _button(action: str, number: int, label: str) -> Block:
    text = {"type": "plain_text", "text": cut(label, BUTTON_TEXT), "emoji": False}
    return {"type": "button", "action_id": f"{action}:{number}", "text": text}


def _source_button(action: str, source: Source, words: Wording) -> Block:
    return _button(action, source.n, button_label(source, words, BUTTON_TEXT))


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
    return _actions(buttons)


def _resources(reply: Reply, words: Wording) -> Iterator[Block]:
    """Numbers as text (a button opens web pages only), chats and sites as buttons."""
    yield from _sections(_resource_lines(reply, words))
    links = [
        _button(f"resource_{LINK_ACTION}", number, resource.name) | {"url": url}
        for number, resource in enumerate(reply.resources, 1)
        if (url := web_url(resource.url)) is not None
    ]
    yield from _actions(links)


def _resource_lines(reply: Reply, words: Wording) -> str:
    """The people who help, one a line, escaped."""
    return escape(people_lines(reply, words))


def _confidence(confidence: float | None, words: Wording) -> Iterator[Block]:
    if confidence is not None:
        yield _context(words.confidence.of(confidence))
