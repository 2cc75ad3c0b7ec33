"""artifact: files by their digest: learned weights, embeddings, other large files.

The content is `artifacts/<SHA-256>`, which git history leaves out; the table `data/artifacts.jsonl` names it there.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from agentws.core import Result
from agentws.core.disk import dir_cache, files as _files
from agentws.core.formats import layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.secrets import secrets
from agentws.core.stores.stores import Stores
from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, UsageError
from agentws.features.data import row_log
from agentws.features.data.tables import ARTIFACTS

_PIECE_BYTES = 1 << 20
_MOST_SEARCHED_BYTES = 1 << 24
_LEAST_DIGITS = 8
_IGNORED = f"{layout.ARTIFACTS}/.gitignore"


class Artifact(Result):
    """A file kept under a name: its SHA-256 `digest`, size, the time it was added, a note; `path` is the content.

    `is_here` is False if this copy of the workspace lacks the content: sync does not carry it.
    """

    __slots__ = ("at", "bytes", "digest", "is_here", "name", "note", "notices", "path")

    def __init__(self, row: dict[str, object], *, is_here: bool, notices: list[str]) -> None:
        self.name = str(row.get("id", ""))
        self.digest = str(row.get("digest", ""))
        size = row.get("bytes")
        self.bytes = size if isinstance(size, int) else 0
        self.at = str(row.get("at", ""))
        self.note = str(row.get("note", ""))
        self.path = f"{layout.ARTIFACTS}/{self.digest}"
        self.is_here = is_here
        self.notices = notices


@dataclass(slots=True, repr=False)
class Artifacts(Result):
    """The artifacts, the newest of each name."""

    artifacts: list[Artifact]
    notices: list[str]


def add(stores: Stores, file: str, *, name: str | None = None, note: str = "") -> Artifact:
    """Keep a copy of a file, durably, under a name (default: its own). The newest under a name counts.

    MissingFileError if it cannot be read, SecretRefusedError or ForgottenError if its name, or the first 16 MiB of its
    text, has a secret or forgotten text.
    """
    stores.check_writable()
    name = os.path.basename(file) if name is None else name
    if not name.strip() or not name.isprintable():
        raise UsageError(f"{name!r} cannot be the name of an artifact.", hint="Give one in printable letters: --name")
    secrets.refuse(name, note)
    stores.refuse_forgotten(name, note)
    try:
        with open(file, "rb") as source:
            digest, size = _digest_of(source)
            _check_text(stores, source, size)
            path = f"{layout.ARTIFACTS}/{digest}"
            if not _is_sound(stores, path, digest):
                _copy_in(stores, source, digest)
    except OSError as error:
        raise MissingFileError(f"{file} cannot be read: {error.strerror}.") from error
    log = row_log.rows(stores, ARTIFACTS)
    row: dict[str, object] = {"id": name, "digest": digest, "bytes": size, "at": stores.now_text()}
    row |= {"note": note} if note else {}
    with log.locked():
        newest = _newest(stores).get(name, {})
        if (newest.get("digest"), newest.get("note", "")) == (digest, note):
            row = newest
        else:
            log.append(row)
    stores.record("artifact add")
    return Artifact(row, is_here=True, notices=stores.notices)


def list_artifacts(stores: Stores) -> Artifacts:
    """Return the artifacts, the newest of each name, by name."""
    rows = sorted(_newest(stores).items())
    return Artifacts([_known(stores, row) for _, row in rows], stores.notices)


def open_artifact(stores: Stores, name: str) -> BinaryIO:
    """Open an artifact by its name, or the beginning of its digest, for reading; its content was verified.

    MissingFileError if it or its content is missing, DamagedError if that differs from the added file.
    """
    artifact = find(stores, name)
    try:
        file = os.fdopen(stores.files.open(artifact.path), "rb")
    except FileNotFoundError as error:
        raise MissingFileError(
            f"{artifact.path}: the content of {artifact.name!r} is not in this copy of the workspace.",
            hint="Restore it from a backup, or copy the file from the machine on which it was added.",
        ) from error
    if _digest_of(file)[0] != artifact.digest:
        file.close()
        raise DamagedError(
            f"{artifact.path}: the content of {artifact.name!r} is damaged.",
            hint=f"Restore it from a backup, or add the file again: agentws artifact add FILE --name {artifact.name}",
        )
    return file


def get(stores: Stores, name: str, to: str) -> Artifact:
    """Write an artifact to a new file, verified. Errors as for `open`; ChangedUnderneathError if the file exists."""
    with open_artifact(stores, name) as file:
        try:
            with open(to, "xb") as target:
                try:
                    _copy(file, target.write)
                    target.flush()
                except BaseException:
                    os.unlink(to)
                    raise
        except FileExistsError as error:
            raise ChangedUnderneathError(f"{to}: already exists.", hint="Give another name.") from error
        except OSError as error:
            raise _files.failure(error, to) from error
    return find(stores, name)


def find(stores: Stores, name: str) -> Artifact:
    """Return the newest artifact with a name, or that whose digest begins so; MissingFileError for an unknown name."""
    row = _newest(stores).get(name)
    if row is None and len(name) >= _LEAST_DIGITS:
        rows = {str(row["digest"]): row for row in _rows(stores) if str(row.get("digest", "")).startswith(name)}
        row = next(iter(rows.values())) if len(rows) == 1 else None
    if row is None:
        raise MissingFileError(f"There is no artifact {name!r}.", hint="List the artifacts: agentws artifact list")
    return _known(stores, row)


def _known(stores: Stores, row: dict[str, object]) -> Artifact:
    is_here = stores.files.exists(f"{layout.ARTIFACTS}/{row.get('digest')}")
    return Artifact(row, is_here=is_here, notices=stores.notices)


def _rows(stores: Stores) -> list[dict[str, object]]:
    return [row for _, row in row_log.rows(stores, ARTIFACTS).read()]


def _newest(stores: Stores) -> dict[str, dict[str, object]]:
    return {str(row["id"]): row for row in _rows(stores) if "id" in row and "digest" in row}


def _digest_of(file: BinaryIO) -> tuple[str, int]:
    """Return SHA-256 and size of a file, which is at its beginning again."""
    made = hashlib.sha256()
    size = _copy(file, made.update)
    file.seek(0)
    return made.hexdigest(), size


def _copy(file: BinaryIO, take: Callable[[bytes], object]) -> int:
    size = 0
    while piece := file.read(_PIECE_BYTES):
        take(piece)
        size += len(piece)
    return size


def _check_text(stores: Stores, file: BinaryIO, size: int) -> None:
    """Raise an error if a text has a secret or forgotten text; a notice names a text that is too long to search."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(file.read(_MOST_SEARCHED_BYTES))
    except UnicodeDecodeError:
        text = ""
    secrets.refuse(text)
    stores.refuse_forgotten(text)
    if text and size > _MOST_SEARCHED_BYTES:
        stores.notices.append("Only the first 16 MiB of this text were searched for secrets.")
    file.seek(0)


def _is_sound(stores: Stores, path: str, digest: str) -> bool:
    return stores.files.exists(path) and stores.files.digest(path) == digest


def _copy_in(stores: Stores, source: BinaryIO, digest: str) -> None:
    """Copy a file to its place, durably, all or nothing."""
    new = f".{digest}.agentws-new"
    stores.files.make_folder(layout.ARTIFACTS)
    if stores.files.is_missing(_IGNORED):
        stores.files.replace(_IGNORED, b"*\n", expects=ABSENT)
    held = dir_cache.Held(stores.root)
    try:
        fd = stores.files.open(f"{layout.ARTIFACTS}/{new}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        made = hashlib.sha256()

        def take(piece: bytes) -> None:
            made.update(piece)
            _files.write_all(fd, piece)

        try:
            _copy(source, take)
            _files.sync(fd)
        finally:
            os.close(fd)
        folder = held.folder(layout.ARTIFACTS)
        if made.hexdigest() != digest:
            os.unlink(new, dir_fd=folder)
            raise ChangedUnderneathError("The file changed while it was read.", hint="Re-run the command.")
        os.rename(new, digest, src_dir_fd=folder, dst_dir_fd=folder)
        _files.sync(folder)
    except OSError as error:
        raise _files.failure(error, f"{layout.ARTIFACTS}/{digest}") from error
    finally:
        held.close()
