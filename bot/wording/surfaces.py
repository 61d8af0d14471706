"""The texts of pages, windows and buttons, and of what is said about documents and postings."""

from __future__ import annotations

from bot.wording.section import Section


class AgainWords(Section):
    """Where a question is asked again, was changed, or went."""

    retry: str
    ask: str
    edited: str
    not_yours: str
    gone: str
    failed: str
    unsure: str
    withdrawn: str


class DocumentWords(Section):
    """About files that people send to be taken in as documents; `why` has the reasons, by their codes."""

    taking: str
    taken: str
    updated: str
    unchanged: str
    duplicate: str
    failed: str
    before_stays: str
    lapsed: str
    into: str
    into_public: str
    which: str
    not_yours: str
    not_here: str
    undo: str
    undo_removed: str
    undo_restored: str
    undo_replaced: str
    undo_done: str
    undo_gone: str
    undo_not_yours: str
    why: dict[str, str]


class PassageWords(Section):
    """Around one passage that is shown in its place."""

    title: str
    close: str
    before: str
    passage: str
    after: str
    effective: str
    expires: str
    review_by: str
    open: str
    waiting: str
    alone: str
    not_opened: str


class HomeWords(Section):
    """The bot's own page in Slack."""

    knows: str
    collection: str
    more: str
    updated: str
    nothing: str
    unknown: str
    privacy: str
    privacy_text: str
    forget: str
    forget_sure: str
    forget_yes: str
    forget_no: str
    forgotten: str
    forgotten_waiting: str
    nothing_kept: str
    unforgotten: str
    health: str
    healthy: str
    counted: str
    stages: str
    stages_text: str
    is_on: str
    is_off: str
    turn_on: str
    turn_off: str


class PromptWords(Section):
    """Questions offered to begin with; `help` is sent as it stands."""

    title: str
    about: str
    help: str


class PostingWords(Section):
    """Where an answer takes another way than it should."""

    file: str
    file_title: str
    refused: str
    archived: str
    closed: str


class PageWords(Section):
    """A web page: its heading, and what stands below in paragraphs with blank lines between them."""

    title: str
    text: str


class InstallWords(Section):
    """What people see in the browser when they add the bot to a workspace."""

    add: str
    start: PageWords
    done: PageWords
    cancelled: PageWords
    stale: PageWords
    not_listed: PageWords
    broken: PageWords
    busy: PageWords
