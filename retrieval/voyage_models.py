"""What is known of Voyage's models before anything is sent. Source: docs.voyageai.com, November 2026."""

from __future__ import annotations

EMBEDDING_MODEL = "voyage-4"
RERANK_MODEL = "rerank-2.5"

ITEMS = 1000
"""Texts that one request may hold; of contextualised ones, runs of texts."""

REQUEST_TOKENS = 120_000
"""Tokens that one request for embeddings may hold, by the strictest of the plain models."""

WINDOW_TOKENS = 32_000
"""Tokens that a contextualised model takes in one request, all runs together; other models read as many of a text."""

RERANK_QUESTION_TOKENS = 8000
"""What the reranker reads of a question."""

RERANK_REQUEST_TOKENS = 600_000
"""Tokens of one request for scores, the question counted once a text."""

_CONTEXTUALISED = "voyage-context-"
_USUAL_DIMENSIONS = 1024
_DIMENSIONS = {"voyage-3-lite": 512, "voyage-code-2": 1536, "voyage-large-2": 1536}
_NOT_SERVED = {"voyage-4-nano"}


def dimensions(model: str) -> int:
    """The length of a model's vectors where no other is asked for; Voyage's usual one for a model not known here."""
    return _DIMENSIONS.get(model, _USUAL_DIMENSIONS)


def contextualised(model: str) -> bool:
    """Whether it reads the passages of a document together."""
    return model.startswith(_CONTEXTUALISED)


def served(model: str) -> bool:
    """Whether Voyage runs it. Its open models the SDK would run on this machine, with torch."""
    return model not in _NOT_SERVED
