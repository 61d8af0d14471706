# ruff: noqa: E501, T201 - questions stand on a line each, and are reported on standard output
"""Look-ups without a model: generated questions over five sample tables, and our own time at 100,000 rows.

`python -m tests.bench.lookups` reports on the half that the choosing was not built on, whose ways of asking are others;
`--building` shows the other half.
A question is right where exactly the row and the column asked for are given, wrong where any other value is, and
otherwise asked back or declined. A question that has no answer (a key that the tables lack, a column that they lack, a
missing key) is right where no value is given.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import random
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.lookups.settings import TableSettings
from adapters.lookups.table import Table
from bot.lookup import Registry
from bot.lookup_outcome import Asked, Given
from bot.lookups import Lookups
from bot.messages import Author
from bot.trace import Span
from bot.wording import wording
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.lookup_outcome import Outcome

TODAY = date(2026, 11, 30)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
CLINICS = ("Northgate", "Eastfield", "Harbour Street", "Mill Lane", "Castle Road", "St Anne's")
VACCINES = ("Flu", "MMR", "Hepatitis A", "Hepatitis B", "Tetanus", "Rabies", "Typhoid")
SPECIALTIES = ("cardiology", "paediatrics", "general surgery", "orthopaedics", "radiology", "psychiatry")
FORMS = ("sick leave", "travel expenses", "incident report", "study leave", "parking permit")
WARDS = tuple(f"Ward {n}" for n in range(1, 13))
UNSEEN = {
    "opens": (
        "From when is {clinic} open on {day}?",
        "Please tell me the time {clinic} opens on a {day}",
        "is {clinic} open on {day}, and from what time?",
        "{day}: when do the doors of {clinic} open?",
    ),
    "closes": (
        "Until when can I come to {clinic} on {day}?",
        "When will {clinic} be closing on {day}?",
        "{clinic}, {day}, closing time?",
    ),
    "doses_left": (
        "How much {vaccine} vaccine is left at {clinic}?",
        "Is there any {vaccine} left in {clinic}, how many doses?",
        "What is the {vaccine} stock at {clinic}, doses left?",
    ),
    "doses_ordered": (
        "What number of {vaccine} doses is on order at {clinic}?",
        "{vaccine} doses ordered for {clinic}?",
    ),
    "registrar": ("On {day}, who is the registrar on call for {specialty}?", "{specialty} on call {day}?"),
    "bleep": ("Which bleep number do I use for {specialty} on {day}?", "bleep {specialty} {day}"),
    "consultant": ("Tell me the consultant in {specialty} on {day}", "Who's {specialty} consultant on {day}?"),
    "number": ("Do you know which form I need for {form}?", "What's the {form} form called?", "form number, {form}"),
    "office": ("To which office do I send the form for {form}?", "Where does the {form} form go to?"),
    "beds": ("On {ward}, how many beds are there?", "beds {ward}?"),
    "beds_closed": ("How many of the beds on {ward} are closed?", "{ward} closed beds"),
    "extension": ("Which extension do I call for {ward}?", "{ward} phone?"),
}
"""How the reported half asks, written after the choosing was; it then gained some everyday words, and no more."""
LACKING = {
    "clinic": ("Southfield", "Westgate", "Bridge Street"),
    "vaccine": ("Hepatitis C", "Cholera", "Yellow Fever"),
    "specialty": ("neurology", "dermatology"),
    "form": ("maternity leave", "car loan"),
    "ward": ("Ward 13", "Ward 21"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One table: its declaration, its rows, and how people ask for its columns, with `{key}` for the keys."""

    declared: dict[str, object]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    asks: dict[str, tuple[str, ...]]
    near: tuple[str, ...]
    short: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the value that is right; None where none is."""

    text: str
    kind: str
    column: str = ""
    value: str | None = None


def samples() -> dict[str, Sample]:
    """Five tables whose values all differ, so that no wrong row looks right."""
    dice = random.Random(9)

    def times(first: int, count: int) -> list[str]:
        return [f"{first + n // 60:02d}:{n % 60:02d}" for n in dice.sample(range(240), count)]

    pairs = [(clinic, day) for clinic in CLINICS for day in DAYS]
    hours = tuple(zip(*zip(*pairs, strict=True), times(7, len(pairs)), times(15, len(pairs)), strict=True))
    stocked = [(vaccine, clinic) for vaccine in VACCINES for clinic in CLINICS[:4]]
    left, due = dice.sample(range(100, 999), 28), dice.sample(range(1000, 9999), 28)
    calls = [(what, day) for what in SPECIALTIES for day in DAYS]
    numbers = dice.sample(range(20000, 99999), 2 * len(calls))
    return {
        "hours": Sample(
            {
                "title": "Clinic opening hours",
                "keys": ["clinic", "day"],
                "about": ["opening hours"],
                "columns": {
                    "clinic": {"synonyms": ["site", "surgery"]},
                    "day": {"type": "weekday"},
                    "opens": {"type": "time", "synonyms": ["open", "opening time", "start", "opening"]},
                    "closes": {"type": "time", "synonyms": ["close", "closing time", "shut", "closing"]},
                },
            },
            ("clinic", "day", "opens", "closes"),
            hours,
            {
                "opens": (
                    "When does {clinic} open on {day}?",
                    "what time does the {clinic} clinic open on {day}",
                    "Opening time at {clinic} on {day} please",
                    "On {day}, when does {clinic} start?",
                    "Could you tell me when {clinic} opens on {day}?",
                    "{clinic} {day} opening time",
                ),
                "closes": (
                    "When does {clinic} close on {day}?",
                    "What's the closing time for {clinic} on {day}",
                    "when does the site {clinic} shut on {day}s?",
                    "hi, what time do you close at {clinic} on {day}",
                    "I need the closing time of {clinic} on {day}",
                ),
            },
            ("What is the phone number of {clinic} on {day}?", "Who is the manager of {clinic}?", "When was {clinic} last open on {day}?"),
            ("When does the clinic open on {day}?", "closing time on {day}?"),
        ),
        "stock": Sample(
            {
                "title": "Vaccine stock",
                "keys": ["vaccine", "clinic"],
                "required": ["vaccine", "clinic"],
                "about": ["vaccine", "vaccination", "stock"],
                "columns": {
                    "vaccine": {"synonyms": ["jab"]},
                    "clinic": {"synonyms": ["site"]},
                    "doses_left": {"type": "integer", "synonyms": ["left", "remaining", "in stock", "doses remaining"]},
                    "doses_ordered": {"type": "integer", "synonyms": ["ordered", "on order", "coming"]},
                },
            },
            ("vaccine", "clinic", "doses_left", "doses_ordered"),
            tuple((*pair, str(a), str(b)) for pair, a, b in zip(stocked, left, due, strict=True)),
            {
                "doses_left": (
                    "How many {vaccine} doses are left at {clinic}?",
                    "how many doses of {vaccine} remaining in {clinic}",
                    "Doses left of the {vaccine} vaccine at {clinic}, please",
                    "At {clinic}, how many {vaccine} jabs are in stock?",
                    "{vaccine} at {clinic}: doses left?",
                ),
                "doses_ordered": (
                    "How many {vaccine} doses are on order for {clinic}?",
                    "how many doses of {vaccine} has {clinic} ordered",
                    "How many {vaccine} vaccine doses are coming to {clinic}?",
                ),
            },
            ("How many {vaccine} doses expired at {clinic}?", "Side effects of {vaccine}?", "How many {vaccine} doses at {clinic}?"),
            ("How many {vaccine} doses are left?", "How many doses are left at {clinic}?"),
        ),
        "on_call": Sample(
            {
                "title": "On-call rota",
                "keys": ["specialty", "day"],
                "required": ["specialty", "day"],
                "about": ["on call", "rota"],
                "columns": {
                    "specialty": {"synonyms": ["department"]},
                    "day": {"type": "weekday"},
                    "registrar": {"synonyms": ["on call", "registrar on call", "doctor on call"]},
                    "bleep": {"synonyms": ["bleep number", "pager"]},
                    "consultant": {"synonyms": ["consultant on call"]},
                },
            },
            ("specialty", "day", "registrar", "bleep", "consultant"),
            tuple(
                (*call, f"Dr Reg{a}", str(a), f"Dr Con{b}")
                for call, a, b in zip(calls, numbers[::2], numbers[1::2], strict=True)
            ),
            {
                "registrar": ("Who is on call for {specialty} on {day}?", "who's the registrar for {specialty} on {day}", "Which doctor is the registrar in {specialty} {day}?"),
                "bleep": ("What is the bleep number for {specialty} on {day}?", "pager for {specialty} on {day} please"),
                "consultant": ("Who is the consultant for {specialty} on {day}?", "consultant on call, {specialty}, {day}"),
            },
            ("Who was on call for {specialty} on {day}?", "What is the salary of the {specialty} registrar?", "Email of the consultant for {specialty} on {day}?"),
            ("Who is on call on {day}?", "Who is on call for {specialty}?"),
        ),
        "forms": Sample(
            {
                "title": "Forms",
                "keys": ["purpose"],
                "about": ["form", "forms"],
                "columns": {
                    "purpose": {},
                    "number": {"synonyms": ["form", "form number", "form applies", "form code"]},
                    "office": {"synonyms": ["send", "goes to", "hand in", "sent", "returned"]},
                },
            },
            ("purpose", "number", "office"),
            tuple((form, f"F-{100 + n}", f"Office {chr(75 + n)}") for n, form in enumerate(FORMS)),
            {
                "number": ("Which form applies for {form}?", "what is the form number for {form}", "I need the form for {form}", "Form for {form}?"),
                "office": ("Which office is the {form} form sent to?", "what office gets {form}"),
            },
            ("When is the deadline for {form}?", "How long does {form} take?"),
            ("Which form do I need?", "What is the form number?"),
        ),
        "wards": Sample(
            {
                "title": "Ward directory",
                "keys": ["ward"],
                "columns": {
                    "ward": {},
                    "beds": {"type": "integer", "synonyms": ["number of beds"]},
                    "beds_closed": {"type": "integer", "synonyms": ["closed beds", "closed"]},
                    "extension": {"type": "integer", "synonyms": ["phone", "phone number", "telephone", "number", "ext"]},
                },
            },
            ("ward", "beds", "beds_closed", "extension"),
            tuple((ward, str(20 + n), str(60 + n), str(4400 + 7 * n)) for n, ward in enumerate(WARDS)),
            {
                "beds": ("How many beds does {ward} have?", "number of beds on {ward}"),
                "beds_closed": ("How many beds are closed on {ward}?", "closed beds, {ward}"),
                "extension": ("What is the extension of {ward}?", "phone number for {ward} please", "Can I have the telephone number of {ward}?"),
            },
            ("How many nurses does {ward} have?", "Visiting times on {ward}?"),
            ("How many beds are there?", "What's the extension of the ward?"),
        ),
    }  # fmt: skip


def _key(column: str) -> str:
    return {"purpose": "form"}.get(column, column)


def _slip(text: str, dice: random.Random) -> str:
    """One slip of the finger, in a word of six letters or more."""
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    at = dice.choice(long)
    word, place = words[at], dice.randrange(1, len(words[at]) - 2)
    kinds = (
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + word[place] + word[place:],
    )
    words[at] = dice.choice(kinds)
    return " ".join(words)


def questions(seed: int = 26, count: int = 300) -> tuple[list[Question], list[Question]]:
    """Those that the choosing was built on, and those that are reported on; the same with the same seed."""
    dice, tables = random.Random(seed), list(samples().values())
    found = []
    for n in range(count):
        table = tables[n % len(tables)]
        keys = [str(key) for key in table.declared["keys"]]  # type: ignore[attr-defined]
        row = dict(zip(table.header, dice.choice(table.rows), strict=True))
        filled = {_key(key): row[key] for key in keys}
        turn = n // len(tables) % 10
        if turn < 7:
            column = dice.choice(list(table.asks))
            text = dice.choice(table.asks[column] if n % 2 == 0 else UNSEEN[column]).format(**filled)
            kind = "two conditions" if len(keys) > 1 else "one condition"
            if turn >= 5:
                text, kind = _slip(text, dice), "slip"
            if dice.random() < 0.3:
                text = text.lower()
            found.append(Question(text, kind, column, row[column]))
        elif turn == 7:
            lacking = dice.choice([key for key in filled if key in LACKING])
            column = dice.choice(list(table.asks))
            text = dice.choice(table.asks[column]).format(**filled | {lacking: dice.choice(LACKING[lacking])})
            found.append(Question(text, "unknown key"))
        elif turn == 8:
            found.append(Question(dice.choice(table.near).format(**filled), "near-miss column"))
        else:
            found.append(Question(dice.choice(table.short).format(**filled), "missing key"))
    return found[::2], found[1::2]


@contextmanager
def opened() -> Iterator[Lookups]:
    """The five tables, as files."""
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for name, sample in samples().items():
            with (Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([sample.header, *sample.rows])
            settings = TableSettings.model_validate({"file": f"{name}.csv", **sample.declared})
            tables.append(Table(name, settings, Path(folder)))
        try:
            yield Lookups(Registry(tables), wording())
        finally:
            for table in tables:
                table.close()


async def asked(lookups: Lookups, text: str) -> Outcome | None:
    """What comes of one question, by itself."""
    question = Asked(text, text, Author("ann"), Conversation("console", "local", "terminal", "t1"))
    return await lookups.ask(question, collections=None, today=TODAY, span=Span("lookup"))


def judged(question: Question, outcome: Outcome | None) -> str:
    """right, wrong, or kept back (asked back or declined)."""
    if not isinstance(outcome, Given):
        return "right" if question.value is None else "kept back"
    if question.value is None:
        return "wrong"
    name = question.column.replace("_", " ")
    return "right" if f"{name}: {question.value}." in outcome.text and len(outcome.sources) == 1 else "wrong"


async def report(*, building: bool) -> None:
    """Print the counts, and what was not right."""
    half = questions()[0 if building else 1]
    counts: Counter[str] = Counter()
    with opened() as lookups:
        for question in half:
            outcome = await asked(lookups, question.text)
            verdict = judged(question, outcome)
            counts[verdict] += 1
            counts[f"  {question.kind}: {verdict}"] += 1
            if verdict != "right":
                print(f"{verdict}: [{question.kind}] {question.text} -> {outcome.text if outcome else None!r}")
    for name, count in sorted(counts.items()):
        print(f"{name} {count}")
    print(f"right {counts['right'] / len(half):.1%} of {len(half)}, wrong {counts['wrong']}")


async def speed(rows: int = 100_000, count: int = 200) -> None:
    """Print our own time for a question to one table of so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "items.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["item", "store", "stock"])
            writer.writerows([f"Item {n // 10}", f"Store {n % 10}", str(n)] for n in range(rows))
        declared = {"item": {}, "store": {}, "stock": {"type": "integer", "synonyms": ["left"]}}
        settings = {"file": "items.csv", "title": "Items", "keys": ["item", "store"], "columns": declared}
        table = Table("items", TableSettings.model_validate(settings), Path(folder))
        began = time.perf_counter()
        table.vocabulary()
        print(f"read in {time.perf_counter() - began:.2f} s")
        lookups, times = Lookups(Registry([table]), wording()), []
        for n in range(count):
            item, slip = n * 47 % (rows // 10), "Stroe" if n % 4 == 0 else "Store"
            began = time.perf_counter()
            outcome = await asked(lookups, f"How many are left of item {item} in {slip} {n % 10}?")
            times.append((time.perf_counter() - began) * 1000)
            assert isinstance(outcome, Given), outcome
            assert f"stock: {item * 10 + n % 10}." in outcome.text
        times.sort()
        print(
            f"{rows} rows: median {times[count // 2]:.2f} ms, p95 {times[count * 95 // 100]:.2f} ms, worst {times[-1]:.2f} ms"
        )
        table.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--building", action="store_true")
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    asyncio.run(speed() if given.speed else report(building=given.building))
