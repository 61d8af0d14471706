"""Follow-up questions made to stand alone by rule."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.followup import RuleRewriter, standalone
from bot.followup_words import ADDED, ASPECT_NOUNS, FUNCTION, KINDS, PREDICATES

if TYPE_CHECKING:
    from pathlib import Path

CLINIC = "When is the flu clinic open?"
YERSINIA = "What are the treatments for Yersinia?"
WHEN = ("and on the 25th of March?", "and after 5 pm?", "and on bank holidays?", "and on Christmas Eve?")
ASPIRIN = "Is aspirin safe for adults?"


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        (CLINIC, "and for children?", "When is the flu clinic open for children?"),
        (CLINIC, "for a child under 5?", "When is the flu clinic open for a child under 5?"),
        (CLINIC, "And for over 65s?", "When is the flu clinic open for over 65s?"),
        (CLINIC, "What about Saturdays?", "When is the flu clinic open on Saturdays?"),
        (CLINIC, "And in the evening?", "When is the flu clinic open in the evening?"),
        ("When is the flu clinic open for children?", "And adults?", "When is the flu clinic open for adults?"),
        ("How much aspirin is safe for women?", "And for men over 50?", "How much aspirin is safe for men over 50?"),
    ],
)
def test_a_condition_joins_what_was_asked_and_takes_the_place_of_one_of_its_kind(
    earlier: str, question: str, expected: str
) -> None:
    assert standalone(question, [earlier]) == expected


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        (YERSINIA, "how is it treated?", "how is Yersinia treated?"),
        (YERSINIA, "who gets it?", "who gets Yersinia?"),
        ("What are head lice?", "How do children get them?", "How do children get head lice?"),
        ("What causes gout?", "Does a lack of sunlight cause it?", "Does a lack of sunlight cause gout?"),
        (YERSINIA, "Can the disease be cured?", "Can Yersinia be cured?"),
        (YERSINIA, "What are its symptoms?", "What are the symptoms of Yersinia?"),
        (YERSINIA, "Are these symptoms dangerous?", "Are Yersinia symptoms dangerous?"),
        (CLINIC, "Where is it?", "Where is the flu clinic?"),
        (ASPIRIN, "is that safe in pregnancy?", "is aspirin safe in pregnancy?"),
        (ASPIRIN, "Is it safe to take in pregnancy?", "Is aspirin safe to take in pregnancy?"),
        (ASPIRIN, "Is it safe to drive after taking it?", "Is it safe to drive after taking aspirin?"),
        (ASPIRIN, "Okay, understood. But how does it work?", "Okay, understood. But how does aspirin work?"),
        ("When is the flu vaccine given?", "Is this vaccine safe?", "Is the flu vaccine safe?"),
        ("When is the flu vaccine given?", "Is the vaccine safe?", "Is the flu vaccine safe?"),
    ],
)
def test_a_word_that_points_back_gives_way_to_the_topic(earlier: str, question: str, expected: str) -> None:
    assert standalone(question, [earlier]) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the symptoms?", "What are the symptoms of Yersinia?"),
        ("what about side effects?", "what about side effects of Yersinia?"),
        ("And prevention?", "And prevention of Yersinia?"),
        ("What tests are there?", "What tests are there for Yersinia?"),
        ("Who is at risk?", "Who is at risk of Yersinia?"),
        ("tell me more", "tell me more about Yersinia?"),
        ("Tell me more.", "Tell me more about Yersinia."),
        ("what else?", "what else about Yersinia?"),
        ("What else should I know?", "What else should I know about Yersinia?"),
    ],
)
def test_a_question_without_a_topic_gets_the_one_before(question: str, expected: str) -> None:
    assert standalone(question, [YERSINIA]) == expected


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        (YERSINIA, "What about Tylosis?", "What are the treatments for Tylosis?"),
        (YERSINIA, "Same question for Tylosis.", "What are the treatments for Tylosis?"),
        (
            YERSINIA,
            "And for gyrate atrophy of the retina?",
            "What are the treatments for gyrate atrophy of the retina?",
        ),
        ("How is Yersinia treated?", "Okay. And Tylosis?", "How is Tylosis treated?"),
        (CLINIC, "and the dental clinic?", "When is the dental clinic open?"),
        (
            "Is melatonin effective for treating insomnia?",
            "How about for anxiety?",
            "Is melatonin effective for anxiety?",
        ),
        ("How can I protect my cat?", "But what about my dog?", "How can I protect my dog?"),
    ],
)
def test_another_topic_takes_the_place_of_the_old_one(earlier: str, question: str, expected: str) -> None:
    assert standalone(question, [earlier]) == expected


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        ("What is type 1 diabetes?", "and type 2?", "What is type 2 diabetes?"),
        ("Is diabetes hereditary?", "and type 2?", "Is type 2 diabetes hereditary?"),
        ("How is diabetes treated?", "What about type 1?", "How is type 1 diabetes treated?"),
        ("What is type I diabetes?", "and type II?", "What is type II diabetes?"),
        ("Who gets diabetes type 1?", "and for type 2?", "Who gets diabetes type 2?"),
        (
            "What is the survival of stage 3 kidney disease?",
            "and for stage 4?",
            "What is the survival of stage 4 kidney disease?",
        ),
        ("How is hepatitis A spread?", "and B?", "How is hepatitis B spread?"),
        ("How is hepatitis spread?", "What about B?", "How is hepatitis B spread?"),
        ("Is 75 mg of aspirin safe?", "and 50?", "Is 50 mg of aspirin safe?"),
        ("Is there a cure for stage 3 gout?", "and in stage 4?", "Is there a cure for stage 4 gout?"),
        ("Is there a vaccine for hepatitis A?", "and hepatitis B?", "Is there a vaccine for hepatitis B?"),
        ("Who drew the 4 stages of labour?", "and stage 2?", "Who drew the stage 2 of labour?"),
        ("When are you open?", "and type 2?", "and type 2?"),
    ],
)
def test_another_number_or_letter_of_a_name_leaves_the_rest_of_it(earlier: str, question: str, expected: str) -> None:
    assert standalone(question, [earlier]) == expected


@pytest.mark.parametrize("name", ["type 2 diabetes", "type II diabetes", "hepatitis A", "stage 3 kidney disease"])
@pytest.mark.parametrize("form", ["What is {}?", "How is {} treated?", "Who gets {}?"])
@pytest.mark.parametrize(
    "before", [(), ("What is diabetes?",), ("What is hepatitis?",), ("Is kidney disease common?",)]
)
def test_the_number_or_letter_of_a_name_goes_with_it(name: str, form: str, before: tuple[str, ...]) -> None:
    assert standalone("is it hereditary?", [*before, form.format(name)]) == f"is {name} hereditary?"


def test_what_else_is_not_asked_again_and_no_condition_stays_where_another_comes() -> None:
    asked = [CLINIC]
    for question in ["What else?", *WHEN, "and on Thursday?", "and in January?", "for my 1 year old?", "and in May?"]:
        asked.append(standalone(question, asked))
    assert asked[1:] == [
        "What else about the flu clinic?",
        *(f"When is the flu clinic open {when.removeprefix('and ')}" for when in WHEN),
        "When is the flu clinic open on Thursday?",
        "When is the flu clinic open in January?",
        "When is the flu clinic open for my 1 year old?",
        "When is the flu clinic open in May?",
    ]


def test_all_conditions_at_the_end_give_way_and_none_that_says_more() -> None:
    asked = "Is there a clinic in Leeds for children on Mondays in May?"
    assert standalone("and for adults?", [asked]) == "Is there a clinic in Leeds for adults?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("do I need to fast?", "do I need to fast?"),
        ("Should I fast?", "Should I fast?"),
        ("Do we have to fast before it?", "Do we have to fast before the travel clinic?"),
        ("how fast is it?", "how fast is the travel clinic?"),
    ],
)
def test_to_fast_is_something_of_its_own(question: str, expected: str) -> None:
    assert standalone(question, ["When is the travel clinic open?"]) == expected


def test_how_fast_something_is_is_asked_of_the_topic() -> None:
    assert standalone("how fast does it spread?", [YERSINIA]) == "how fast does Yersinia spread?"


def test_a_bare_question_word_asks_on_about_the_whole() -> None:
    assert standalone("why?", [ASPIRIN]) == "why is aspirin safe for adults?"


def test_the_topic_stays_through_follow_ups_until_another_is_named() -> None:
    asked: list[str] = []
    for question in ["What is Yersinia?", "How many people have it?", "What about Tylosis?", "And the treatment?"]:
        asked.append(standalone(question, asked))
    assert asked[1:] == [
        "How many people have Yersinia?",
        "How many people have Tylosis?",
        "And the treatment of Tylosis?",
    ]


def test_a_question_that_names_the_topic_again_goes_on_with_it() -> None:
    asked = ["What is lung cancer?", "Does asbestos cause lung cancer?"]
    assert standalone("Is it treatable?", asked) == "Is lung cancer treatable?"


def test_a_topic_grows_with_the_words_beside_it() -> None:
    assert standalone("Where is it?", ["What is flu?", CLINIC]) == "Where is the flu clinic?"


def test_a_long_message_is_taken_to_say_what_it_is_about() -> None:
    long = f"How is it treated {'really ' * 30}?"
    assert standalone(long, [YERSINIA]) == long


def test_a_long_topic_is_cut() -> None:
    names = [f"name{n}" for n in range(30)]
    assert standalone("Is it safe?", [f"What is {' '.join(names)}?"]) == f"Is {' '.join(names[:12])} safe?"


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Peru?",
        "What are your opening hours?",
        "What is CBT and how does it work?",
        "I was told I have gout. How is it treated?",
        "Is it true that garlic cures colds?",
        "Is it safe to travel with a cold?",
        "An infection...dentist prescribed Cephalexin 500 mg...is this ok to take?",
        "Can someone with hereditary rickets on vitamin supplements pass it on?",
        "When a person is dehydrated do they get a pain?",
        "Is there a reaction between these 2 drugs?",
        "And are there any natural remedies for colds?",
        "What about flu symptoms?",
        "I heard that masks help.",
        "¿Y para los niños?",
        "und wie lange?",
        "ok",
        "",
        "?",
    ],
)
def test_a_question_that_stands_alone_or_is_not_understood_is_unchanged(question: str) -> None:
    assert standalone(question, [YERSINIA]) == question


def test_nothing_is_made_of_earlier_questions_without_a_topic() -> None:
    assert standalone("and for children?", ["What is it?", "", "?!", "why"]) == "and for children?"


texts = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                *sorted(FUNCTION | KINDS),
                *sorted(ASPECT_NOUNS)[:40],
                *sorted(PREDICATES)[:40],
                *("fast", "type", "stage", "2", "II", "A", "May", "else", "next", "in"),
                *("eat", "drink", "foods", "exercise", "avoid"),
                *("flu", "clinic", "0.5", "mg", "5s", "Yersinia", "covid-19", "children", "Sunday"),
                *(",", ".", "?", "İstanbul", "ß"),
            ]
        ),
        max_size=12,
    ).map(" ".join),
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what should I eat?", "what should I eat for gout?"),
        ("What should we drink?", "What should we drink for gout?"),
        ("Which foods should I avoid?", "Which foods should I avoid for gout?"),
        ("What foods are bad?", "What foods are bad for gout?"),
        ("What can I do?", "What can I do for gout?"),
        ("What can I expect?", "What can I expect for gout?"),
        ("Should I exercise?", "Should I exercise for gout?"),
        ("what to eat?", "what to eat for gout?"),
    ],
)
def test_a_question_what_to_do_that_names_nothing_gets_the_topic_before(question: str, expected: str) -> None:
    assert standalone(question, ["What causes gout?"]) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Can I drink alcohol?",
        "Where can I eat?",
        "Can I bring food?",
        "Can I have a drink?",
        "what can I take for the pain?",
        "Which foods contain iron?",
        "What is exercise?",
        "What do you eat?",
    ],
)
def test_a_question_what_to_do_that_names_something_stands_alone(question: str) -> None:
    assert standalone(question, ["What causes gout?"]) == question


@pytest.mark.parametrize("between", ["what should I eat?", "Which foods should I avoid?", "How should I prepare?"])
def test_what_anyone_does_is_no_topic(between: str) -> None:
    assert standalone("is it inherited?", ["What causes gout?", between]) == "is gout inherited?"
    assert standalone("is it inherited?", [between]) == "is it inherited?"


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        ("When are you open?", "and on Sundays?", "When are you open on Sundays?"),
        ("Where do I park?", "and on Sundays?", "Where do I park on Sundays?"),
        ("What is the price of coffee?", "and on Sundays?", "What is the price of coffee on Sundays?"),
        ("Are you open?", "why?", "why are you open?"),
        ("When are you open?", "What about the pharmacy?", "What about the pharmacy?"),
        ("Can I visit in the evening?", "are they allowed?", "are flowers allowed?"),
        ("Can I come on Christmas Eve?", "are they allowed?", "are flowers allowed?"),
    ],
)
def test_it_is_the_last_question_that_is_asked_again_and_none_before_it(
    earlier: str, question: str, expected: str
) -> None:
    assert standalone(question, ["Can I bring flowers?", earlier]) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("and for children?", "When are you open for children?"),
        ("What about Sundays?", "When are you open on Sundays?"),
        ("why?", "why?"),
        ("is it free?", "is it free?"),
        ("And the cost?", "And the cost?"),
        ("What about the pharmacy?", "What about the pharmacy?"),
        ("tell me more", "tell me more"),
    ],
)
def test_a_question_without_a_topic_can_be_asked_again_but_lends_none(question: str, expected: str) -> None:
    assert standalone(question, ["When are you open?"]) == expected


@given(texts)
def test_a_first_question_is_unchanged(question: str) -> None:
    assert standalone(question, []) == question


@given(texts, st.lists(texts, max_size=4))
def test_no_word_comes_in_that_nobody_wrote(question: str, earlier: list[str]) -> None:
    asked = {word.lower() for text in [question, *earlier] for word in re.findall(r"\w+", text)}
    assert {word.lower() for word in re.findall(r"\w+", standalone(question, earlier))} <= asked | ADDED


@given(texts, st.lists(texts, max_size=4))
def test_the_length_is_bounded(question: str, earlier: list[str]) -> None:
    longest = max(map(len, earlier), default=0)
    assert len(standalone(question, earlier)) <= len(question) + 2 * longest + 10


async def test_the_rewriter_goes_by_the_rules() -> None:
    rewriter = RuleRewriter()
    assert rewriter.name == "rules"
    assert await rewriter.standalone("and for children?", [CLINIC]) == "When is the flu clinic open for children?"


def _half(path: Path) -> list[dict[str, Any]]:
    """The conversations that the rules were not built on."""
    conversations = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [one for one in conversations if hashlib.sha256(one["conv_id"].encode()).digest()[0] % 2]


def test_real_disease_names_are_carried_through_whole_conversations(shared: Path) -> None:
    held = total = 0
    for conversation in _half(shared / "data/multiturn/medquad_followups.jsonl"):
        topic = {word.lower() for word in re.findall(r"\w{4,}", conversation["topic"])} - {
            "what",
            "need",
            "know",
            "about",
        }
        asked: list[str] = []
        for turn in conversation["turns"]:
            asked.append(standalone(turn["user"], asked))
            if turn["kind"].startswith("follow_up"):
                total += 1
                held += topic <= {word.lower() for word in re.findall(r"\w+", asked[-1])}
    assert held / total > 0.95


def test_real_questions_that_stand_alone_seldom_change(shared: Path) -> None:
    changed = total = 0
    for conversation in _half(shared / "data/multiturn/conversations.jsonl"):
        gold = [turn for turn in conversation["turns"] if turn["rewrite"]]
        for n, turn in enumerate(gold[1:], start=1):
            if turn["user"] == turn["rewrite"]:
                total += 1
                changed += standalone(turn["user"], [one["rewrite"] for one in gold[:n]]) != turn["user"]
    assert changed / total < 0.2
