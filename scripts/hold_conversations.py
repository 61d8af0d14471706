"""Holds whole conversations with the model that the settings name, over the sample documents, and writes them down.

    python -m scripts.hold_conversations CONVERSATIONS.toml HOME > transcripts.md

The file lists conversations as scripts/conversations.toml does; HOME is a folder for an index and a memory. Each
message takes the way that one on a platform does. Beside every reply stand what the model had drafted, what the check
dropped of it and why, and what each stage took: the draft is kept here only, and nowhere in the product. Settings are
those of the environment, such as `ANTHROPIC_BASE_URL` for a server of one's own (scripts/messages_server.py).
"""

from __future__ import annotations

import argparse
import asyncio
import tomllib
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adapters import samples
from adapters.app import Application, build, utc_now
from adapters.console import message
from adapters.documents import fill_in, take_in
from adapters.settings import Settings
from bot.answer import Answer, Fact
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answerer import Answerer, Hear
    from bot.messages import Reply
    from bot.trace import Span, Trace
    from memory.replay import Said
    from retrieval.evidence import Evidence


@dataclass(slots=True)
class Noting:
    """Another's drafts, and a note of the last and of the turn's trace."""

    behind: Answerer
    draft: Answer | None = None
    trace: Trace | None = None
    passages: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.behind.name

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        self.draft = await self.behind.answer(question, evidence, history, hear)
        return self.draft

    def observe(self, trace: Trace, evidence: Evidence) -> None:
        self.trace, self.passages = trace, [hit.passage.id for hit in evidence.hits]

    def forget(self) -> None:
        self.draft = self.trace = None


async def hold(app: Application, name: str, said: Sequence[str]) -> str:
    """One conversation as a section of Markdown."""
    noting = Noting(app.engine.answerer)
    engine = replace(app.engine, answerer=noting, observe=noting.observe)
    lines = [f"### {name}"]
    for text in said:
        noting.forget()
        incoming = message(text, id_=uuid.uuid4().hex, thread=name, at=utc_now())
        lines += [f"**Person:** {text}", *_turn(await engine.respond(incoming), noting)]
    return "\n\n".join(lines)


def _turn(reply: Reply, noting: Noting) -> list[str]:
    lines = [f"**Citewell** ({reply.kind.value}{_sure(reply)}):", _quoted(reply.text)]
    lines += [
        f"- [{one.n}] {' · '.join(filter(None, [one.title, one.locator]))}: “{' '.join(one.quote.split())}”"
        for one in reply.sources
    ]
    if noting.draft is not None:
        lines.append(f"*The model's draft:*\n\n{_drafted(noting.draft, noting.passages)}")
    if noting.trace is not None:
        lines.append(f"*Stages:* {'; '.join(_stage(span) for span in noting.trace.spans)}")
    return lines


def _sure(reply: Reply) -> str:
    return "" if reply.confidence is None else f", confidence {reply.confidence:.2f}"


def _drafted(draft: Answer, passages: Sequence[str]) -> str:
    if not isinstance(draft, Fact):
        return f"> ungrounded; missing: {draft.missing or '(nothing)'}"
    known = {id_: f"p{number}" for number, id_ in enumerate(passages, start=1)}
    return "\n".join(
        f"> {number}. {one.text} — {known.get(one.passage_id, f'no such passage ({one.passage_id})')}: “{one.quote}”"
        for number, one in enumerate(draft.sentences, start=1)
    )


def _stage(span: Span) -> str:
    said = " ".join(f"{name}={value}" for name, value in span.attributes.items() if value not in {"", 0})
    return f"{span.stage} {span.milliseconds:.0f} ms{said and f' ({said})'}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversations", type=Path)
    parser.add_argument("home", type=Path)
    given = parser.parse_args()
    listed = tomllib.loads(given.conversations.read_text(encoding="utf-8"))["conversation"]
    async with await build(Settings.load(home=given.home)) as app:
        await take_in(app, [samples.documents()], collection=PUBLIC, prune=True)
        await fill_in(app)
        for one in listed:
            print(await hold(app, one["name"], one["says"]), end="\n\n", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
