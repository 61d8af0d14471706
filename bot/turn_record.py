"""A finished turn for those who watch: what each stage did and how it ended, in counts; in words only where allowed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.answer import Ungrounded
from bot.safety import Clear
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.answer import Answer
    from bot.messages import IncomingMessage, Reply
    from bot.safety import SafetyVerdict
    from bot.trace import Attribute, Span, Trace
    from bot.verify import Verified
    from retrieval.evidence import Evidence


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One stage. Times are in milliseconds, `began` from the beginning of the turn."""

    name: str
    began: float
    milliseconds: float
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn. `at` is the aware time of its end; `declined` says why nothing was answered, empty where it was.

    A guest's turn, and that of someone who may be in danger, holds no words, whatever is allowed.
    """

    trace_id: str
    at: datetime
    platform: str
    guest: bool
    kind: TurnKind
    verdict: str
    milliseconds: float
    stages: tuple[StageRecord, ...]
    confidence: float | None = None
    declined: str = ""
    spent: Mapping[str, Attribute] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)

    def without_words(self) -> TurnRecord:
        """The same in counts alone."""
        return replace(self, words={}, stages=tuple(replace(stage, words={}) for stage in self.stages))

    def as_json(self) -> dict[str, Any]:
        """As `citewell traces --json` prints it; the names are stable. What is empty is left out."""
        stages = [
            {"stage": one.name, "began": round(one.began, 2), "milliseconds": round(one.milliseconds, 2)}
            | ({"attributes": dict(one.attributes)} if one.attributes else {})
            | ({"words": dict(one.words)} if one.words else {})
            for one in self.stages
        ]
        record: dict[str, Any] = {
            "trace_id": self.trace_id,
            "at": self.at.isoformat(),
            "platform": self.platform,
            "guest": self.guest,
            "kind": self.kind.value,
            "verdict": self.verdict,
            "milliseconds": round(self.milliseconds, 2),
            "stages": stages,
        }
        more = {"confidence": self.confidence, "declined": self.declined, "spent": dict(self.spent)}
        return record | {name: value for name, value in (more | {"words": dict(self.words)}).items() if value}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> TurnRecord:
        """What `as_json` wrote. ValueError, KeyError or TypeError for anything else."""
        stages = tuple(
            StageRecord(
                one["stage"], one["began"], one["milliseconds"], one.get("attributes", {}), one.get("words", {})
            )
            for one in given["stages"]
        )
        return cls(
            trace_id=given["trace_id"],
            at=datetime.fromisoformat(given["at"]),
            platform=given["platform"],
            guest=given["guest"],
            kind=TurnKind(given["kind"]),
            verdict=given["verdict"],
            milliseconds=given["milliseconds"],
            stages=stages,
            confidence=given.get("confidence"),
            declined=given.get("declined", ""),
            spent=given.get("spent", {}),
            words=given.get("words", {}),
        )


def turn_record(
    trace: Trace, message: IncomingMessage, reply: Reply, verdict: SafetyVerdict, at: datetime
) -> TurnRecord:
    """The record of a turn that has ended."""
    wordless = not trace.keeps_words or message.author.guest or reply.private or not isinstance(verdict, Clear)
    return TurnRecord(
        trace_id=trace.id,
        at=at,
        platform=message.conversation.platform,
        guest=message.author.guest,
        kind=reply.kind,
        verdict=type(verdict).__name__,
        milliseconds=trace.milliseconds,
        stages=tuple(
            StageRecord(span.stage, span.began, span.milliseconds, span.attributes, {} if wordless else span.words)
            for span in sorted(trace.spans, key=lambda span: span.began)
        ),
        confidence=reply.confidence,
        declined=_declined(trace.spans) if reply.kind is TurnKind.UNGROUNDED else "",
        spent=trace.spent,
        words={} if wordless else {"question": message.text, "reply": reply.text},
    )


def found_counts(evidence: Evidence, thresholds: tuple[float, float]) -> dict[str, Attribute]:
    """What a search found, in numbers: its grade and the thresholds it was given by, and where each hit stood before
    reranking, in the order of after.
    """
    found: dict[str, Attribute] = {
        "grade": evidence.grade.value,
        "best": round(evidence.best, 3),
        "evidence_threshold": round(thresholds[0], 3),
        "confident_threshold": round(thresholds[1], 3),
        "hits": len(evidence.hits),
    }
    if evidence.hits:
        found["found_by_both"] = sum(len(hit.found_by) > 1 for hit in evidence.hits)
        found["ranks_before"] = ",".join(str(hit.rank_before_rerank) for hit in evidence.hits)
    return found


def checked_words(draft: Answer, verified: Verified) -> dict[str, Any]:
    """What the check was given, sentence by sentence, and which it kept."""
    if isinstance(draft, Ungrounded):
        return {"missing": draft.missing}
    sentences = [asdict(sentence) for sentence in draft.sentences]
    return {"draft": sentences, "kept": [statement.text for statement in verified.statements]}


def _declined(spans: list[Span]) -> str:
    """Why a question had no answer: what the last stage that looked at it found."""
    last = {span.stage: span.attributes for span in spans}
    if verified := last.get("verify"):
        return "check dropped every sentence" if verified.get("dropped") else "answerer found none"
    found = last.get("retrieval", {})
    return "weak evidence" if found.get("hits") else "nothing found"
