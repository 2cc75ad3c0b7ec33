"""Remainders: places that still contain forgotten text or were not searched, for a person to check."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from agentws.core.disk import content, links, local_dir
from agentws.core.disk.files import DOCUMENT_LIMIT_BYTES
from agentws.core.disk.inspect import scan
from agentws.core.formats import layout
from agentws.core.states import grep_history
from agentws.core.states.grep_history import Past
from agentws.core.stores import scrub
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.forget.documents import DocumentMatches
from agentws.features.forget.events import EventMatches
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.wanted import Wanted

ELSEWHERE = (
    "Backups, clones and other machines keep their copies: forget the text there too.",
    "Agent programs keep their own records, perhaps also of this command.",
)
NOT_LOOKED_FOR = (
    "Not searched: compressed, encrypted or base64 data, UTF-16, images, sound, office files, other spellings.",
)
_MOST_NAMED = 8
_MOST_BYTES = 8 << 20
"""Largest file whose matching lines are listed."""
_INCLUDING = ("sync.include", "history.include", "search.include", "boot.pinned")
"""Settings that name files outside of the workspace's own folders."""
_MOST_INCLUDED = 20_000
_LOCK = ".lock"
"""Suffix of lock files, which the next holder overwrites."""
_NOT_OURS = (f"{layout.JOURNAL}/", f"{local_dir.UNDO}/", f"{local_dir.QUARANTINE}/")
_KEPT = (local_dir.CHANGES, local_dir.MEMORY, local_dir.RECEIVED_TASKS, *scrub.LEFT)
"""Files that are searched elsewhere, or that only name tasks."""
_NO_DOCUMENT = "not a document: edit this file yourself"
_REMOTES = "refs/remotes/"
_PUSH = "After rewriting: git push --force; then ask its host to remove unreachable commits."


@dataclass(frozen=True, slots=True)
class Remainder:
    """A remainder of forgotten text: a `place` for a person to check, and why; `holds`: it still contains some."""

    place: str
    why: str
    holds: bool = True


def here(stores: Stores, wanted: Wanted, matches: DocumentMatches, event_matches: EventMatches) -> list[Remainder]:
    """Return the remainders of forgotten text in this workspace; unsearched files go into `matches`."""
    seen = scan.look(stores.files)
    matches.unread += [
        f"Not searched: {path} is not a regular file."
        for path, scanned in sorted(seen.entries.items())
        if scanned.kind == scan.OTHER
        and layout.is_document(path)
        and links.document(stores.root, path) not in matches.looked
    ]
    if seen.cut:
        matches.unsearched.append("There are too many files: some that are not documents were not searched.")
    left = [
        Remainder(path, f"the file name contains the text: {_renaming(path)} and correct all references")
        for path in _names(wanted, seen)
    ]
    left += [
        Remainder(path, "too large to be changed: split the file") for path, holds in matches.large.items() if holds
    ]
    left += _others(stores, wanted, seen, matches.looked)
    left += [Remainder(cursor, what) for cursor, what in event_matches.kept]
    left += [
        Remainder(f"{path}:{line}", "below a removed heading: check the text", holds=False)
        for path, line in matches.headings
    ]
    left += [
        Remainder(f"{layout.MEMORY}:{line}", "this entry came from a removed line: check the entry", holds=False)
        for line in matches.derived
    ]
    return left


def large(matches: DocumentMatches) -> list[str]:
    """Return notices of documents too large to be changed, in which forgotten text may remain."""
    return [
        f"{path}: larger than {DOCUMENT_LIMIT_BYTES >> 20} MiB: searched, but not changed." for path in matches.large
    ]


def unseen(stores: Stores, matches: DocumentMatches) -> list[str]:
    """Return notices of files and folders that were not searched, in which forgotten text may remain."""
    ours = {path.partition("/")[0] for path in matches.looked}
    names = [
        name
        for name, kind in stores.files.names()
        if kind == "folder" and not name.startswith(".") and name not in ours and not _is_ours(name)
    ]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    listed = ", ".join(f"{name}/" for name in names[:_MOST_NAMED])
    but = ", but for the files that settings include," if _globs(stores) else ","
    others = [f"Not searched{but} because agentws does not use these folders: {listed}{more}."] if names else []
    return [*matches.unsearched, *others]


def _globs(stores: Stores) -> list[str]:
    return [glob for key in _INCLUDING for glob in stores.manifest.setting(key)]


def history(stores: Stores, wanted: Wanted, notices: list[str]) -> Past | None:
    """Return the git commits in which forgotten text remains; None without a git repository or a match."""
    if not stores.files.exists(local_dir.FOLDER):
        return None
    try:
        scratch = f"{stores.root}/{local_dir.FOLDER}"
        past = grep_history.holding(stores.root, scratch, lambda data: strike.holds(data, wanted))
    except (AgentwsError, OSError) as error:
        notices.append(f"Past states in git were not searched: {error}")
        return None
    if past is not None and past.unread:
        notices.append(f"{past.unread:,} files of past states in git are too large or too many to search.")
    return past if past is not None and past.commits else None


def git_remotes(past: Past | None) -> Iterator[str]:
    """Yield advice about each git remote that, as far as this machine knows, received commits with forgotten text."""
    refs = [ref.removeprefix(_REMOTES) for ref in past.refs if ref.startswith(_REMOTES)] if past is not None else []
    for name in dict.fromkeys(ref.partition("/")[0] for ref in refs):
        some = ", ".join(ref.partition("/")[2] for ref in refs if ref.startswith(f"{name}/"))
        yield f"The git remote {name} has had matches when this machine last saw it ({some}). {_PUSH}"


def _is_ours(name: str) -> bool:
    return name in (layout.JOURNAL, layout.CONFLICTS, layout.CHECKPOINTS, layout.ARTIFACTS) or layout.is_document(
        f"{name}/x.md"
    )


def _names(wanted: Wanted, seen: scan.Look) -> list[str]:
    return [path for path, scanned in sorted(seen.entries.items()) if wanted.is_in(scanned.name) and not _is_kept(path)]


def _renaming(path: str) -> str:
    return "rename it (agentws task rename)" if path.startswith(f"{layout.TASKS}/") else "rename the file"


def _is_kept(path: str) -> bool:
    return path.startswith(_NOT_OURS) or path in _KEPT or path.endswith(_LOCK)


def _included(stores: Stores, seen: scan.Look) -> Iterator[tuple[str, int]]:
    """Yield (path, bytes) of the files in other folders that settings include; a scan does not look there."""
    globs = _globs(stores)
    if not globs:
        return
    from agentws.core.formats.travel import sync_path

    folders, left = [""], _MOST_INCLUDED
    while folders and left:
        folder = folders.pop()
        above = f"{folder}/" if folder else ""
        for name, kind in stores.files.names(folder):
            path, left = above + name, max(0, left - 1)
            is_scanned = _is_ours(path) if not folder else path in seen.entries
            if kind == "folder" and not is_scanned and sync_path.is_visited(path, globs):
                folders.append(path)
            elif kind == "file" and path not in seen.entries and sync_path.travels(path, globs):
                yield path, stores.files.size(path)


def _others(stores: Stores, wanted: Wanted, seen: scan.Look, looked: Collection[str]) -> Iterator[Remainder]:
    """Yield the matching lines of files that are not documents."""
    scanned = ((path, file.size_bytes) for path, file in seen.entries.items() if file.kind == scan.FILE)
    for path, size_bytes in sorted([*scanned, *_included(stores, seen)]):
        if path in looked or _is_kept(path):
            continue
        try:
            held = any(strike.holds(piece, wanted) for piece in content.pieces(stores.files, path))
            lines = _lines(stores.files.read(path), wanted) if held and size_bytes <= _MOST_BYTES else []
        except AgentwsError:
            continue  # it went away meanwhile
        yield from [Remainder(f"{path}:{line}", _NO_DOCUMENT) for line in lines] or [
            Remainder(path, _NO_DOCUMENT)
        ] * held


def _lines(data: bytes, wanted: Wanted) -> list[int]:
    """Return the numbers of the first matching lines."""
    lines = enumerate(data.decode("utf-8", "replace").split("\n"), 1)
    return list(islice((number for number, line in lines if wanted.is_in(line)), _MOST_NAMED))
