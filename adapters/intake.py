"""Files that people send, taken in as documents: by whom the operator allows, in the places that are meant for it.

It is a part of the turn: the message waits in the inbox like any other, so that a restart in the middle neither loses
nor doubles anything, and the report is its reply.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.ingest_history import Ingested
from adapters.intake_report import report
from adapters.offered import NotFetched
from adapters.uploads import TOOK, safe_name
from bot.errors import CitewellError, Permanent, outline
from bot.messages import Reply
from memory.turn import TurnKind
from retrieval.errors import RetrievalError
from retrieval.ingest import content_hash, document_id, ingest
from retrieval.ingest_report import Outcome
from retrieval.readers.kind import BY_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from adapters.ingest_history import IngestHistory
    from adapters.offered import Files, Offered, Permission
    from adapters.uploads import Item, Record, Uploads
    from bot.messages import Attachment, Author, IncomingMessage
    from bot.wording import Wording
    from memory.conversation import Conversation
    from retrieval.document import Document
    from retrieval.index import Index

logger = logging.getLogger(__name__)

_NAMED = re.compile(r"\b(?:into|collection)\b[\s:=]+(?:the\s+)?(?:collection\s+)?[\"'“‘`*_]*([\w.-]+)", re.IGNORECASE)
_UNDO_DAYS = 30


class Intake:
    """Takes files in, and out again. `seconds` bounds the work on one message; `fresh` is set when passages came."""

    def __init__(
        self,
        index: Index,
        uploads: Uploads,
        permission: Permission,
        words: Wording,
        *,
        clock: Callable[[], datetime],
        collections: Collection[str],
        public: Collection[str],
        seconds: float,
        history: IngestHistory,
    ) -> None:
        self.allow(permission, collections=collections, public=public)
        self.fresh = asyncio.Event()
        self._index = index
        self._uploads = uploads
        self._words = words
        self._clock = clock
        self._seconds = seconds
        self._history = history
        self._files: dict[tuple[str, str], tuple[Files, Callable[[Conversation], bool]]] = {}
        self._open: set[tuple[str, str]] = set()
        self._placing = asyncio.Lock()

    def allow(self, permission: Permission, *, collections: Collection[str], public: Collection[str]) -> None:
        """From the next message on: who may send files, which collections there are by name, and which are public."""
        self.permission = permission
        self._collections = frozenset({*collections, permission.collection})
        self._public = public

    def register(
        self,
        platform: str,
        tenant: str,
        files: Files,
        direct: Callable[[Conversation], bool],
        *,
        anyone: bool = False,
    ) -> None:
        """Fetch the files of this tenant so; `direct` tells its direct messages.

        With `anyone`, all of its members may give documents: whoever can write there at all has been let in for that.
        """
        self._files[platform, tenant] = files, direct
        if anyone:
            self._open.add((platform, tenant))

    def forget(self, platform: str, tenant: str) -> None:
        """Leave the files of this tenant alone."""
        self._files.pop((platform, tenant), None)

    async def leave(self, platform: str, tenant: str) -> int:
        """Delete all documents of this tenant, who has left, and say how many; what is being fetched comes too late.

        Raises `RetrievalError` or OSError; done again, it goes on.
        """
        self.forget(platform, tenant)
        async with self._placing:
            documents = await asyncio.to_thread(self._uploads.of_tenant, platform, tenant)
            await self._index.remove(documents)
            await asyncio.to_thread(self._uploads.forget, platform, tenant)
        return len(documents)

    def refusal(self, message: IncomingMessage) -> str:
        """Why the files of a message are not even looked at; empty where they are to be taken in."""
        known = self._files.get((message.conversation.platform, message.conversation.tenant))
        if self._cannot_tell(message.author):
            return self._words.again.unsure
        if known is None or not self.allowed(message.author, message.conversation):
            return self._words.documents.not_yours
        channel = message.conversation.channel
        here = known[1](message.conversation) or channel in self.permission.channels
        return "" if here else self._words.documents.not_here

    def allowed(self, author: Author, where: Conversation) -> bool:
        """Whether this person may give and take out documents there. A guest never may."""
        anyone = (where.platform, where.tenant) in self._open
        return not author.guest and (anyone or author.id in self.permission.people)

    def _cannot_tell(self, author: Author) -> bool:
        """Whether they may, if only it could be told whether they are who they seem to be."""
        return author.unknown and author.id in self.permission.people

    async def take_in(self, message: IncomingMessage) -> Reply:
        """Every file of a message, one after another, and the report. Raises what the index raises before the first."""
        collection, known = await self._collection(message.text)
        if collection is None:
            there = ", ".join(sorted(known))
            return _said(self._words.documents.which.format(collections=there))
        where = message.conversation
        files, _ = self._files[where.platform, where.tenant]
        record = await asyncio.to_thread(
            self._uploads.record, message.key, place=where.place, collection=collection, at=self._clock()
        )
        ends = asyncio.get_running_loop().time() + self._seconds
        for number, file in enumerate(message.files, 1):
            item = record.item(file.id, file.name)
            if item.outcome is not None:
                continue
            telling = self._words.documents.taking
            await files.tell(message, telling.format(name=item.name, n=number, count=len(message.files)))
            await self._settle(item, record, files, file, where, ends=ends)
            async with self._placing:
                self._check_here(where, files)
                await asyncio.to_thread(self._uploads.keep, record)
        if record.taken:
            self.fresh.set()
        await self._noted(where, collection, Counter(item.outcome.value for item in record.items if item.outcome))
        text = report(record, self._words, public=collection in self._public)
        return replace(_said(text), undo=record.id if record.taken else "")

    async def undo(self, id_: str, conversation: Conversation, author: Author) -> tuple[bool, str]:
        """Take out what a message brought and nothing else: whether that was done, and what to say.

        A version that it replaced is there again. What has been replaced since stays.
        """
        words = self._words.documents
        if not self.allowed(author, conversation):
            return False, self._words.again.unsure if self._cannot_tell(author) else words.undo_not_yours
        async with self._placing:
            record = await asyncio.to_thread(self._uploads.find, id_)
            if record is None or record.place != conversation.place or not record.taken:
                return False, words.undo_gone
            if all(item.undone for item in record.taken):
                return False, words.undo_done
            lines = [await self._take_out(item, record) for item in record.taken if not item.undone]
            done = any(item.undone for item in record.taken)
        if count := sum(item.undone for item in record.taken):
            await self._noted(conversation, record.collection, {Outcome.REMOVED.value: count})
        self.fresh.set()
        return done, "\n".join(lines)

    async def restore(self) -> None:
        """Take in what is kept and the index lacks, after it was built anew; drop what can no longer be undone."""
        await asyncio.to_thread(self._uploads.forget_before, self._clock() - timedelta(days=_UNDO_DAYS))
        for collection, paths in await asyncio.to_thread(lambda: list(self._uploads.kept())):
            async with self._placing:
                done = await ingest(paths, self._index, collection=collection)
            if any(file.outcome in TOOK for file in done.files):
                self.fresh.set()
            for file in done.files:
                if file.outcome is Outcome.FAILED and file.code != "missing":
                    logger.error("a document that was sent cannot be taken in again: %s", file.code)

    async def _noted(self, where: Conversation, collection: str, files: Mapping[str, int]) -> None:
        await asyncio.to_thread(self._history.note, Ingested(self._clock(), collection, where.platform, files))

    async def _collection(self, text: str) -> tuple[str | None, frozenset[str]]:
        """The collection that a message names, or else the one that is set; None for one that nobody knows."""
        known = self._collections | set((await self._index.status()).collections)
        said = text.strip().strip("\"'“”‘’`*_.,!")
        found = _NAMED.search(text)
        name = found[1].strip(".") if found else said if said in known else ""
        if not name:
            return self.permission.collection, known
        return (name if name in known else None), known

    async def _settle(
        self, item: Item, record: Record, files: Files, file: Attachment, where: Conversation, *, ends: float
    ) -> None:
        """Take one file in; whatever goes wrong with it becomes its outcome, and leaves nothing behind."""
        incoming = await asyncio.to_thread(self._uploads.incoming, record, record.items.index(item))
        try:
            async with asyncio.timeout_at(ends):
                offered = await files.offered(file)
                item.name = safe_name(offered.name)
                self._check(offered)
                await files.fetch(offered, incoming, most_bytes=self.permission.most_bytes)
                async with self._placing:
                    self._check_here(where, files)
                    await self._place(item, record, offered, incoming, where)
        except NotFetched as error:
            logger.warning("a file was not taken in: %s", error)
            await self._failed(item, record, error.code)
        except TimeoutError:
            await self._failed(item, record, "time")
        except (RetrievalError, CitewellError, OSError) as error:
            logger.error("a file was not taken in: %s", outline(error))  # noqa: TRY400 - see outline
            await self._failed(item, record, "fault")
        finally:
            await asyncio.to_thread(incoming.unlink, missing_ok=True)

    def _check_here(self, where: Conversation, files: Files) -> None:
        """Whether the tenant is still the one that sent them; who has left leaves nothing behind."""
        known = self._files.get((where.platform, where.tenant))
        if known is None or known[0] is not files:
            msg = f"{where.tenant} has left meanwhile"
            raise Permanent(msg)

    def _check(self, offered: Offered) -> None:
        """Before anything is downloaded."""
        if Path(offered.name).suffix.lower() not in BY_EXTENSION:
            raise NotFetched("unsupported", "files of this type are not read")
        if offered.size > self.permission.most_bytes:
            raise NotFetched("too_large", f"it has {offered.size} bytes")

    async def _place(self, item: Item, record: Record, offered: Offered, incoming: Path, where: Conversation) -> None:
        place = self._uploads.place_for(where.platform, where.tenant, record.collection, offered.name)
        known = {one.id: one for one in await self._index.catalogue(record.collection)}
        identity = document_id(place, record.collection)
        if not item.path:
            if await self._there_already(item, place, incoming, known, record.collection):
                return
            item.path, item.document = str(place), identity
            item.before = await asyncio.to_thread(place.exists)
            await asyncio.to_thread(self._uploads.keep, record)
        await asyncio.to_thread(self._uploads.put, incoming, item, record, url=offered.link)
        done = await ingest(
            [place], self._index, collection=record.collection, most_bytes=self.permission.most_bytes, clock=self._clock
        )
        line = done.files[-1]
        if line.outcome not in {*TOOK, Outcome.UNCHANGED}:
            raise NotFetched(line.code or "fault", f"it cannot be taken in: {line.code}")
        document = next(one for one in await self._index.catalogue(record.collection) if one.id == identity)
        item.content, item.title = document.content_hash, document.title
        item.lapsed = not document.holds(self._clock().date())
        item.outcome = Outcome.UPDATED if item.before else Outcome.TAKEN

    async def _there_already(
        self, item: Item, place: Path, incoming: Path, known: dict[str, Document], collection: str
    ) -> bool:
        """Whether the collection has the same content under this name, or under another."""
        same = await asyncio.to_thread(self._uploads.same_as, incoming, place)
        holder = known.get(document_id(same, collection)) if same else None
        if holder is None:
            digest = content_hash(await asyncio.to_thread(incoming.read_bytes), collection)
            holder = next((one for one in known.values() if one.content_hash == digest), None)
        if holder is None:
            return False
        item.title = holder.title
        item.outcome = Outcome.UNCHANGED if same == place else Outcome.DUPLICATE
        return True

    async def _failed(self, item: Item, record: Record, code: str) -> None:
        """The file is not there, and its earlier version is as it was."""
        item.outcome, item.code = Outcome.FAILED, code
        if item.path:
            try:
                async with self._placing:
                    await self._restore_before(item, record)
            except RetrievalError as error:
                logger.error("what was begun could not be undone: %s", outline(error))  # noqa: TRY400 - see outline

    async def _take_out(self, item: Item, record: Record) -> str:
        words = self._words.documents
        known = {one.id: one for one in await self._index.catalogue(record.collection)}
        document = known.get(item.document)
        if document is not None and document.content_hash != item.content:
            return words.undo_replaced.format(title=item.title)
        await self._restore_before(item, record)
        item.undone = True
        await asyncio.to_thread(self._uploads.keep, record)
        return (words.undo_restored if item.before else words.undo_removed).format(title=item.title)

    async def _restore_before(self, item: Item, record: Record) -> None:
        if await asyncio.to_thread(self._uploads.take_back, item, record):
            await ingest([Path(item.path)], self._index, collection=record.collection)
        else:
            await self._index.remove([item.document])


def _said(text: str) -> Reply:
    return Reply(TurnKind.COURTESY, text, trace_id="")
