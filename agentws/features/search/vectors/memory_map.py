"""The built-in vector store: one file mapped into memory, a byte for each number, searched as a whole.

The file has a head, then appended records of one size; the next writer cuts off a record that a kill left incomplete.
A vector is returned only if its checksum is right. A file of JSON lines beside it holds the metadata of the vectors.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Collection, Iterable, Mapping
from math import isnan
from typing import Any

import numpy as np

from agentws.core.disk import cache, files
from agentws.core.formats.json import plainjson
from agentws.core.ports import VectorRecord
from agentws.features.search.vectors import numbers

_MAGIC = b"agentws vectors 1\n"
_HEAD_BYTES = 32
_ROWS_AT_ONCE = 8_192
_LARGEST_SIZE = 1 << 14
_MOST_RECORDS = 1 << 22
"""No workspace has so many different texts: a file with more records is not used."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class MemoryMap:
    """A vector store: the memory-mapped file `name` in a folder of this user."""

    def __init__(self, folder: str, name: str) -> None:
        self._folder = folder
        self._name = name
        self.path = f"{folder}/{name}"
        self._rows = self._opened()
        self._places: dict[bytes, int] | None = None

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the file."""
        return {key.hex() for key in self._at}

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Append vectors to the file; those with known keys are left out."""
        known = self._at
        added = {key: (vector, fields) for key, vector, fields in vectors if bytes.fromhex(key) not in known}
        if added:
            self._append(added)
            self._rows, self._places = self._opened(), None

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors in the file, the nearest first."""
        if self._rows is None or not len(self._rows):
            return []
        numbers.check_size(len(vector), kept=self._size)
        scores = self._scores(_unit(vector))
        some = np.argpartition(-scores, min(count, len(scores)) - 1)[:count]
        ordered = some[np.lexsort((some, -scores[some]))]
        return [(self._key(at), float(scores[at])) for at in ordered.tolist() if self._holds(at)]

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys; keys that the file lacks are left out."""
        pairs = [(key, at) for key in keys if (at := self._at.get(bytes.fromhex(key))) is not None and self._holds(at)]
        if self._rows is None or not pairs:
            return {}
        numbers.check_size(len(vector), kept=self._size)
        rows = self._rows[[at for _, at in pairs]]
        scores = rows["vector"].astype("f4") @ _unit(vector) * rows["scale"]
        return {key: _clipped(score) for (key, _), score in zip(pairs, scores.tolist(), strict=True)}

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata in the JSON lines for these keys: source, time and headings."""
        return {key: fields for key, fields in self._metadata_rows() if key in keys}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these by rewriting the file; return how many were removed."""
        if self._rows is None:
            self.destroy()  # a file that cannot be relied on
            return 0
        stays = [at for at in range(len(self._rows)) if self._key(at) in keys and self._holds(at)]
        count = len(self._rows) - len(stays)
        self._keep_told(keys)
        if count:
            rows = self._rows[stays].tobytes()
            head = _head(self._size)
            cache.write_file(self._folder, self._name, head + rows)
            self._rows, self._places = self._opened(), None
        return count

    def _keep_told(self, keys: Collection[str]) -> None:
        """Keep one line of metadata for each of these keys, the newest, and remove all other lines."""
        try:
            with open(f"{self.path}.jsonl", "rb") as file:
                before = file.read()
        except FileNotFoundError:
            before = b""
        data = "".join(f"{plainjson.dumps([key, fields])}\n" for key, fields in self.metadata(keys).items()).encode()
        if data != before:
            cache.write_file(self._folder, f"{self._name}.jsonl", data)

    def destroy(self) -> None:
        """Remove the file of vectors and its JSON lines."""
        self._rows, self._places = None, None
        for path in (self.path, f"{self.path}.jsonl"):
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass

    def close(self) -> None:
        """Drop the memory map; no file is held open."""
        self._rows, self._places = None, None

    @property
    def _size(self) -> int:
        """Return how many numbers each vector has."""
        return int(self._rows.dtype["vector"].shape[0])

    @property
    def _at(self) -> dict[bytes, int]:
        """Return the record number of each key."""
        if self._places is None:
            keys = () if self._rows is None else self._rows["key"].tolist()
            self._places = {key.ljust(16, b"\0"): at for at, key in enumerate(keys)}
        return self._places

    def _opened(self) -> Any:
        """Return the complete records; None if the file is missing or cannot be relied on."""
        try:
            status = os.lstat(self.path)
            is_ours = stat.S_ISREG(status.st_mode) and not status.st_mode & 0o077 and status.st_uid == os.geteuid()
            if not is_ours or status.st_size < _HEAD_BYTES:
                return None
            with open(self.path, "rb") as file:
                size = _size(file.read(_HEAD_BYTES))
        except OSError:
            return None
        kind = _record(size) if size else None
        if kind is None:
            return None
        count = (status.st_size - _HEAD_BYTES) // kind.itemsize
        if count > _MOST_RECORDS:
            return None
        return np.memmap(self.path, kind, "r", _HEAD_BYTES, (count,)) if count else np.zeros(0, kind)

    def _append(self, added: Mapping[str, tuple[Any, Mapping[str, str]]]) -> None:
        vectors = np.array([_unit(vector) for vector, _ in added.values()], dtype="f4")
        kind = _record(vectors.shape[1])
        if self._rows is not None:
            numbers.check_size(vectors.shape[1], kept=self._size)
        rows = np.zeros(len(added), kind)
        rows["key"] = [bytes.fromhex(key) for key in added]
        scale = np.maximum(np.abs(vectors).max(axis=1), 1e-9) / 127
        rows["scale"], rows["vector"] = scale, np.rint(vectors / scale[:, None])
        rows["check"] = [_checksum(row) for row in rows]
        if self._rows is None:
            self.destroy()  # a file that cannot be relied on
            cache.write_file(self._folder, self._name, _head(vectors.shape[1]))
        lines = "".join(f"{plainjson.dumps([key, dict(fields)])}\n" for key, (_, fields) in added.items())
        _write(f"{self.path}.jsonl", lines.encode(), None)
        _write(self.path, rows.tobytes(), (kind.itemsize, _HEAD_BYTES))

    def _scores(self, vector: Any) -> Any:
        scores = np.empty(len(self._rows), "f4")
        for at in range(0, len(scores), _ROWS_AT_ONCE):
            rows = self._rows[at : at + _ROWS_AT_ONCE]
            scores[at : at + _ROWS_AT_ONCE] = rows["vector"].astype("f4") @ vector * rows["scale"]
        return np.clip(np.nan_to_num(scores, nan=-1.0), -1.0, 1.0)

    def _key(self, at: int) -> str:
        return bytes(self._rows[at]["key"]).ljust(16, b"\0").hex()

    def _holds(self, at: int) -> bool:
        row = self._rows[at]
        return bool(_checksum(row) == row["check"])

    def _metadata_rows(self) -> Iterable[tuple[str, Mapping[str, str]]]:
        try:
            with open(f"{self.path}.jsonl", "rb") as lines:
                for line in lines:
                    try:
                        key, value = plainjson.loads(line)
                    except (ValueError, TypeError):
                        continue  # cut off in the middle
                    if isinstance(key, str) and isinstance(value, dict):
                        yield key, value
        except FileNotFoundError:
            return


def _record(size: int) -> Any:
    return np.dtype([("key", "S16"), ("check", "<u4"), ("scale", "<f4"), ("vector", "i1", (size,))])


def _checksum(row: Any) -> int:
    return zlib.crc32(bytes(row["key"]) + row["scale"].tobytes() + row["vector"].tobytes())


def _unit(vector: Any) -> Any:
    result = np.asarray(vector, dtype="f4")
    return result / max(float(np.linalg.norm(result)), 1e-9)


def _clipped(score: float) -> float:
    return -1.0 if isnan(score) else max(-1.0, min(1.0, score))


def _head(size: int) -> bytes:
    return (_MAGIC + size.to_bytes(4, "little")).ljust(_HEAD_BYTES, b"\0")


def _size(head: bytes) -> int:
    """Return how many numbers a vector has by the file's head, 0 if the head is not that of a vector file."""
    size = int.from_bytes(head[len(_MAGIC) : len(_MAGIC) + 4], "little")
    return size if head.startswith(_MAGIC) and 0 < size <= _LARGEST_SIZE else 0


def _write(path: str, data: bytes, records: tuple[int, int] | None) -> None:
    """Append to a file; an incomplete record at its end is cut off first."""
    fd = os.open(path, _APPEND, 0o600)
    try:
        if records:
            each, head = records
            size = os.fstat(fd).st_size
            os.ftruncate(fd, head + (size - head) // each * each)
        files.write_all(fd, data)
    finally:
        os.close(fd)
