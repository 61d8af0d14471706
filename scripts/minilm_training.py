"""The local model in JAX, for training alone: `scripts/fit_meaning.py` tunes it, `bot/safety_meaning.py` runs it.

It computes what the graph of the installed model computes; `fit_meaning` holds the two against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from retrieval.minilm import FIRST_NORM, HEADS, KINDS, LAYER_TENSORS, LAYERS, POSITIONS, WIDTH, WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tensors: TypeAlias = dict[str, jax.Array]

DROPPED = 0.1
"""The share of values that training leaves out at random."""


class Encoder:
    """The frozen embeddings of the model; its layers are given with each call."""

    def __init__(self, own: dict[str, NDArray[np.float32]]) -> None:
        self._words, self._positions = jnp.asarray(own[WORDS]), jnp.asarray(own[POSITIONS])
        self._kind = jnp.asarray(own[KINDS][0])
        self._norm = tuple(jnp.asarray(own[f"{FIRST_NORM}.{part}"]) for part in ("weight", "bias"))

    def __call__(self, layers: Tensors, ids: jax.Array, mask: jax.Array, key: jax.Array | None = None) -> jax.Array:
        """The mean token vector of each row; with a key, some values are dropped as in training."""
        bias = jnp.where(mask, 0.0, -1e9)[:, None, None, :]
        hidden = _normed(self._words[ids] + self._positions[: ids.shape[1]] + self._kind, *self._norm)
        keys = [None] * (LAYERS + 1) if key is None else list(jax.random.split(key, LAYERS + 1))
        for number in range(LAYERS):
            prefix = f"model.layers.{number}."
            own = {name.removeprefix(prefix): layers[name] for name in LAYER_TENSORS if name.startswith(prefix)}
            hidden = _layer(hidden, bias, own, keys[number])
        weights = mask[..., None].astype(jnp.float32)
        return _dropped((hidden * weights).sum(1) / weights.sum(1), keys[-1])


def _layer(hidden: jax.Array, bias: jax.Array, own: Tensors, key: jax.Array | None) -> jax.Array:
    first, second, third = [None] * 3 if key is None else jax.random.split(key, 3)

    def linear(x: jax.Array, name: str) -> jax.Array:
        return x @ own[f"{name}.MatMul.weight"] + own[f"{name}.Add.bias"]

    def normed(x: jax.Array, name: str) -> jax.Array:
        return _normed(x, own[f"{name}_norm_layernorm.weight"], own[f"{name}_norm_layernorm.bias"])

    rows, length, _ = hidden.shape
    query, key_, value = (
        linear(hidden, f"attn.{part}_proj").reshape(rows, length, HEADS, -1).transpose(0, 2, 1, 3) for part in "qkv"
    )
    attention = jax.nn.softmax(query @ key_.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + bias, -1)
    seen = (_dropped(attention, first) @ value).transpose(0, 2, 1, 3).reshape(rows, length, WIDTH)
    hidden = normed(hidden + _dropped(linear(seen, "attn.o_proj"), second), "attention_output")
    inner = jax.nn.gelu(linear(hidden, "mlp.fc1"), approximate=False)
    return normed(hidden + _dropped(linear(inner, "mlp.fc2"), third), "mlp_output")


def _normed(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight + bias


def _dropped(x: jax.Array, key: jax.Array | None) -> jax.Array:
    if key is None:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - DROPPED, x.shape), x / (1 - DROPPED), 0)
