"""Takes out of a model's text everything that could lead somewhere: links, images, tags, mentions, made-up sources.

Sources travel around the model (promise 1), so nothing it writes may look like one. What is removed in an inline
link is its target; the label stays.
"""

from __future__ import annotations

import html
import re
import unicodedata

_TLD = (
    "com|org|net|info|biz|gov|edu|mil|int|io|ai|app|dev|co|me|tv|xyz|site|online|shop|link|click|top|live|news|health"
    "|example|test|invalid|local|uk|us|ca|au|nz|ie|de|fr|es|it|nl|be|ch|at|pt|pl|se|no|dk|fi|cz|ru|ua|tr|in|cn|jp|kr"
    "|br|mx|ar|za|eu|ly|gl|sh|to|cc|ws|su|tk|ml|ga|cf"
)
# A top level of mixed case ("fever.In children") is a sentence that lacks its space, not a host.
_HOST = rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}})\.)+(?:{_TLD}|{_TLD.upper()}|xn--[A-Za-z0-9-]{{2,59}})"
_BOUNDARY = r"(?<![\w@.-])"
_REST = r"(?:[:/?#][^\s<>\[\]()\"']*)?"

_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])?")
_INLINE_LINK = re.compile(r"\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_REFERENCE_LINK = re.compile(r"\[([^\]\n]{1,500})\]\[[^\]\n]{0,200}\]")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[^\n]*$", re.MULTILINE)
_MARKER = re.compile(r"[ \t]?\[\^?\s*(?:p|source\s*)?\d{1,3}(?:\s*[,;-]\s*p?\d{1,3})*\s*\]", re.IGNORECASE)
_SLACK = re.compile(r"<[@#!][^<>\n]{0,200}>")
_TEAMS_MENTION = re.compile(r"<at\b[^<>]{0,200}>[^<>\n]{0,200}</at\s*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.{0,5000}?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-z][^<>]{0,2000}>|<[^<>\s@]{1,200}@[^<>\s]{1,200}>", re.IGNORECASE)
_SCHEME = re.compile(
    r"(?:\b(?:https?|ftps?|file|wss?)\s?:\s?/\s?/\s?|(?:javascript|vbscript|\b(?:data|mailto|tel|sms|slack|msteams)):)"
    r"(?=\S)[^\s<>\[\]()\"']+",
    re.IGNORECASE,
)
_ANY_SCHEME = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\[\]()\"']*", re.IGNORECASE)
_WWW = re.compile(r"(?<![\w@])www\s?\.[^\s<>\[\]()\"']+", re.IGNORECASE)
_BARE = re.compile(f"{_BOUNDARY}{_HOST}{_REST}(?![\\w@])")
_MENTION = re.compile(r"(?<![\w.@])@(?=\w)")
_ATTRIBUTION = re.compile(
    r"(?:^|\n)[ \t>*_-]{0,6}(?:sources?|references?|citations?|further reading|read more|learn more|see also)"
    r"[*_ \t]{0,4}:[^\n]*",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": ".", "\u2024": "."})
_ROUNDS = 5

_REMOVALS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_COMMENT, ""),
    (_IMAGE, ""),
    (_DEFINITION, ""),
    (_INLINE_LINK, r"\1"),
    (_REFERENCE_LINK, r"\1"),
    (_TEAMS_MENTION, ""),
    (_SLACK, ""),
    (_TAG, ""),
    (_SCHEME, ""),
    (_ANY_SCHEME, ""),
    (_WWW, ""),
    (_BARE, ""),
    (_MARKER, ""),
    (_ATTRIBUTION, ""),
    (_MENTION, ""),
)


def clean(text: str) -> str:
    """The text without links, images, HTML, mentions, `[n]` markers and source lines; its words are left as they are.

    Zero-width characters go first and HTML entities are read, so that neither can hide a link; it is repeated until
    nothing changes, so that removing one thing cannot make another. The result never has leading or trailing space.
    """
    previous = None
    for _ in range(_ROUNDS):
        if text == previous:
            break
        previous = text
        text = _INVISIBLE.sub("", html.unescape(text)).translate(_DOTS)
        text = "".join(c for c in text if c in "\n\t" or not unicodedata.category(c).startswith(("Cc", "Cs", "Co")))
        for pattern, replacement in _REMOVALS:
            text = pattern.sub(replacement, text)
    else:
        # Still changing after all rounds: somebody nests on purpose, and angle brackets or slashes are no loss then.
        text = re.sub(r"[<>\[\]]|://", " ", text)
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" +([.,;:!?])", r"\1", text)
    return text.strip()
