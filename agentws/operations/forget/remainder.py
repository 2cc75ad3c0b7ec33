"""Where the words live on when all is done here: what is not ours to change, and what lies elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.planning.forget import strike
from agentws.storage.disk import content, local_dir
from agentws.storage.disk.files import DOCUMENT_LIMIT_BYTES
from agentws.storage.git import grep_history
from agentws.storage.inspect import scan

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.operations.forget import documents, events
    from agentws.planning.forget.wanted import Wanted
    from agentws.storage.git.grep_history import Past
    from agentws.storage.workspace.stores import Stores

_MOST_NAMED = 8
_MOST_BYTES = 8 << 20
"""Of larger files no lines are named."""
_LOCK = ".lock"
"""What a lock says of its holder is written anew by the next one."""
_NOT_OURS = (f"{layout.JOURNAL}/", f"{local_dir.UNDO}/", f"{local_dir.QUARANTINE}/")
_NO_DOCUMENT = "not a document: edit it yourself"
ELSEWHERE = (
    "Other copies keep their words until it is forgotten there too: backups, clones, other machines.",
    "The programs that run the agent keep records of their own, and one that ran this command may have kept its words.",
)


NOT_LOOKED_FOR = (
    "Not looked for: what is compressed, encrypted or in base64; images, sound and office files; other spellings.",
)


@dataclass(frozen=True, slots=True)
class Left:
    """A `place` to look at, and why; `holds` tells that it keeps what was to be forgotten."""

    place: str
    why: str
    holds: bool = True


def here(stores: Stores, wanted: Wanted, found: documents.Found, said: events.Found) -> list[Left]:
    """What this workspace keeps of it, and what to look at by hand. What was not searched is noted in `found`."""
    seen = scan.look(stores.files)
    found.unread += [
        f"Not looked at: {path} is no regular file."
        for path, one in sorted(seen.entries.items())
        if one.kind == scan.OTHER and layout.is_document(path)
    ]
    if seen.cut:
        found.unsearched.append("There are very many files: not all of those that are no documents were searched.")
    left = [Left(path, "its name holds it: rename it, and whatever refers to it") for path in _names(wanted, seen)]
    left += [Left(path, "too large to be changed: split it") for path, holds in found.large.items() if holds]
    left += _others(stores, wanted, seen, found.looked)
    left += [Left(cursor, what) for cursor, what in said.kept]
    left += [
        Left(f"{path}:{line}", "a heading that goes: look at what stands below it", holds=False)
        for path, line in found.headings
    ]
    left += [
        Left(f"{layout.MEMORY}:{line}", "made of a line that goes: look at it", holds=False) for line in found.derived
    ]
    return left


def large(found: documents.Found) -> list[str]:
    """The documents that cannot be changed, in words."""
    return [f"{path}: larger than {DOCUMENT_LIMIT_BYTES >> 20} MiB; searched, not changed." for path in found.large]


def unseen(stores: Stores, found: documents.Found) -> list[str]:
    """What was not looked at, in words."""
    ours = {path.partition("/")[0] for path in found.looked}
    names = [
        name
        for name, kind in stores.files.names()
        if kind == "folder" and not name.startswith(".") and name not in ours and not _is_ours(name)
    ]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    told = ", ".join(f"{name}/" for name in names[:_MOST_NAMED])
    others = [f"Not looked at, since they are no folders of the workspace: {told}{more}."] if names else []
    return [*found.unsearched, *others]


def history(stores: Stores, wanted: Wanted, notices: list[str]) -> Past | None:
    """The past states in git that hold it; None where there is no repository, or nothing of it in one."""
    if not stores.files.exists(local_dir.FOLDER):
        return None
    try:
        scratch = f"{stores.root}/{local_dir.FOLDER}"
        past = grep_history.holding(stores.root, scratch, lambda data: strike.holds(data, wanted))
    except (AgentwsError, OSError) as error:
        notices.append(f"Past states in git were not looked at: {error}")
        return None
    if past is not None and past.unread:
        notices.append(f"{past.unread:,} files of past states in git are too large or too many to be looked at.")
    return past if past is not None and past.commits else None


def _is_ours(name: str) -> bool:
    return name == layout.JOURNAL or layout.is_document(f"{name}/x.md")


def _names(wanted: Wanted, seen: scan.Look) -> list[str]:
    return [path for path, one in sorted(seen.entries.items()) if wanted.is_in(one.name) and not _is_kept(path)]


def _is_kept(path: str) -> bool:
    return path.startswith(_NOT_OURS) or path == local_dir.CHANGES or path.endswith(_LOCK)


def _others(stores: Stores, wanted: Wanted, seen: scan.Look, looked: Collection[str]) -> Iterator[Left]:
    """The lines of other files that hold it."""
    for path, one in sorted(seen.entries.items()):
        if one.kind != scan.FILE or path in looked or _is_kept(path):
            continue
        try:
            held = any(strike.holds(piece, wanted) for piece in content.pieces(stores.files, path))
            lines = _lines(stores.files.read(path), wanted) if held and one.size_bytes <= _MOST_BYTES else []
        except AgentwsError:
            continue  # it went away meanwhile
        yield from [Left(f"{path}:{line}", _NO_DOCUMENT) for line in lines] or [Left(path, _NO_DOCUMENT)] * held


def _lines(data: bytes, wanted: Wanted) -> list[int]:
    """The numbers of the first lines that hold it."""
    lines = enumerate(data.decode("utf-8", "replace").split("\n"), 1)
    return list(islice((number for number, line in lines if wanted.is_in(line)), _MOST_NAMED))
