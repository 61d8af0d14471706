"""The lines a person gets, the words around them, and the file they stand in."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.crisis import FOLLOW_UP, MOST_LINES, crisis_reply_text, lines_for, words_for
from bot.crisis_file import CrisisFile, bundled, last_resort, parse
from bot.safety import SelfHarm
from bot.wording import crisis_words, wording

if TYPE_CHECKING:
    from pathlib import Path

SELF = SelfHarm("self.die.en")
WORDS = wording().crisis


def line(**changes: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "country": "GB",
        "name": "Example Line",
        "kind": "suicide_crisis",
        "phone": "116 000",
        "text": None,
        "chat": None,
        "website": "https://example.org",
        "hours": "24/7",
        "languages": ["en"],
        "sources": ["X1"],
        "sources_disagree": False,
        "confidence": "high",
        "checked_with_provider": True,
        "reviewed": "2026-01-01",
        "review_by": "2026-06-30",
    }
    return entry | changes


def content(*lines: dict[str, object]) -> dict[str, object]:
    return {
        "countries": [{"code": "GB", "name": "United Kingdom", "emergency": "999", "timezones": ["Europe/London"]}],
        "lines": list(lines),
        "directories": [{"name": "Directory", "url": "https://directory.example.org"}],
    }


def file(*lines: dict[str, object]) -> CrisisFile:
    return CrisisFile.model_validate_json(json.dumps(content(*lines)))


@pytest.mark.parametrize(
    ("country", "locale", "timezone", "default", "expected"),
    [
        ("GB", "en-US", "America/New_York", "DE", "GB"),
        ("gb", None, None, None, "GB"),
        ("UK", None, None, None, "GB"),
        (None, "en-GB", None, None, "GB"),
        (None, "en_GB.UTF-8", None, None, "GB"),
        (None, "zh-Hant-TW", None, None, "TW"),
        (None, "de-DE", "Europe/Amsterdam", None, "DE"),
        (None, None, "Europe/London", None, "GB"),
        (None, "en", "Asia/Calcutta", "US", "IN"),
        (None, "es-419", "America/Mexico_City", None, "MX"),
        (None, "es-LA", "America/Mexico_City", None, "MX"),
        (None, "fr", "Mars/Olympus", "FR", "FR"),
        (None, None, None, "IE", "IE"),
        (None, None, None, None, None),
    ],
)
def test_the_country_comes_from_the_surest_hint(
    country: str | None, locale: str | None, timezone: str | None, default: str | None, expected: str | None
) -> None:
    assert lines_for(country, locale=locale, timezone=timezone, default=default).country == expected


def test_a_language_that_nobody_chose_gives_way_to_the_time_zone() -> None:
    assert lines_for(None, locale="en-US", timezone="Europe/London").country == "GB"
    assert lines_for(None, locale="en-US", timezone="Mars/Olympus").country == "US"


def test_suicide_lines_come_first_then_others_then_one_directory() -> None:
    lines = lines_for(
        "GB",
        file=file(
            line(name="C", kind="mental_health"),
            line(name="B", kind="general_crisis"),
            line(name="A2", confidence="low"),
            line(name="A1"),
            line(name="D", kind="mental_health", confidence="low"),
        ),
    )
    assert [one.name for one in lines.resources] == ["A1", "A2", "B", "C", "Directory"]


def test_an_unknown_country_gets_the_directories_and_nobody_elses_lines() -> None:
    for lines in (lines_for(None), lines_for("ZZ", default="GB"), lines_for("KZ", locale="en-GB")):
        assert lines.emergency is None
        assert lines.resources == lines.directories
        assert lines.directories
        assert wording().crisis.emergency_unknown in crisis_reply_text(SELF, lines, WORDS)


def test_every_country_of_the_file_has_an_emergency_number_a_way_to_reach_someone_and_a_directory() -> None:
    for country in bundled().countries:
        lines = lines_for(country.code)
        text = crisis_reply_text(SELF, lines, WORDS)
        assert 2 <= len(lines.resources) <= MOST_LINES + 1
        assert country.emergency in text
        assert lines.directories[0].url in {one.url for one in lines.resources}
        for one in lines.resources:
            assert one.name in text
            assert (one.phone or one.text or one.url or "?") in text


def test_about_oneself_and_about_someone_else_are_different_words() -> None:
    lines, words = lines_for("GB"), wording().crisis
    own = crisis_reply_text(SELF, lines, WORDS)
    other = crisis_reply_text(SelfHarm("other.die.en"), lines, WORDS)
    broken_gate = crisis_reply_text(SelfHarm("gate.failed"), lines, WORDS)
    assert own.startswith(words.about_self)
    assert broken_gate == own
    assert other.startswith(words.about_other)


@pytest.mark.parametrize("rule", ["self.poison.en", "other.poison.en", "self.poison_now.en"])
@pytest.mark.parametrize("country", ["GB", None])
def test_poisoning_is_told_to_act_now_with_the_emergency_number_before_any_line(rule: str, country: str | None) -> None:
    lines, words = lines_for(country), wording().crisis
    number = words.emergency.format(number=lines.emergency) if lines.emergency else words.emergency_unknown
    reply = crisis_reply_text(SelfHarm(rule), lines, WORDS)
    assert reply.startswith(f"{words.about_poisoning}\n\n{number}")
    assert all(one.name in reply[len(number) :] for one in lines.resources)
    assert words.about_self not in reply
    assert words.about_other not in reply


@pytest.mark.parametrize("text", ["", "{", "[]", '{"countries": []}', json.dumps(content(line(phone="call us")))])
def test_a_broken_file_still_gives_a_reply_with_somewhere_to_turn(text: str) -> None:
    lines = lines_for("GB", file=parse(text))
    reply = crisis_reply_text(SELF, lines, WORDS)
    assert lines.resources == lines.directories
    assert all((one.url or "?") in reply for one in lines.directories)
    assert wording().crisis.emergency_unknown in reply


@pytest.mark.parametrize(
    "fault",
    [
        {"phone": "tel:116000"},
        {"phone": "0800-FLOWERS"},
        {"website": "http://example.org"},
        {"website": "https://example.org/ click here"},
        {"chat": "javascript:alert(1)"},
        {"phone": None, "text": None, "chat": None},
        {"country": "FR"},
        {"kind": "advertisement"},
        {"sources": []},
        {"review_by": "2025-12-31"},
        {"name": "Two\nlines"},
        {"extra": 1},
    ],
)
def test_a_line_with_a_fault_is_refused(fault: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        file(line(**fault))


def test_the_shipped_file_is_the_real_one_and_claims_no_check_that_was_not_made() -> None:
    shipped = bundled()
    assert shipped != last_resort()
    assert len(shipped.lines) > 60
    assert not any(one.checked_with_provider for one in shipped.lines)


def test_a_line_is_overdue_the_day_after_its_review_date() -> None:
    one = file(line())
    assert not one.overdue(date(2026, 6, 30))
    assert one.overdue(date(2026, 7, 1)) == one.lines


def test_no_shipped_line_is_past_its_review_date() -> None:
    late = bundled().overdue(datetime.now(tz=UTC).date())
    assert not late, f"review these lines with their providers: {', '.join(one.name for one in late)}"


def test_time_zones_belong_to_one_country_each() -> None:
    zones = [zone for country in bundled().countries for zone in country.timezones]
    assert len(zones) == len(set(zones))


def test_the_shipped_file_agrees_with_the_collection_it_was_made_from(shared: Path) -> None:
    source = json.loads((shared / "data" / "crisis_lines" / "crisis_lines.json").read_text(encoding="utf-8"))
    known = {(one["country_code"], one["phone"]) for one in source}
    assert {(one.country, one.phone) for one in bundled().lines} == known


def test_the_file_is_json_as_people_read_it() -> None:
    text = resources.files("bot").joinpath("data", "crisis_lines.json").read_text(encoding="utf-8")
    assert "\\u" not in text


HINTS = st.one_of(
    st.none(), st.text(max_size=12), st.sampled_from(["GB", "en-GB", "en-US", "Europe/London", "zh-Hant-TW"])
)


@given(country=HINTS, locale=HINTS, timezone=HINTS, default=HINTS)
def test_no_hint_breaks_it(country: str | None, locale: str | None, timezone: str | None, default: str | None) -> None:
    lines = lines_for(country, locale=locale, timezone=timezone, default=default)
    assert lines.resources
    assert crisis_reply_text(SELF, lines, WORDS)


# In the person's language


REPLIED_IN = ("es", "fr", "de", "pt", "it", "nl", "pl", "tr", "ar", "hi", "zh", "ja", "ko")


@pytest.mark.parametrize("language", REPLIED_IN)
def test_every_word_of_a_crisis_reply_is_there_in_each_language(language: str) -> None:
    words = crisis_words(language)
    assert words is not None
    texts = words.model_dump().values()
    assert len(set(texts)) == len(texts)
    assert not set(texts) & set(WORDS.model_dump().values())
    assert [text.count("{number}") for text in texts].count(1) == 1 == words.emergency.count("{number}")
    assert max(map(len, texts)) < 300
    for rule in ("self.die.en", "other.die.en", "self.poison.en", FOLLOW_UP):
        assert "116 123" in crisis_reply_text(SelfHarm(rule), lines_for("GB"), words)


def test_there_are_words_for_exactly_these_languages() -> None:
    folder = resources.files("bot.wording").joinpath("crisis")
    assert {one.name for one in folder.iterdir()} == {f"{language}.toml" for language in REPLIED_IN}


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("Quiero morir, no puedo más", "en-US", "es"),
        ("Ich will nicht mehr leben", None, "de"),
        ("我不想活了", None, "zh"),
        ("I want to die", "fr-FR", "en"),
        ("suicide", "fr-FR", "fr"),
        ("suicide", None, "en"),
        ("Я не хочу жить", "fr-FR", "en"),
        ("Je veux mourir", "../en", "fr"),
    ],
)
def test_the_words_are_in_the_language_of_the_message(text: str, locale: str | None, language: str) -> None:
    assert words_for(text, locale, wording()) == crisis_words(language)


@given(st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["..", "../en", "en/../..", "\0"])))
def test_no_locale_breaks_the_words(locale: str | None) -> None:
    assert words_for("", locale, wording()).about_self
