"""Where the words live on when all is done here: what is not ours to change, and what lies elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.planning.forgetting import striking
from agentws.storage import local, looking, past_states

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.operations.forget import documents, events
    from agentws.planning.forgetting.wanted import Wanted
    from agentws.storage.past_states import Past
    from agentws.storage.stores import Stores

_MOST_BYTES = 8 << 20
_MOST_NAMED = 8
_LOCK = ".lock"
"""What a lock says of its holder is written anew by the next one."""
_NOT_OURS = (f"{layout.JOURNAL}/", f"{local.UNDO}/", f"{local.QUARANTINE}/")
ELSEWHERE = (
    "Other copies keep their words until it is forgotten there too: backups, clones, other machines.",
    "The programs that run the agent keep records of their own, and one that ran this command may have kept its words.",
)


@dataclass(frozen=True, slots=True)
class Left:
    """A `place` that keeps it, and why."""

    place: str
    why: str


def here(stores: Stores, wanted: Wanted, found: documents.Found, said: events.Found) -> list[Left]:
    """What this workspace keeps of it, and what to look at by hand."""
    seen = looking.look(stores.files)
    left = [Left(path, "its name holds it: rename it, and whatever refers to it") for path in _names(wanted, seen)]
    left += [Left(place, "not a document: edit it yourself") for place in _others(stores, wanted, seen, found.looked)]
    left += [Left(cursor, what) for cursor, what in said.kept]
    left += [
        Left(f"{path}:{line}", "a heading that goes: look at what stands below it") for path, line in found.headings
    ]
    left += [Left(f"{layout.MEMORY}:{line}", "made of a line that goes: look at it") for line in found.derived]
    return left


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
    return [f"Not looked at, since they are no folders of the workspace: {told}{more}."] if names else []


def history(stores: Stores, wanted: Wanted, notices: list[str]) -> Past | None:
    """The past states in git that hold it; None where there is no repository, or nothing of it in one."""
    if not stores.files.exists(local.FOLDER):
        return None
    try:
        scratch = f"{stores.root}/{local.FOLDER}"
        past = past_states.holding(stores.root, scratch, lambda data: striking.holds(data, wanted))
    except (AgentwsError, OSError) as error:
        notices.append(f"Past states in git were not looked at: {error}")
        return None
    if past is not None and past.unread:
        notices.append(f"{past.unread:,} files of past states in git are too large or too many to be looked at.")
    return past if past is not None and past.commits else None


def _is_ours(name: str) -> bool:
    return name == layout.JOURNAL or layout.is_document(f"{name}/x.md")


def _names(wanted: Wanted, seen: looking.Look) -> list[str]:
    return [path for path, one in sorted(seen.entries.items()) if wanted.is_in(one.name) and not _is_kept(path)]


def _is_kept(path: str) -> bool:
    return path.startswith(_NOT_OURS) or path == local.CHANGES or path.endswith(_LOCK)


def _others(stores: Stores, wanted: Wanted, seen: looking.Look, looked: Collection[str]) -> Iterator[str]:
    """The lines of other files that hold it."""
    for path, one in sorted(seen.entries.items()):
        if one.kind != looking.FILE or path in looked or _is_kept(path) or one.size_bytes > _MOST_BYTES:
            continue
        try:
            text = stores.files.read(path).decode("utf-8", "replace")
        except AgentwsError:
            continue  # it went away meanwhile
        if wanted.is_in(text):
            lines = [number for number, line in enumerate(text.split("\n"), 1) if wanted.is_in(line)]
            yield from [f"{path}:{number}" for number in lines[:_MOST_NAMED]] or [path]
