"""What one turn did: each stage, its time, its backend, what it was given and returned; in counts, and in words only
where those were asked for.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Attribute: TypeAlias = str | int | float | bool


_SPENT = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "dollars", "unpriced_calls")


@dataclass(slots=True)
class Span:
    """One stage. `milliseconds` stands once it has ended; `attributes` hold backends, counts, grades, rule ids.

    `began` is in milliseconds from the beginning of the turn. `words` stay empty unless the trace keeps them.
    """

    stage: str
    milliseconds: float = 0.0
    attributes: dict[str, Attribute] = field(default_factory=dict)
    parts: dict[str, Span] = field(default_factory=dict)
    began: float = 0.0
    words: dict[str, Any] = field(default_factory=dict)
    keeps_words: bool = False
    timed_parts: float = 0.0

    def set(self, **attributes: Attribute) -> None:
        """Note something about this stage. Never a person's or a document's words."""
        self.attributes.update(attributes)

    def tell(self, words: Callable[[], Mapping[str, Any]]) -> None:
        """Note what a person or a document said here, as JSON values, where the trace keeps words."""
        if self.keeps_words:
            self.words.update(words())

    def count(self, model: str, **counts: float) -> None:
        """Add to what this stage has counted so far, all of one model."""
        self.attributes["model"] = model
        add_up(self.attributes, counts)


_current: ContextVar[Span | None] = ContextVar("citewell_span", default=None)


def count(model: str, **counts: float) -> None:
    """Add to what the stage that this task is in has counted of a model; outside any stage it is lost."""
    if span := _current.get():
        span.count(model, **counts)


def note(**attributes: Attribute) -> None:
    """Say something of the stage that this task is in; outside any stage it is lost."""
    if span := _current.get():
        span.set(**attributes)


@contextmanager
def counted_in(span: Span) -> Iterator[None]:
    """What is counted and noted in here is of this stage, whichever runs: for what goes on beside others."""
    token = _current.set(span)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def part(name: str) -> Iterator[None]:
    """What is counted in here is of the part of the running stage that `Trace.add` will add under this name."""
    whole = _current.get()
    token = _current.set(whole.parts.setdefault(name, Span(name)) if whole else None)
    try:
        yield
    finally:
        _current.reset(token)


@dataclass(slots=True)
class Trace:
    """The stages of one turn in the order they began. `clock` counts seconds and never goes back.

    With `keeps_words`, stages note what was said too. `milliseconds` are those of all stages that ran one after
    another; what ran inside another is not counted twice.
    """

    id: str
    clock: Callable[[], float] = time.perf_counter
    spans: list[Span] = field(default_factory=list)
    milliseconds: float = 0.0
    keeps_words: bool = False
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    @property
    def spent(self) -> dict[str, Attribute]:
        """What the models of all stages took together: tokens, dollars at list prices, calls of a model without one."""
        spent: dict[str, Attribute] = {}
        for span in self.spans:
            counted = ((name, span.attributes.get(name)) for name in _SPENT)
            add_up(spent, {name: count for name, count in counted if isinstance(count, int | float)})
        return spent

    @contextmanager
    def stage(self, name: str, *, beside: bool = False) -> Iterator[Span]:
        """Time one stage, whether it ends well or raises. What runs `beside` others adds nothing to the turn's time."""
        span = Span(name, keeps_words=self.keeps_words)
        self.spans.append(span)
        inside = _current.get() is not None
        token = _current.set(span)
        began = self.clock()
        span.began = (began - self.began) * 1000
        try:
            yield span
        except BaseException as error:
            span.set(error=type(error).__name__)
            raise
        finally:
            span.milliseconds = (self.clock() - began) * 1000
            self.milliseconds += 0 if inside or beside else span.milliseconds
            _current.reset(token)

    def add(self, name: str, milliseconds: float, **attributes: Attribute) -> None:
        """Note a stage that was timed elsewhere, inside the one that runs, with what was counted in its `part`."""
        whole = _current.get()
        span = whole.parts.pop(name, Span(name)) if whole else Span(name)
        span.milliseconds = milliseconds
        if whole:  # its stages ran one after another, as far as their times say
            span.began = whole.began + whole.timed_parts
            whole.timed_parts += milliseconds
        span.set(**attributes)
        self.spans.append(span)

    def __str__(self) -> str:
        """One line for the log: the id, each stage with its time and attributes, then what all have spent."""
        stages = [_line(span.stage, span.milliseconds, span.attributes) for span in self.spans]
        if spent := self.spent:
            stages.append(_line("turn", self.milliseconds, spent))
        return " | ".join([self.id, *stages])


def add_up(attributes: dict[str, Attribute], counts: Mapping[str, float]) -> None:
    """Add each count to the one of its name."""
    for name, more in counts.items():
        before = attributes.get(name)
        attributes[name] = more + (before if isinstance(before, int | float) else 0)


def _line(stage: str, milliseconds: float, attributes: Mapping[str, Attribute]) -> str:
    said = (f"{k}={v:.6f}" if k == "dollars" else f"{k}={v}" for k, v in attributes.items())
    return " ".join([f"{stage} {milliseconds:.1f} ms", *said])
