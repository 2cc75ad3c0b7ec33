"""Leftover files beside the journal's segments and blobs, which no reader uses.

Versions saved during an edit, files left by a killed process, and blobs that no line names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from agentws.core.disk import content, lock
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.core.formats.journal import packed, segment
from agentws.core.journal import read, unpacked
from agentws.core.journal.sealing import purge
from agentws.errors import AgentwsError, ChangedUnderneathError, MissingFileError

_GZIP = b"\x1f\x8b"
_SAVED = ".jsonl.edited-meanwhile-"
_NEW = ".agentws-new"
_BLOBS = "blobs"


def holding(
    files: Files, blobs: Collection[tuple[str, str]], is_wanted: Callable[[bytes], bool]
) -> tuple[list[str], list[str]]:
    """Return the leftover files with matches, and notices for those that cannot be read; `blobs` are the (writer, name)
    that a line names.
    """
    names, unread = [], []
    for path in _beside(files, blobs):
        try:
            if any(map(is_wanted, _pieces(files, path))):
                names.append(path)
        except MissingFileError:
            continue  # its writer has just put it in place
        except (AgentwsError, ValueError) as error:
            unread.append(f"Not searched: {path}: {error}")
    return names, unread


def forget(files: Files, paths: Collection[str], strike: Callable[[bytes], bytes]) -> None:
    """Remove matches from leftover files: lines of a saved plain version are struck, other files are removed."""
    blobs = [path for path in paths if f"/{_BLOBS}/" in path]
    for writer in {path.split("/")[1] for path in blobs}:
        purge.sweep(files, writer)  # one that is about to be named stays
    for path in (path for path in paths if path not in blobs):
        with lock.Lock(files, lock.APPEND):
            try:
                if _SAVED in path:
                    data = files.read(path)
                    files.replace(path, strike(data), expects=digest.of(data))
                else:
                    files.remove(path, expects=files.digest(path))
            except (MissingFileError, ChangedUnderneathError):
                continue  # it is found again by the next run


def sweep(files: Files, writer: str) -> None:
    """Remove the unfinished next segment of a writer that a killed process has left."""
    if not _begun(files, writer):
        return
    with lock.Lock(files, lock.APPEND):
        for path in _begun(files, writer):  # those that are still there belong to nobody who lives
            files.remove(path, expects=files.digest(path))


def _begun(files: Files, writer: str) -> list[str]:
    folder = segment.packed_folder(writer).rpartition("/")[0]
    names = (name for name in files.unsorted(folder) if name.endswith(_NEW))
    return [f"{folder}/{name}" for name in names if segment.number_of(name[1:].removesuffix(_NEW)) is not None]


def _beside(files: Files, blobs: Collection[tuple[str, str]]) -> Iterator[str]:
    for writer in read.writers(files):
        folder = segment.packed_folder(writer).rpartition("/")[0]
        yield from _others(files, folder, lambda name: segment.number_of(name) is not None)
        yield from _others(
            files, segment.packed_folder(writer), lambda name: segment.packed_number_of(name) is not None
        )
        named = {name for by, name in blobs if by == writer}
        yield from _others(files, segment.blob_path(writer, "")[:-1], named.__contains__)


def _others(files: Files, folder: str, is_ours: Callable[[str], bool]) -> Iterator[str]:
    return (f"{folder}/{name}" for name, kind in files.names(folder) if kind == "file" and not is_ours(name))


def _pieces(files: Files, path: str) -> Iterator[bytes]:
    if files.part(path, len(_GZIP))[0] == _GZIP:
        yield packed.unpack(files.read(path, limit_bytes=unpacked.MOST_PACKED_BYTES), unpacked.MOST_BYTES)
    else:
        yield from content.pieces(files, path)
