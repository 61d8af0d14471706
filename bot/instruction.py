"""Whether a stretch of a document speaks to the program that reads it rather than to people. Such is never quoted.

It knows the usual forms, and no more: what keeps a document from giving orders is that no model's words are shown
unchecked. This keeps its orders from being shown as if they were information.
"""

from __future__ import annotations

import re

from retrieval.terms import is_plain, words

_OUTPUT = r"(?:reply|response(?!\s+to\b)|answer|output)"
_WITHIN = r"(?:[^.!?\n]|[.!?](?!\s))"
"""What may stand between two words of one sentence: a stop inside an address ends none."""
_EARLIER = r"(?:previous|prior|above|earlier|preceding|system|original|all|all info|the rest)"
_SAID = r"(?:instructions?|directions?|prompts?|orders|rules|messages?|info(?:rmation)?|data|text|document|page)"
_CHANGES = (
    "add|anagram|append|augment|combine|convert|encode|encrypt|enhance|group|include a sentence|insert|integrate|"
    "introduce|mention|modify|rearrange|render|replace|reverse|scramble|substitute"
)
_BOT = r"(?:(?:chat ?)?bots?|AIs?|LLMs?|(?:large )?language models?|(?:AI|virtual|digital) (?:assistant|agent|tool)s?)"
"""What can only be a program; an assistant may be a person."""
_TO_ALL = r"(?:(?:to|for) )?(?:(?:the|any|all) )?"
_MUST = r"(?:should|must|has to|have to|will|shall|please)"
_SAY = r"(?:answer|claim|output|print|recommend|repeat|reply|respond|say|tell)"
_ORDERS = re.compile(
    "|".join(
        (
            rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){{0,3}}{_EARLIER}\b[^.!?\n]{{0,30}}\b{_SAID}\b",
            r"\bignore the user\b|\bdisregard all info\b",
            rf"\b(?:{_CHANGES})\b{_WITHIN}{{0,200}}\byour\s+{_OUTPUT}\b",
            rf"\b(?:provide|write|give|render)\s+your\s+{_OUTPUT}\s+(?:backward|using\b|with(?:out)?\b)",
            rf"\b(?:provide|write|give|render)\s+your\s+{_OUTPUT}\s+in\s+(?!the\b|this\b)\w+",
            rf"\bemojis?\b[^.!?\n]{{0,40}}\byour\s+{_OUTPUT}\b|\bin your {_OUTPUT},",
            r"\bsystem prompt\b|\bprompt injection\b|\bAI injection\b|\bnew instructions\*",
            rf"\b(?:note|message|attention)[:,]? {_TO_ALL}(?:automated\b|{_BOT}\b|assistants?[:,])",
            rf"\bif you(?: are|['’]re) (?:an? |the )?(?:{_BOT}\b|assistant(?:,| reading\b))",
            rf"\b{_BOT},? {_MUST}\b{_WITHIN}{{0,40}}\b{_SAY}\b|\bthe assistant {_MUST} (?:always |only |now )?{_SAY}\b",
            r"\byou are now (?-i:[A-Z])\w+[.,;:!]|\boutput the (?:word|text|phrase)\b",
            rf"\bpretend (?:that )?you (?:have no\b|have access\b|are not\b|can do anything\b|are (?:an? )?{_BOT}\b)",
            r"\bvisible to (?:the )?LLM",
            r"\b(?:reply|respond)\s+(?:only\s+)?with\s+(?:only the following|the following text|[\"“'‘])",
            r"\bprint\s+(?:the\s+text\s+)?[\"“'‘]|\bdo not print\b|\bfrom now on\b[^.!?\n]{0,60}\brespond\b",
            r"\brespond with (?:a|an) \w+ accent\b|\bthe assistant has been augmented\b",
        )
    ),
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"<\|?/?\s*(?:im_start|im_end|endoftext)\b|\[/?INST\]|\[system\]\(|<end of session>"
    r"|^\W{0,6}(?:system|assistant|user|human)\s*:\s",
    re.IGNORECASE | re.MULTILINE,
)
"""Whatever stands behind one of these in its paragraph is made to look like a conversation with a model."""
_TELLING = frozenset(
    """
    ai ais answer assistant assistants automated bot bots bypass chatbot chatbots digital disregard emoji emojis forget
    ignore injection instructions language llm llms now output override pretend print prompt reply respond response
    virtual visible
    """.split()  # noqa: SIM905 - a wall of quotes is harder to read and to mend
)
"""Words of which every order has one: most texts have none, and are told so much sooner."""
_STOP = re.compile(r"[.!?]\s|\n")


def addresses_a_machine(text: str) -> bool:
    """Whether any of it reads as an order to a model, or as a piece of a conversation with one."""
    may_order = not _TELLING.isdisjoint(words(text)) or not is_plain(text)
    return bool((may_order and _ORDERS.search(text)) or _TURNS.search(text))


def stands_in_an_order(text: str, span: tuple[int, int]) -> bool:
    """Whether a stretch of a text does, read in the whole of its sentences and behind what stands in its paragraph."""
    start, end = span
    before = [stop.end() for stop in _STOP.finditer(text, 0, start)]
    after = _STOP.search(text, max(end - 1, start))
    sentences = text[before[-1] if before else 0 : after.end() if after else len(text)]
    paragraph = text[text.rfind("\n\n", 0, start) + 1 : end]
    return bool(_ORDERS.search(sentences) or _TURNS.search(paragraph))
