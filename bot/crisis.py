"""The reply to a person in need: the right country's lines, in words that were written beforehand."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.language import language_of
from bot.messages import Resource

if TYPE_CHECKING:
    from bot.crisis_file import Country, CrisisFile, Line
    from bot.safety import SelfHarm
    from bot.wording import Crisis, Wording

logger = logging.getLogger(__name__)

MOST_LINES = 4
FOLLOW_UP = "follow.crisis"
"""The rule of a message that is taken for a person at risk because of what its author wrote before."""
_KINDS = ("suicide_crisis", "general_crisis", "mental_health")
_CONFIDENCE = ("high", "medium", "low")
_ALIASES = {"UK": "GB", "EL": "GR"}
_NO_COUNTRY = {"es-LA"}
"""Language tags whose region is none: platforms write "es-LA" for Latin America."""
_NEVER_CHOSEN = "en-US"
"""What platforms set for people who never chose: the time zone says more."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whom to call. `country` is None where nothing is known of it; `emergency` may name several numbers.

    `resources` are the organisation's own people, then at most four lines of the country, those for suicide and crises
    first, and then a directory of lines everywhere; where there is nobody of the country, all `directories`.
    """

    emergency: str | None
    country: str | None
    resources: tuple[Resource, ...]
    directories: tuple[Resource, ...]


def lines_for(
    country: str | None,
    *,
    locale: str | None = None,
    timezone: str | None = None,
    default: str | None = None,
    people: tuple[Resource, ...] = (),
    file: CrisisFile | None = None,
) -> Lines:
    """The lines for a person: by their country, else their language tag's region, their time zone, or `default`.

    `people` are the organisation's own and come first, wherever the person is. A country that is known but has no lines
    gets the directories, never another country's lines. It never raises.
    """
    from bot.crisis_file import bundled  # pydantic is loaded with the first lookup, not the import

    file = file or bundled()
    code = _country_code(country, locale, timezone, file) or _upper(default)
    directories = tuple(Resource(name=one.name, url=one.url) for one in file.directories)
    found = next((one for one in file.countries if one.code == code), None)
    if found is None:
        return Lines(None, code, (*people, *directories), directories)
    own = tuple(_resource(line) for line in _best(found, file))
    return Lines(found.emergency, found.code, (*people, *own, *(directories[:1] if own else directories)), directories)


def crisis_reply_text(verdict: SelfHarm, lines: Lines, words: Crisis) -> str:
    """What a person at risk, or one who worries about somebody, is told; names and numbers are in it as plain text.

    After poisoning, and where someone writes again, who may have taken something meanwhile, the emergency number comes
    before any line: minutes count, and who feels well may not be.
    """
    emergency = words.emergency.format(number=lines.emergency) if lines.emergency else words.emergency_unknown
    directories = [one for one in lines.resources if one in lines.directories]
    own = "\n".join(_as_text(one) for one in lines.resources if one not in lines.directories)
    elsewhere = "\n".join(_as_text(one) for one in directories)
    if ".poison" in verdict.rule:
        parts = [words.about_poisoning, emergency, own]
    elif verdict.rule == FOLLOW_UP:
        parts = [words.about_follow, emergency, own]
    else:
        about = words.about_other if verdict.rule.startswith("other.") else words.about_self
        parts = [about, own, emergency] if own else [about, emergency]
    parts.append(f"{words.directory}:\n{elsewhere}" if own else elsewhere)
    return "\n\n".join(part for part in parts if part)


def words_for(text: str, locale: str | None, wording: Wording) -> Crisis:
    """The words in the language of a message, else of its author's setting, else of all texts. It never raises."""
    from bot.wording import crisis_words  # so is the wording

    try:
        return crisis_words(language_of(text, locale=locale)) or wording.crisis
    except Exception as error:  # noqa: BLE001 - the words matter less than that there are some
        logger.error("the language of a message could not be told: %s", type(error).__name__)  # noqa: TRY400 - it quotes
        return wording.crisis


def _country_code(country: str | None, locale: str | None, timezone: str | None, file: CrisisFile) -> str | None:
    by_locale = _region(locale)
    by_timezone = next((one.code for one in file.countries if timezone and timezone in one.timezones), None)
    if locale and locale.replace("_", "-") == _NEVER_CHOSEN:
        by_locale, by_timezone = by_timezone, by_locale
    return _upper(country) or by_locale or by_timezone


def _upper(country: str | None) -> str | None:
    code = (country or "").strip().upper()
    return _ALIASES.get(code, code) or None


def _region(locale: str | None) -> str | None:
    """The region of a language tag: "GB" for "en-GB", "TW" for "zh-Hant-TW", None for "en" or "es-419"."""
    tag = (locale or "").split(".")[0].replace("_", "-")
    regions = [part for part in tag.split("-")[1:] if len(part) == 2 and part.isascii() and part.isalpha()]
    return _upper(regions[0]) if regions and tag not in _NO_COUNTRY else None


def _best(country: Country, file: CrisisFile) -> list[Line]:
    lines = [line for line in file.lines if line.country == country.code]
    lines.sort(key=lambda line: (_KINDS.index(line.kind), _CONFIDENCE.index(line.confidence)))
    return lines[:MOST_LINES]


def _resource(line: Line) -> Resource:
    return Resource(
        name=line.name,
        phone=line.phone,
        text=line.text,
        url=line.chat or line.website,
        hours=line.hours,
        country=line.country,
    )


def _as_text(resource: Resource) -> str:
    ways = [way for way in (resource.phone, resource.text, resource.url) if way]
    hours = f" ({resource.hours})" if resource.hours else ""
    return f"- **{resource.name}**: {' · '.join(ways)}{hours}"
