"""What did not run as it should in the turns of an evaluation, in plain words, and how to mend it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bot.errors import Permanent
from retrieval.search import WITHOUT_EMBEDDER
from retrieval.stages import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.measure import Trial

_VECTORS = "vectors"
_DECLINED = "-declined"
_CLAUDE = "Look at ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and CITEWELL_SMALL_MODEL, or try again later."
_MENDS = {
    _VECTORS: "Another ingest fills them in; CITEWELL_EMBEDDER=none goes by words alone.",
    "embedder": "Look at VOYAGE_API_KEY, VOYAGE_BASE_URL, CITEWELL_VOYAGE_MODEL and CITEWELL_EMBEDDER.",
    "reranker": (
        "Look at its key (VOYAGE_API_KEY or ANTHROPIC_API_KEY), its address (VOYAGE_BASE_URL or ANTHROPIC_BASE_URL) and"
        " CITEWELL_RERANKER; CITEWELL_RERANKER=fitted needs none."
    ),
    "hyde": f"{_CLAUDE} CITEWELL_STAGES_OFF=hyde goes without.",
    "rewriter": _CLAUDE,
}


def check_whole(trial: Trial) -> None:
    """Errors: Permanent, if a stage of a search failed: what is chosen from such strengths would not hold.

    It is no fault that a search is set to go by words, or that a model declined to help with one question.
    """
    for stage, reason in _lacking(trial):
        if not reason.endswith(_DECLINED):
            mend = _MENDS.get(_who(reason), "Try again; CITEWELL_LOG_LEVEL=INFO shows more.")
            msg = (
                f"A search did not run as it should: {_plain(stage, reason)}. Thresholds chosen from such searches "
                f"would not hold, so nothing more was asked. {mend}"
            )
            raise Permanent(msg)


def summary(trials: Sequence[Trial]) -> str | None:
    """A line on what was degraded and in how many turns; None where nothing was."""
    counts = Counter(plain for trial in trials for plain in {_plain(*one) for one in _lacking(trial)})
    if not counts:
        return None
    said = ", ".join(f"{plain} in {count}" for plain, count in counts.most_common())
    return f"Of {len(trials)} turns, some were degraded: {said}."


def _lacking(trial: Trial) -> Iterator[tuple[str, str]]:
    """Each degraded stage and why, but for searches that are set to go by words."""
    for span in trial.spans:
        reason = str(span.attributes.get("degraded", WITHOUT_EMBEDDER))
        if reason != WITHOUT_EMBEDDER:
            yield span.stage, reason


def _who(reason: str) -> str:
    return _VECTORS if _VECTORS in reason else reason.rpartition("-")[0]


def _plain(stage: str, reason: str) -> str:
    who, _, what = reason.rpartition("-")
    if _VECTORS in reason:
        return "vectors missing"
    if not who:
        return f"{stage} fell back ({reason})"
    return f"the {plain_name(who)} {'was too slow' if what == 'slow' else what}"
