"""Small models as real files, for which every output can be worked out by hand: no weights, only a graph.

The score of a pair is the number of the question's words that the passage holds, upper case or lower. A vector counts a
text's words. Either can be made to fail at a word, as a model does whose tokenizer is not its own. ONNX is written
here as the protobuf messages that it is, with the few fields that a graph needs (onnx.proto3 gives their numbers): the
package that writes it would be needed for nothing else.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, TypeAlias

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Node: TypeAlias = "tuple[str, Sequence[str], str, dict[str, int]]"
"""The operator, what goes in, what comes out, and its settings, all of which are whole numbers here."""

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_FLOAT, _INT64 = 1, 7

_BEHIND_THE_FIRST_END: Sequence[Node] = (
    ("Equal", ["input_ids", "last_special"], "is_end", {}),
    ("Cast", ["is_end"], "end", {"to": _INT64}),
    ("CumSum", ["end", "axis_1"], "token_type_ids", {"exclusive": 1}),
)
_WORDS_IN_BOTH: Sequence[Node] = (
    ("Greater", ["input_ids", "last_special"], "is_word", {}),
    ("Cast", ["is_word"], "word", {"to": _FLOAT}),
    ("Cast", ["attention_mask"], "own", {"to": _FLOAT}),
    ("Cast", ["token_type_ids"], "second", {"to": _FLOAT}),
    ("Sub", ["one", "second"], "first", {}),
    ("Gather", ["ones", "input_ids"], "known", {}),
    ("Mul", ["word", "known"], "real", {}),
    ("Mul", ["real", "own"], "told", {}),
    ("Mul", ["told", "first"], "in_question", {}),
    ("Mul", ["told", "second"], "in_passage", {}),
    ("Unsqueeze", ["input_ids", "axis_1"], "across", {}),
    ("Unsqueeze", ["input_ids", "axis_2"], "down", {}),
    ("Equal", ["down", "across"], "is_same", {}),
    ("Cast", ["is_same"], "same", {"to": _FLOAT}),
    ("Unsqueeze", ["in_passage", "axis_2"], "passage_column", {}),
    ("MatMul", ["same", "passage_column"], "how_often", {}),
    ("Min", ["how_often", "one"], "held", {}),
    ("Unsqueeze", ["in_question", "axis_2"], "question_column", {}),
    ("Mul", ["held", "question_column"], "counted", {}),
    ("ReduceSum", ["counted", "axis_1"], "column", {"keepdims": 0}),
)
_ENDS: dict[int, Sequence[Node]] = {
    1: [("Identity", ["column"], "logits", {})],
    2: [("Neg", ["column"], "against", {}), ("Concat", ["against", "column"], "logits", {"axis": 1})],
    3: [("Concat", ["column", "column", "column"], "logits", {"axis": 1})],
}


def cross_encoder(
    folder: Path, *, knows: str, logits: int = 1, inputs: Sequence[str] = INPUTS, fails_at: str = ""
) -> Path:
    """Write one into `folder`, which knows the words of this text and takes any other for none.

    With two logits, their difference is twice the score. Without token types, the passage is what stands behind the
    first `[SEP]`. Further `inputs` lead nowhere.
    """
    tokenizer, known = _tokenizer(knows, fails_at)
    nodes = [*_WORDS_IN_BOTH, *_ENDS[logits]]
    if "token_type_ids" not in inputs:
        nodes = [*_BEHIND_THE_FIRST_END, *nodes]
    graph = [
        *(_field(1, _node(node)) for node in nodes),
        _field(2, "words in both"),
        _field(5, _constant("last_special", _INT64, struct.pack("<q", len(SPECIAL) - 1))),
        _field(5, _constant("axis_1", _INT64, struct.pack("<q", 1))),
        _field(5, _constant("axis_2", _INT64, struct.pack("<q", 2))),
        _field(5, _constant("one", _FLOAT, struct.pack("<f", 1.0))),
        _field(5, _constant("ones", _FLOAT, struct.pack("<f", 1.0) * known, known)),
        *(_field(11, _value(name, _INT64, ["batch", "tokens"])) for name in inputs),
        _field(12, _value("logits", _FLOAT, ["batch", "labels"])),
    ]
    return _written(folder, graph, tokenizer)


def encoder(folder: Path, *, knows: str, fails_at: str = "") -> Path:
    """Write one into `folder`, whose vectors have a direction for each word of this text and one for all others."""
    tokenizer, known = _tokenizer(knows, fails_at)
    rows = b"".join(struct.pack(f"<{known}f", *(float(at == row) for at in range(known))) for row in range(known))
    graph = [
        _field(1, _node(("Gather", ["rows", "input_ids"], "vectors", {}))),
        _field(2, "words counted"),
        _field(5, _constant("rows", _FLOAT, rows, known, known)),
        _field(11, _value("input_ids", _INT64, ["batch", "tokens"])),
        _field(12, _value("vectors", _FLOAT, ["batch", "tokens", "size"])),
    ]
    return _written(folder, graph, tokenizer)


def _written(folder: Path, graph: Sequence[bytes], tokenizer: Tokenizer) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    operators = _field(1, "") + _field(2, 17)
    (folder / "model.onnx").write_bytes(_field(1, 8) + _field(7, b"".join(graph)) + _field(8, operators))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer(knows: str, fails_at: str) -> tuple[Tokenizer, int]:
    """With how many of its tokens the model knows: all but the last, if there is a word to fail at."""
    words = re.findall(r"\w+", f"{knows} {fails_at}".lower())
    vocabulary = {token: at for at, token in enumerate(dict.fromkeys([*SPECIAL, *words]))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer, len(vocabulary) - bool(fails_at)


def _node(node: Node) -> bytes:
    operator, given, output, settings = node
    fields = [_field(1, name) for name in given] + [_field(2, output), _field(4, operator)]
    fields += [_field(5, _field(1, name) + _field(3, value) + _field(20, 2)) for name, value in settings.items()]
    return b"".join(fields)


def _constant(name: str, kind: int, raw: bytes, *sizes: int) -> bytes:
    """Numbers in an array of this shape, or a list of one number."""
    return b"".join(_field(1, size) for size in sizes or (1,)) + _field(2, kind) + _field(8, name) + _field(9, raw)


def _value(name: str, kind: int, sizes: Sequence[str]) -> bytes:
    """An input or output of the graph; sizes are names, since they differ from run to run."""
    shape = b"".join(_field(1, _field(2, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protobuf message: a whole number, a text, or another message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
