"""A golden transcript: one conversation as a YAML file says it, checked before it is held.

about           what the conversation shows, in a sentence
documents       leaflets: names of sample leaflets, or `all`; texts: documents written out here, each with its title,
                text, and where they matter url and collection (`public` unless said)
search          words (the default) or meaning, which needs the local model
tables          samples, where the two sample tables are to answer; every kind, where those of `tests.golden.lookups`
model           none (the default: answers are extracts) or claude, played by a double
replay          how many tokens of earlier exchanges the model is given; left out, as many as by default
talk            the turns, one after another
never_sent      words that the model must not have been sent, in any turn
written_down    nothing: not one row may stand in the memory file at the end

A turn: who writes (`member:`, `colleague:` or `guest:`, with the message), in which `thread` (one unless said), how
many times the platform delivers the message (`delivered`), what the `model` does when it is asked, which words it must
have been sent (`sent`) or not (`not_sent`), and the one `reply` that must come. The model is asked for each step of its
script and no more:

rewrites        the follow-up as a question that stands alone
supposes        a made-up passage, which only a search by meaning asks for
proposes        a look-up by its name, empty for none, `with` arguments
answers         sentences; each `says` something and `quotes` a stretch of a passage, which it names rightly, unless
                `passage` gives another name
lacks           the model says that this is missing
writes          any text, in no form
refuses, times out, is overloaded

A reply: its `kind`; the exact `text` of the answer; what can be seen anywhere in it (`shows`) or nowhere (`never`), the
`sources` in order, as "title · where", their `links`, telephone numbers of `lines` that stand outside the answer, and
whether it is `private`. Without `remembered: false` it becomes one turn in memory, of that kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from adapters import samples
from memory.turn import TurnKind  # noqa: TC001 - pydantic needs it when the class is made
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from tests.golden.platforms import Writer

FOLDER = Path(__file__).parent


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _leaflets(names: list[str]) -> list[str]:
    known = sorted(path.name for path in samples.documents().iterdir())
    if names == ["all"]:
        return known
    if unknown := set(names) - set(known):
        msg = f"no such leaflet: {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        raise ValueError(msg)
    return names


Texts: TypeAlias = Annotated[list[str], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(_Part):
    """A document written out in the transcript."""

    title: str
    text: str
    url: str | None = None
    collection: str = PUBLIC


class Documents(_Part):
    """What stands in the index; nothing if both are left out."""

    leaflets: Annotated[list[str], BeforeValidator(_listed), AfterValidator(_leaflets)] = []
    texts: list[Text] = []


class Sentence(_Part):
    """One sentence of the model's draft."""

    says: str
    quotes: str
    passage: str | None = None


class Answers(_Part):
    """The model writes an answer."""

    answers: list[Sentence]


class Lacks(_Part):
    """The model says that the passages do not have it."""

    lacks: str


class Rewrites(_Part):
    """The model makes a follow-up stand alone."""

    rewrites: str


class Supposes(_Part):
    """The model makes a passage up for the search."""

    supposes: str


class Proposes(_Part):
    """The model proposes a look-up."""

    proposes: str
    given: Annotated[dict[str, str], Field(alias="with")] = {}


class Writes(_Part):
    """The model writes something in no form, each time it is asked."""

    writes: str


Step: TypeAlias = (
    Answers | Lacks | Rewrites | Supposes | Proposes | Writes | Literal["refuses", "times out", "is overloaded"]
)


class Reply(_Part):
    """What must come back."""

    kind: TurnKind | None = None
    text: str | None = None
    shows: Texts = []
    never: Texts = []
    sources: list[str] | None = None
    links: list[str] | None = None
    lines: Texts = []
    private: bool = False
    remembered: bool = True

    @model_validator(mode="after")
    def _kind_is_seen_in_memory(self) -> Reply:
        if self.remembered is (self.kind is None):
            raise ValueError("a reply needs its kind, and one that is not remembered has none")
        return self


class Turn(_Part):
    """One message and its reply."""

    member: str | None = None
    colleague: str | None = None
    guest: str | None = None
    thread: str = "first"
    delivered: int = 1
    model: list[Step] = []
    sent: Texts = []
    not_sent: Texts = []
    reply: Reply

    @model_validator(mode="after")
    def _one_author(self) -> Turn:
        if len(self._written) != 1:
            raise ValueError("a turn is written by a member, by a colleague or by a guest")
        return self

    @property
    def by(self) -> Writer:
        """Who writes."""
        return next(iter(self._written))

    @property
    def text(self) -> str:
        """The message."""
        return self._written[self.by]

    @property
    def _written(self) -> dict[Writer, str]:
        given: dict[Writer, str | None] = {"member": self.member, "colleague": self.colleague, "guest": self.guest}
        return {writer: text for writer, text in given.items() if text is not None}


class Transcript(_Part):
    """A whole conversation, or several at once."""

    about: str
    documents: Documents = Documents()
    search: Literal["words", "meaning"] = "words"
    model: Literal["none", "claude"] = "none"
    tables: Literal["samples", "every kind"] | None = None
    replay: int | None = None
    talk: list[Turn]
    never_sent: Texts = []
    written_down: Literal["nothing"] | None = None

    @model_validator(mode="after")
    def _a_script_needs_a_model(self) -> Transcript:
        scripted = self.never_sent or any(turn.model or turn.sent or turn.not_sent for turn in self.talk)
        if self.model == "none" and scripted:
            raise ValueError("there is no model to play a script or to be sent anything: say `model: claude`")
        return self


def files() -> list[Path]:
    """Every transcript."""
    return sorted(FOLDER.glob("*.yaml"))


def read(file: Path) -> Transcript:
    """The transcript in a file. ValidationError names what is wrong in it."""
    return Transcript.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
