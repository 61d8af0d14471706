"""What a message asks of the last answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.asking_on import InLanguage, More, OfSources, Simpler, asking_on
from bot.courtesy import courtesy

if TYPE_CHECKING:
    from pathlib import Path

    from bot.asking_on import AskingOn

SPANISH = InLanguage("es")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        *(
            (text, More())
            for text in ["What else?", "Anything more?", "go on", "tell me more", "More details, please."]
        ),
        *((text, More()) for text in ["OK, and what else?", "Can you tell me more about it?", "¿Qué más?", "CONTINUE"]),
        *((text, Simpler()) for text in ["Explain it more simply", "simpler please", "I don't understand.", "ELI5"]),
        *((text, Simpler()) for text in ["Could you put that in plain English?", "What does that mean?"]),
        *(
            (text, Simpler())
            for text in ["shorter please", "Can you summarize that?", "say that again", "repeat", "in short"]
        ),
        *((text, OfSources()) for text in ["Are you sure?", "Is that true?", "really?", "That's wrong."]),
        *((text, SPANISH) for text in ["in Spanish please", "en español por favor", "And in Spanish?", "Spanish"]),
        *((text, SPANISH) for text in ["Can you translate it into Spanish?", "¿Puedes decirlo en español?"]),
        ("auf Deutsch bitte", InLanguage("de")),
        ("in Welsh, please", InLanguage("other")),
        *((text, OfSources()) for text in ["sources", "Show me the sources", "Which document says that?", "/sources"]),
        *((text, OfSources()) for text in ["where does it say that?", "Sources, please.", "How do you know that?"]),
        *((text, OfSources(2)) for text in ["What was the second source?", "source 2?", "What's the 2nd source?"]),
        *((text, More()) for text in ["What more can you tell me?", "Is there anything else?", "any further info?"]),
        *((text, Simpler()) for text in ["That's too technical.", "can you rephrase this", "in layman's terms please"]),
        *((text, SPANISH) for text in ["Is there a Spanish version?", "I only speak Spanish", "¿habla español?"]),
        *((text, OfSources(2)) for text in ["tell me about the second source", "what is source number two"]),
        ("the last source", OfSources(-1)),
        ("source 0", OfSources(0)),
    ],
)
def test_what_a_whole_message_asks_of_the_last_answer(text: str, asked: AskingOn) -> None:
    assert asking_on(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "please",
        "no more",
        "is it simple?",
        "is it right for me?",
        "Is it true that masks help?",
        "What is a summary care record?",
        "repeat prescription",
        "do I need more?",
        "where is it?",
        "What is plain water?",
        "What is the source of infection?",
        "Is there more than one?",
        "Is it more dangerous?",
        "Do I need to speak English?",
        "a second opinion",
        "What else causes gout?",
        "What are good sources of iron?",
        "sources please, of iron",
        "data sources",
        "Is there a leaflet in Spanish?",
        "What is Spanish flu?",
        "Explain it to my mother",
        "Tell me more about measles",
        "I don't understand my prescription",
        "How do you know if you have flu?",
        "more water",
        "two",
        "and for children?",
        "is that safe in pregnancy?",
        "source " + "2" * 90,
        "please " * 20 + "what else?",
    ],
)
def test_a_message_of_its_own_is_no_such_thing(text: str) -> None:
    assert asking_on(text) is None


@given(st.text(max_size=100))
def test_any_text_can_be_asked(text: str) -> None:
    asking_on(text)


def test_no_real_question_is_taken_for_one(shared: Path) -> None:
    lines = (shared / "data/retrieval_eval/queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [
        row[name] for row in map(json.loads, lines) for name in ("text", "summary", "paraphrase") if row.get(name)
    ]
    assert [text for text in questions if asking_on(text)] == []


def test_a_courtesy_is_none() -> None:
    assert [text for text in ("thanks", "ok", "help", "hello", "got it") if courtesy(text) and asking_on(text)] == []
