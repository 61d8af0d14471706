"""The figures of look-ups hold: no wrong value, and nine in ten right."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import count
from typing import TYPE_CHECKING

import pytest

from bot.lookup_outcome import Given
from bot.lookup_proposal import Proposal
from bot.lookup_reading import read
from bot.lookup_vocabulary import tokens
from bot.lookups import Lookups
from bot.wording import wording
from tests.bench.lookups import TODAY, asked, judged, opened, questions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.lookup import Card


@pytest.mark.parametrize("half", [0, 1])
async def test_generated_questions_get_no_wrong_value(half: int) -> None:
    with opened() as lookups:
        verdicts = [judged(one, await asked(lookups, one.text)) for one in questions()[half]]
    assert verdicts.count("wrong") == 0
    assert verdicts.count("right") >= 0.9 * len(verdicts)


@pytest.mark.parametrize("seed", range(3))
async def test_other_seeds_give_no_wrong_value_either(seed: int) -> None:
    with opened() as lookups:
        for half in questions(seed):
            assert [one for one in half if judged(one, await asked(lookups, one.text)) == "wrong"] == []


class Eager:
    """A model that takes every question for some look-up, with whatever keys of it stand in the question, and now and
    then one less.
    """

    name = "eager"

    def __init__(self, lookups: Lookups) -> None:
        self._lookups, self._asked = lookups, count()

    async def propose(self, question: str, earlier: str, cards: Sequence[Card]) -> Proposal | None:
        at = next(self._asked)
        card = cards[at % len(cards)]
        lookup = self._lookups.registry.get(card.name)
        assert lookup is not None
        found = read(question, lookup.vocabulary(), TODAY).keys
        given = [(name, value) for name, values in found.items() for value in values]
        return Proposal(card.name, tuple(given[:-1] if at % 5 == 4 else given))


async def test_whatever_a_model_proposes_the_row_is_the_one_whose_keys_the_question_has() -> None:
    shown = 0
    with opened() as without:
        lookups = Lookups(without.registry, wording(), Eager(without))
        for question in questions()[1]:
            found = await asked(lookups, question.text)
            if isinstance(found, Given) and found.beside is not None:  # it was proposed
                shown += 1
                [row] = found.rows
                lookup = lookups.registry.get(found.sources[0].id.split(":")[1])
                assert lookup is not None
                words = f" {' '.join(tokens(question.text))} "
                assert all(meant(row.written[name], words) for name in lookup.card.keys), (question, row.written)
    assert shown > 5


def meant(key: str, words: str) -> bool:
    """Whether a question has this key: its words, or its first ones, less a slip of the finger in one of them."""
    return any(get_close_matches(word, words.split(), cutoff=0.8) for word in tokens(key))
