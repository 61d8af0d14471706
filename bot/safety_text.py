"""A message as the safety rules read it: plain words, whatever the spelling, disguise or script they came in."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

END = "\n"
"""Stands in a list of words where a sentence ends."""

BREAK = "\r"
"""Stands where a line ends, or dots trail off, and the sentence may go on behind it."""

PAUSES = frozenset((END, BREAK))

LONGEST_WORD = 48
"""Longer runs of letters are cut to this: no word of any rule is as long, and the time stays linear."""

_RUN_TOGETHER = 10
"""An unknown word this long may be several with their spaces left out."""

_AND = "\u0648"
"""Arabic "and" is written as one word with the next."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
    "\ufdf0-\ufdff\u3300-\u33ff\U000e0000-\U000e007f]"  # the last but one: ligatures that unfold to many letters
)
_ACCENTS = re.compile("[\u0300-\u036f\u064b-\u065f\u0670\u093c]")
_SIMPLER = dict(zip("\u0131\u0649\u0629\u0901’‘ʼ`´＇łđ", "i\u064a\u0647\u0902''''''ld", strict=True)) | {
    "œ": "oe",
    "æ": "ae",
}
_TO_SIMPLIFY = re.compile(f"[{''.join(_SIMPLER)}]")
_SPACED = "\u0e00-\u0e7f\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_SPACED_SCRIPTS = re.compile(f"[{_SPACED}]")
_BY_LETTER = re.compile(f"[{_SPACED}]|[^{_SPACED}]+")
_MIXED = re.compile(f"[a-z{_SPACED}]")
_UNSPACED = re.compile(f"[{_SPACED}]+")
_TO_DECOMPOSE = re.compile("[^\\x00-_a-\x7f\u2010-\u2017\u201a-\u2027\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""All but what is left as it is once accents are away: putting a long Japanese text together again takes 10 ms."""
_DOTS = re.compile("[.]{2,}")
_SEPARATORS = (
    "\\x00-&(-/:-@\\[-`{-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965"
    "\u2000-\u2bff\u2e00-\u2e7f\u3000-\u303f\u30fb\ufe10-\ufe6f\uff00-\uff0f\U0001f000-\U0001faff"
)
_ITEM = re.compile(r"\s*\(?(?:\d{1,2}|[a-z])[.)]\s")
"""A number or letter before an entry of a list."""
_PIECE = re.compile(f"(?<!\\d)[.](?!\\d)|[!?;\u2026\u3002\u0964\u061f\u06d4]|[^{_SEPARATORS}]+")
_EDGES = re.compile(f"^[{_SEPARATORS}']+|[{_SEPARATORS}']+$")
_MARKS = re.compile("[.\u2026\\-_~|/+*'\u00b7\u2022,:]")
_DIGITS_AND_SIGNS = str.maketrans("013457@$!€", "oieastasie")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁһԛԝвмнктαειοκντυρχ", "aeopcyxijsdhqwbmhktaeioknvupx")
_SPELT_OUT = re.compile("(?<![a-z])[a-z](?![a-z])[^a-z]+[a-z](?![a-z])[^a-z]+[a-z](?![a-z])")
_TRIPLED = re.compile(r"(.)\1{2,}")
_CONTRACTED = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "", "t": "not"}
_NOT = {"ca": "can", "wo": "will", "sha": "shall"}


def fold(text: str) -> str:
    """One form for all that reads alike: compatibility forms, case, accents, invisible characters, apostrophes."""
    if text.isascii():
        return text.lower().replace("`", "'")
    text = unicodedata.normalize("NFKC", _simpler(_INVISIBLE.sub("", text))).casefold()
    if not _TO_DECOMPOSE.search(text):
        return text
    text = _simpler(_ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    return unicodedata.normalize("NFC", text)


def _simpler(text: str) -> str:
    return _TO_SIMPLIFY.sub(lambda letter: _SIMPLER[letter[0]], text)


def words(text: str) -> list[str]:
    """The words and sentence ends of a folded text; scripts written without spaces give one word a character."""
    found: list[str] = []
    for line in text.splitlines():
        for piece in _PIECE.findall(line):
            found.extend(_parts(piece))
        found.append(END)
    return found


def _parts(piece: str) -> list[str]:
    if piece == "\u2026":
        return [BREAK]
    if piece in ".!?;\u3002\u0964\u061f\u06d4":
        return [END]
    if _SPACED_SCRIPTS.search(piece):
        return _BY_LETTER.findall(piece)
    if "'" not in piece:
        return [piece[:LONGEST_WORD]]
    return _contraction([part[:LONGEST_WORD] for part in piece.split("'") if part])


def _contraction(parts: list[str]) -> list[str]:
    """Both sides of an apostrophe: "can't" as "can not", "she's" as "she", "j'ai" as "j ai"."""
    if len(parts) != 2 or parts[1] not in _CONTRACTED:
        return parts
    before, after = parts
    if after == "t":
        if not before.endswith("n"):
            return parts
        return [_NOT.get(before[:-1], before[:-1]), "not"]
    return [word for word in (before, _CONTRACTED[after]) if word]


def _forms(word: str) -> Iterator[str]:
    """The word with letters no longer drawn out, without the Arabic "and", and with the "g" that "endin" lacks."""
    if _TRIPLED.search(word):
        yield _TRIPLED.sub(r"\1\1", word)
        yield _TRIPLED.sub(r"\1", word)
    if word[0] == _AND:
        yield word[1:]
    if word.endswith("in"):
        yield f"{word}g"


class Reader:
    """Reads messages into words that the rules know.

    `spelling` maps a word to the words meant ("dont" to "do not"); `known` are the words of all rules; `guarded` those
    that are also recognised in disguise: in digits and signs, starred, spaced out, drawn out or misspelt by a letter.
    """

    def __init__(self, *, spelling: Mapping[str, str], known: Iterable[str], guarded: Iterable[str]) -> None:
        self._spelling = {word: meant.split() for word, meant in spelling.items()}
        self._known = frozenset(known) | frozenset(self._spelling)
        plain = frozenset(guarded)
        self._guarded = plain | {word for word, meant in self._spelling.items() if not plain.isdisjoint(meant)}
        self._by_length: dict[int, list[str]] = {}
        self._shortened: dict[str, str] = {}
        for word in sorted(self._guarded):
            self._by_length.setdefault(len(word), []).append(word)
            if len(word) >= 7:
                self._shortened.update({word[:at] + word[at + 1 :]: word for at in range(1, len(word))})

    def read(self, text: str) -> list[str]:
        """The message's words in order, with `END` where sentences end and `BREAK` where one may go on in a new line.

        Time is linear in the text's length.
        """
        found: list[str] = []
        text = _DOTS.sub("\u2026", fold(text))
        known: dict[str, list[str]] = {}
        for line in text.splitlines():
            item = _ITEM.match(line)
            for chunk in (line[item.end() :] if item else line).split():
                if chunk not in known:
                    known[chunk] = self._chunk(chunk)
                found.extend(known[chunk])
            if found and found[-1] not in PAUSES:
                found.append(BREAK)
        found.append(END)
        if _SPELT_OUT.search(text):
            found = self._rejoin(found)
        if self._spelling.keys().isdisjoint(found):
            return found
        meant: list[str] = []
        for word in found:
            if word in self._spelling:
                meant.extend(self._spelling[word])
            else:
                meant.append(word)
        return meant

    def _chunk(self, chunk: str) -> list[str]:
        if chunk in self._known:
            return [chunk]
        if _UNSPACED.fullmatch(chunk):
            return list(chunk)
        if chunk.isalpha() and (chunk.isascii() or not _MIXED.search(chunk)):
            word = self._nearest(chunk[:LONGEST_WORD])
            apart = self._segmented(word) if len(word) >= _RUN_TOGETHER and word not in self._known else None
            return apart or [word]
        if len(chunk) <= LONGEST_WORD and (plain := self._undisguised(_EDGES.sub("", chunk))):
            return [plain, *(_parts(chunk[-1]) if chunk[-1] in ".!?;\u2026" else ())]
        return [word if len(word) == 1 else self._nearest(word) for word in words(chunk)[:-1]]

    def _undisguised(self, core: str) -> str | None:
        """The guarded word behind digits, signs, dots, stars or look-alike letters, if there is one."""
        if core.isalpha() and core.isascii():
            return None
        latin = core.translate(_LOOKALIKES) if any("a" <= letter <= "z" for letter in core) else core
        plain = _MARKS.sub("", latin).translate(_DIGITS_AND_SIGNS)
        if plain in self._guarded:
            return plain
        if "*" in latin or "#" in latin:
            for word in self._by_length.get(len(latin), ()):
                if all(a in ("*", "#", b) for a, b in zip(latin, word, strict=True)) and latin[0] == word[0]:
                    return word
        return None

    def _nearest(self, word: str) -> str:
        """The word itself, or the known word that it is another form of, or a guarded one but for a letter."""
        if word in self._known or len(word) < 3:
            return word
        if form := next((form for form in _forms(word) if form in self._known), None):
            return form
        if 6 <= len(word) <= 12 and word[0] in "so":
            if word in self._shortened:
                return self._shortened[word]
            for at in range(1, len(word)):
                less = word[:at] + word[at + 1 :]
                if less in self._guarded:
                    return less
                if less in self._shortened:
                    return self._shortened[less]
        return word

    def _rejoin(self, found: list[str]) -> list[str]:
        """Words with their letters spaced out, put together again where that gives known words, one of them guarded."""
        joined: list[str] = []
        run: list[str] = []
        for word in [*found, END]:
            if (len(word) == 1 and "a" <= word <= "z") or (run and word == BREAK):
                run.append(word)
                continue
            letters = "".join(run).replace(BREAK, "")
            known = self._segmented(letters) if len(letters) >= 3 else None
            joined.extend([*known, *run[-1:].count(BREAK) * [BREAK]] if known else run)
            run.clear()
            joined.append(word)
        return joined

    def _segmented(self, letters: str) -> list[str] | None:
        """The letters as known words, one of them guarded; None where they are none."""
        if not any(word in letters for word in self._guarded):
            return None
        starts: list[int | None] = [0, *[None] * len(letters)]
        for end in range(1, len(letters) + 1):
            for start in range(max(0, end - 12), end):
                if starts[start] is None:
                    continue
                word = letters[start:end]
                if word in self._known and (len(word) > 1 or word in "ia"):
                    starts[end] = start
                    break
        found: list[str] = []
        end = len(letters)
        while end > 0:
            start_of_word = starts[end]
            if start_of_word is None:
                return None
            found.append(letters[start_of_word:end])
            end = start_of_word
        return found[::-1] if not self._guarded.isdisjoint(found) else None
