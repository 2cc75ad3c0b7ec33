"""Vectors of texts, kept in a folder by what they are made of, for tools that train: each text is embedded once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads than idle cores are slower than one

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentws.features.search.plan import similarity

AT_ONCE = 2_000
"""How many pieces of words a batch has, about."""


class Vectors:
    """What is known in `folder`; what is not is made when it is asked for, and kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = {}
        self._model = None
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as kept:
                self._known.update(zip(kept["keys"].tolist(), kept["rows"], strict=True))

    def of(self, texts):
        """Return a row for each text."""
        wanted = {similarity.key(text): similarity.text(text) for text in texts}
        lacking = [key for key in wanted if key not in self._known]
        if lacking:
            self._make({key: wanted[key] for key in lacking})
        return np.array([self._known[similarity.key(text)] for text in texts], dtype="f4")

    def _make(self, texts):
        from agentws.features.search.vectors.minilm import MiniLM

        self._model = self._model or MiniLM()
        keys = sorted(texts, key=lambda key: len(texts[key]))
        rows, batch, size = [], [], 0
        for at, key in enumerate(keys, 1):
            batch.append(texts[key])
            size += len(texts[key]) // 4 + 2
            if size > AT_ONCE or at == len(keys):
                rows.append(self._model.embed(batch).astype("f2"))
                batch, size = [], 0
        made = np.concatenate(rows)
        np.savez(self._folder / f"{keys[0]}-{len(keys)}.npz", keys=np.array(keys), rows=made)
        self._known.update(zip(keys, made, strict=True))
