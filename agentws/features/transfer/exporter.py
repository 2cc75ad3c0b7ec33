"""export: writes the entries of the documents into a file or folder that other programs read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Literal

from agentws.core import Result
from agentws.core.disk import files
from agentws.core.formats import layout
from agentws.core.formats.documents import document
from agentws.core.formats.secrets import secrets
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DiskError, UsageError
from agentws.features.copies.transfer import temporary
from agentws.features.transfer.plan import records
from agentws.features.transfer.plan.records import Record

Format = Literal["markdown", "jsonl", "memfs"]


FORMATS: tuple[Format, ...] = ("markdown", "jsonl", "memfs")
_SUFFIXES: dict[str, Format] = {".md": "markdown", ".jsonl": "jsonl", "": "memfs"}
_GENERATED = (layout.DIGEST, layout.OLD_DIGEST)
_FOLDERS = (layout.DAYS, layout.TASKS)
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_ASIDE = ".agentws-export-"


@dataclass(slots=True, repr=False)
class Exported(Result):
    """The result of an export: the `path` that was written, its `format`, and how many `entries` of `files` it has.

    `secrets` were masked; `skipped` names files that could not be read.
    """

    path: str
    format: Format
    entries: int = 0
    files: int = 0
    secrets: int = 0
    skipped: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def export(stores: Stores, path: str, *, format: Format | None = None) -> Exported:
    """Write identity files, MEMORY.md, everything in `memory/`, and tasks to `path`, complete or not at all.

    The `format` is `jsonl` (docs/format/export.md, read by `import --from agentws`), `markdown` (one file) or `memfs`
    (a folder); by default that of the suffix. Secrets are masked. UsageError for another format, an existing path,
    or one in the workspace.
    """
    place = outside(stores.root, path)
    chosen = format or _SUFFIXES.get(os.path.splitext(place)[1])
    if chosen not in FORMATS:
        raise UsageError(f"{path}: unknown format.", hint=f"Add --format {', '.join(FORMATS)}.")
    if os.path.lexists(place):
        raise UsageError(f"{path} exists.", hint="Name a new file or folder.")
    result = Exported(place, chosen)
    folder, name = os.path.split(place)
    entries = _records(stores, result)
    with files.Failing(path):
        with beside(folder) as hidden:
            aside = f"{hidden}/{name}"
            if chosen == "memfs":
                _write_folder(aside, entries)
            else:
                agent = stores.manifest.name or "this workspace"
                texts = map(records.to_line, entries) if chosen == "jsonl" else records.to_markdown(entries, name=agent)
                _write_file(aside, texts)
            _put(aside, place)
        files.Outside(folder).sync_folder("")
    result.notices = list(stores.notices)
    return result


def outside(root: str, path: str) -> str:
    """Return the absolute place of an export. UsageError if it is in the workspace."""
    place = os.path.abspath(os.path.expanduser(path))
    if f"{os.path.realpath(place)}/".startswith(f"{os.path.realpath(root)}/"):
        raise UsageError(
            f"{path} is in the workspace: its text would count as the agent's own.",
            hint="Name a file or folder outside of the workspace.",
        )
    return place


@contextmanager
def beside(folder: str) -> Iterator[str]:
    """Make a hidden folder, and remove it at the end; those of killed exports go first."""
    os.stat(folder)
    path = temporary.folder(prefix=_ASIDE, within=folder)
    try:
        yield path
    finally:
        temporary.remove(path)


def replace(made: str, place: str) -> None:
    """Put a new folder in place of the one that may be there, which is at `made` or beside that afterwards."""
    if not os.path.lexists(place):
        os.rename(made, place)
    elif not _exchanged(made, place):
        os.rename(place, f"{made}.before")
        os.rename(made, place)


def _exchanged(made: str, place: str) -> bool:
    """Exchange two folders at once; return False if the system cannot."""
    import ctypes

    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    here = -100  # AT_FDCWD; both paths are absolute
    return bool(rename(here, os.fsencode(made), here, os.fsencode(place), _EXCHANGE) == 0)


def _records(stores: Stores, result: Exported) -> Iterator[Record]:
    for path in _paths(stores):
        try:
            page, _ = document.lenient(stores.files.read(path), where=path)
        except DiskError:
            raise
        except AgentwsError as error:
            result.skipped.append(path)
            stores.notices.append(error.message)
            continue
        result.files += 1
        for record in records.of_document(path, page):
            text, count = secrets.hide(record.text)
            result.secrets += count
            result.entries += 1
            yield records.Record(record.kind, record.at, record.origin, record.path, record.line, text)


def _paths(stores: Stores) -> Iterator[str]:
    yield from (path for path in layout.AGENT_FILES if stores.files.exists(path))
    for folder in _FOLDERS:
        yield from (path for path in _below(stores, folder) if path not in _GENERATED)


def _below(stores: Stores, folder: str) -> Iterator[str]:
    names = stores.files.names(folder)
    yield from (f"{folder}/{name}" for name in layout.markdown_files([name for name, kind in names if kind == "file"]))
    for name, kind in names:
        if kind == "folder" and not name.startswith("."):
            yield from _below(stores, f"{folder}/{name}")


def _write_file(aside: str, texts: Iterable[str]) -> None:
    """Write a new file durably, for its owner alone."""
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(texts)
        file.flush()
        files.sync(file.fileno())


def _write_folder(aside: str, entries: Iterator[Record]) -> None:
    os.mkdir(aside, 0o700)
    for name, parts in groupby(records.to_memfs(entries), key=itemgetter(0)):
        path = f"{aside}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write_file(path, (text for _, text in parts))


def _put(aside: str, place: str) -> None:
    """Move a complete file or folder to its place; OSError if another one is there."""
    if os.path.isdir(aside):
        os.rename(aside, place)
        return
    try:
        os.link(aside, place)
    except OSError as error:
        if error.errno not in files.NO_LINKS:
            raise
        os.rename(aside, place)
