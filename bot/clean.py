"""Takes out of a text everything that could lead somewhere: links, images, tags, mentions, made-up sources.

Sources travel around the model (promise 1), so nothing it writes may look like one. What says something stays: the
label of a link, a telephone number, "<5 mg", an e-mail address. A link in the middle of a sentence leaves an ellipsis.
"""

from __future__ import annotations

import html
import re
import unicodedata

GAP = "\u2026"
"""Stands where a link was taken out of a sentence."""

# Top levels that no sentence without its space ("milk.in the morning") can be mistaken for.
_TLD = (
    "com|org|net|info|biz|gov|edu|mil|int|io|ai|app|dev|tv|xyz|site|online|shop|link|click|tech|store|zip|mov|blog|wiki"
    "|cloud|page|web|example|invalid|localhost|uk|ca|au|nz|ie|de|fr|es|nl|ch|pt|pl|se|dk|fi|cz|ru|ua|tr|cn|jp|kr|br|mx"
    "|ar|za|eu|ly|gl|sh|cc|ws|su|tk|ml|ga|cf|wales|scot|london|nhs|pro|mobi|name|icu|vip|work|life|world|club|space"
    "|co|me|us|museum|health|care|clinic|doctor|hospital|pharmacy|sg|ro|gr|hk|hu|bg|rs|hr|sk|lt|lv|ee|lu|pe|ve|uy|ec"
    "|cr|ir|pk|bd|lk|np|kz|uz|ge|az|tw|th|ph|vn|il|ae|sa|ng|ke|gh|eg|ma|cl|top|email|news|media|social|chat|ninja|guru"
    "|services|agency|global|center|foundation|academy|expert|download|stream|solutions|support|fun|lol|foo|bar"
)
_TLD_WORD = "it|at|be|in|is|no|so|to|am|my|id|do|by|as|one|today|help|rest|review|date|fit|men|party|bank|win|fund"
"""Top levels that are words too: such a name is a host at the end of its sentence or bracket."""
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_END = r"(?<![.,;:!?])"
_REST = rf"(?:[:/?#][^\s<>\[\]()\"']*{_END})?"
_BOUNDARY = r"(?<![^\W_])(?<![@.-])"
_TAGS = (
    "abbr|address|article|aside|audio|base|blockquote|body|button|canvas|caption|center|cite|code|col|colgroup|data|"
    "details|dialog|div|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|html|iframe|"
    "img|input|label|legend|link|main|mark|marquee|math|menu|meta|nav|object|ol|option|output|param|picture|pre|script|"
    "section|select|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|"
    "title|track|tr|ul|var|video|wbr"
)

_COMMENT = re.compile(r"<!--.{0,5000}?(?:-->|\Z)|<!doctype[^<>]{0,500}>", re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])?")
_MARKER_LINK = re.compile(r"[ \t]?\[\^?\d{1,3}\]\([^)\n]{0,2000}\)")
_INLINE_LINK = re.compile(r"\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_REFERENCE_LINK = re.compile(r"\[([^\]\n]{1,500})\]\[[^\]\n]{0,200}\]")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[^\n]*$", re.MULTILINE)
_MARKER = re.compile(r"[ \t]?\[\^?\s*(?:p|source\s*)?\d{1,3}(?:\s*[,;]\s*p?\d{1,3})*\s*\]", re.IGNORECASE)
_SLACK_LINK = re.compile(r"<[^<>|\n]{1,2000}\|([^<>\n]{0,500})>")
_SLACK = re.compile(r"<[@#!](?:[^<>\n]{0,200}>)?")
_TEAMS_MENTION = re.compile(r"<at\b[^<>]{0,200}>[^<>\n]{0,200}</at\s*>", re.IGNORECASE)
_AUTOLINK = re.compile(r"<(?:[a-z][a-z0-9+.-]{1,20}:[^<>\s]{0,2000}|[^<>\s@]{1,200}@[^<>\s]{1,200})>", re.IGNORECASE)
_TAG = re.compile(
    rf"</?(?:{_TAGS})\b[^<>]{{0,2000}}>?"
    r"|</?(?:a|b|br|dd|del|dfn|dl|dt|em|hr|i|ins|kbd|li|p|q|s|u)(?:\s+[\w-]+\s*=[^<>]{0,2000})?\s*/?>"
    r"|<a\s+href\b[^<>]{0,2000}",
    re.IGNORECASE,
)
_SCHEME = re.compile(
    rf"(?:[a-z][a-z0-9+.-]{{1,20}}\s?:\s?/\s?/\s?|\b(?:https?|ftp|hxxps?)\s?:\s?|(?<![\w:/])//(?=\w)"
    rf"|\bdata\s?:\s?(?=[a-z]+/|[;,])|\b(?:slack|msteams):)"
    rf"(?:\[[\da-f:.]+\])?[^\s<>\[\]()\"']*{_END}",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"(?:javascript|vbscript)\s?:\s?\S*", re.IGNORECASE)
_SPELLED_DOT = r"\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|(?<=\s)dot(?=\s))\s?"
_SPELLED = re.compile(
    rf"\b(?:www{_SPELLED_DOT})?(?:{_LABEL}{_SPELLED_DOT})+(?:com|org|net|info|gov|edu|io|co|uk)\b(?:/\S*{_END})?",
    re.IGNORECASE,
)
_MAILTO = re.compile(r"\bmailto:", re.IGNORECASE)
_WWW = re.compile(rf"(?<![\w@])www\s?\.[^\s<>\[\]()\"']+{_END}", re.IGNORECASE)
_WITH_PATH = re.compile(rf"{_BOUNDARY}(?:{_LABEL}\.)+[^\W\d_]{{2,24}}(?::\d+)?/[^\s<>\[\]()\"']*{_END}")
_WITH_PORT = re.compile(
    rf"{_BOUNDARY}(?:localhost|\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?::\d+(?:/[^\s<>\[\]()\"']*)?|/[^\s<>\[\]()\"']*){_END}"
)
_IDN = "рф|рус|укр|бел|онлайн|сайт|москва|中国|中國|公司|网络|网址|香港|台湾"
# A top level of mixed case ("fever.Com") is a sentence that lacks its space.
_HOST = re.compile(
    rf"{_BOUNDARY}(?:{_LABEL}\.)+(?:{_TLD}|{_TLD.upper()}|{_IDN}|xn--[A-Za-z0-9-]{{2,59}}){_REST}(?![^\W_]|@)"
    rf"|{_BOUNDARY}(?!\d+\.|(?:[A-Za-z]\.)+[A-Za-z]\b)(?:{_LABEL}\.)+(?:{_TLD_WORD})(?=[_*~`'\").,;:!?\]]*(?:\s*\Z|\n|[)\]]))"
)
_MENTION = re.compile(r"(?<![\w.@])@(?=\w)")
_SOURCE = (
    "sources?|references?|refs?|citations?|bibliography|further reading|quellen?|fuentes?|fontes?|bron(?:nen)?|"
    "r\u00e9f\u00e9rences?|\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a\u0438?|\u6765\u6e90|\u51fa\u5178"
)
_SOURCE_LIST = re.compile(
    rf"(?:^|\n)[ \t>*#_-]{{0,6}}(?:{_SOURCE})[*_ \t]{{0,4}}:?[*_ \t]{{0,4}}(?:\n[\s\S]*|\Z)", re.IGNORECASE
)
_ATTRIBUTION = re.compile(
    rf"(?:^|\n|(?<=[.!?])[ \t]+)[ \t>*_(-]{{0,6}}(?:(?:{_SOURCE})[*_ \t]{{0,4}}(?:[:\uff1a]|[-\u2013\u2014](?=\s))"
    r"[^\n]*|(?:retrieved|adapted|taken|quoted|cited) from:?\s(?:the\s)?(?-i:[A-Z])[^\n,;.]*"
    r"(?:,\s(?:19|20)\d\d|,?\spp?\.\s?\w+)?[.)]*[ \t]*(?=\n|\Z))",
    re.IGNORECASE,
)
_BRACKETED_SOURCE = re.compile(
    rf"\s?(?:[(\[](?:{_SOURCE})\s*[:\uff1a\u2013-][^()\[\]\n]{{0,200}}[)\]]|\[(?:{_SOURCE})(?:\s\w{{1,3}})?\]|[\u3010\u3014][^\u3010\u3011\n]{{0,80}}[\u3011\u3015])",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_STRUCK = re.compile(r"~~(?=\S)[^\n]{1,2000}?(?<=\S)~~|(?<![^\W_])~(?=[^\s~])[^~\n]{0,2000}(?<=\S)~(?![^\W_])")
_STRIKES = re.compile(r"~+(?!\s?[\d$\u00a3\u20ac])|~{2,}|[\u0334-\u0338]")
"""What strikes words through, with them, or could with a sentence beside it. "~5 mg" is about 5 mg."""
_DOT = re.compile(r"(?<=[A-Za-z0-9-])[\u3002\uff0e\uff61\u2024](?=[A-Za-z])")
_WIDE_SIGNS = frozenset("\uff0f\uff1c\uff1e\uff20\uff0e\ufe64\ufe65\ufe6b")
_ROUNDS = 12

_REMOVALS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_COMMENT, ""),
    (_STRUCK, ""),
    (_STRIKES, ""),
    (_IMAGE, ""),
    (_DEFINITION, ""),
    (_MARKER_LINK, ""),
    (_INLINE_LINK, r"\1"),
    (_REFERENCE_LINK, r"\1"),
    (_TEAMS_MENTION, ""),
    (_SLACK, ""),
    (_SLACK_LINK, r"\1"),
    (_AUTOLINK, GAP),
    (_TAG, ""),
    (_SCRIPT, GAP),
    (_SCHEME, GAP),
    (_MAILTO, ""),
    (_WWW, GAP),
    (_WITH_PATH, GAP),
    (_WITH_PORT, GAP),
    (_HOST, GAP),
    (_SPELLED, GAP),
    (_MARKER, ""),
    (_BRACKETED_SOURCE, ""),
    (_SOURCE_LIST, ""),
    (_ATTRIBUTION, ""),
    (_MENTION, ""),
)


_SUSPECT_SIGNS = re.compile(
    r"[&<>\[\]~@]|\.[a-z(]|/\s*/|[(]\s*[.)]|\(\s*(?:see|via|visit|more)?\s*(?:at|from)?\s*\)|:\s*/|\d\s*[:/]\s*\d|\.\d+\.\d"
)
_SUSPECT_WORDS = re.compile(
    r"www|localhost|https?|ftp|hxxp|data\s*:|slack|msteams|script\s*:|mailto|dot\b"
    r"|(?:sources?|ref(?:erence)?s?|citations?|bibliography|reading|quellen?|fuentes?|fontes?|bron(?:nen)?)"
    r"[*_ \t]*(?:\s*[:\u2013\u2014-]|\n|\Z)"
    r"|(?:retrieved|adapted|taken|quoted|cited)[ \t]+from\b"
)
"""What any of the removals begins with in ASCII, in small letters. They find too much, not too little: most prose has
none of it."""
_WORDS_BEGIN = (
    "www", "localhost", "http", "ftp", "hxxp", "data", "slack", "msteams", "script", "mailto", "dot", "source", "ref",
    "citation", "bibliography", "reading", "quelle", "fuente", "fonte", "bron", "retrieved", "adapted", "taken",
    "quoted", "cited",
)  # fmt: skip
"""A text without any of these has no suspect words, and is told so soonest."""
_PLAIN = re.compile(r"[\n\t\x20-\x7e\u2018\u2019\u201c\u201d\u2013\u2014\u2022\u00a3\u00b0\u00d7\u2264\u2265]*")
"""ASCII, and the signs of print beside it with which no removal begins and which stand for nothing else."""
_SPACES = re.compile(r"[ \t]{2,}|\t")
"""Any but the single space, which most are."""
_LOOSE_SIGN = re.compile(r" +([,;:!?]|\.(?!\d))")


def clean(text: str) -> str:
    """The text without links, images, HTML, mentions, `[n]` markers and source lines; its words are left as they are.

    Zero-width characters go first and HTML entities are read, so that neither can hide a link; it is repeated until
    nothing changes, so that removing one thing cannot make another. The result never has leading or trailing space.
    """
    if _is_harmless(text):
        return _LOOSE_SIGN.sub(r"\1", single_spaced(text))  # what `_tidy` can find in such a text
    return _cleaned(text)


def single_spaced(text: str) -> str:
    """The text with one space where there are several or tabs, and none at its ends."""
    return _SPACES.sub(" ", text).strip()


def _cleaned(text: str) -> str:
    previous = None
    for _ in range(_ROUNDS):
        if text == previous:
            return text
        previous = text
        text = "".join(map(_plain, _DOT.sub(".", _INVISIBLE.sub("", html.unescape(text)))))
        for pattern, replacement in _REMOVALS:
            text = pattern.sub(replacement, text)
        text = _tidy(text)
    # Still changing after all rounds: somebody nests on purpose, and angle brackets or slashes are no loss then.
    return _tidy(re.sub(r"[<>\[\]&:@]|//", " ", text))


def _is_harmless(text: str) -> bool:
    """Whether only white space can be wrong with it; that is told much sooner than by trying every removal."""
    if not _PLAIN.fullmatch(text):
        return False
    small = text.lower()
    worded = any(word in small for word in _WORDS_BEGIN)
    return not _SUSPECT_SIGNS.search(small) and not (worded and _SUSPECT_WORDS.search(small))


def _plain(character: str) -> str:
    """ASCII letters, digits and signs of links in disguise, as full width or in mathematical script, as they are."""
    if character.isascii():
        return character if character in "\n\t" or character.isprintable() else ""
    category = unicodedata.category(character)
    if category in {"Cc", "Cs", "Co"}:
        return ""
    if category in {"Lu", "Ll", "Nd"} or character in _WIDE_SIGNS:
        usual = unicodedata.normalize("NFKC", character)
        return usual if usual.isascii() and len(usual) == 1 else character
    return character


def _tidy(text: str) -> str:
    """Close up what removals left: empty brackets, doubled spaces, an ellipsis with nothing behind it on its line."""
    text = re.sub(rf"\s?\((?:see|via|visit|at|from|more at)?\s*{GAP}?\s*\)|\[\s*\]", "", text)
    text = re.sub(rf"(?<![^\W_])[_*~]+{GAP}[_*~]+(?![^\W_])", GAP, text)
    text = _SPACES.sub(" ", text)
    text = re.sub(rf"^(?: ?{GAP})+ |(?:(?<=[.!?]) ?| )(?:{GAP} ?)+(?=$|\n)", "", text, flags=re.MULTILINE)
    text = _LOOSE_SIGN.sub(r"\1", text)
    return "" if text.strip(f" {GAP}\n") == "" else text.strip()
