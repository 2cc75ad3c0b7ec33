"""Migration parcels in a git repository: their refs, and the content of their commits. Pure.

Specified in docs/format/git.md.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import inventory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agentws.core.formats.travel.inventory import TreeEntry

FOLDER = "refs/agentws/migration/"
INCOMING, READY, TAKEN = "incoming", "ready", "taken"
"""A parcel that is being made; one that may be taken; one that somebody takes."""
TOLD, INVENTORY, README = "told.json", "inventory.jsonl", "README.md"
PIECE_BYTES = 16 << 20
"""Larger files travel in pieces: some hosts take no large blobs, and none of it must be held in memory as a whole."""
_MOST_BYTES = 1 << 44
_MOST_NS = 1 << 62

_CLAIM = "claim: "
_ID_DIGITS = 8


def ref(migration: str, state: str) -> str:
    """Return the git ref of a migration's parcel in this state."""
    return f"{FOLDER}{migration}/{state}"


def waiting(refs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the migrations whose parcels are ready or taken: id → state → commit id."""
    result: dict[str, dict[str, str]] = {}
    for name, commit in refs.items():
        migration, _, state = name.removeprefix(FOLDER).partition("/")
        if name.startswith(FOLDER) and is_id(migration) and state in (READY, TAKEN):
            result.setdefault(migration, {})[state] = commit
    return result


def is_id(text: str) -> bool:
    """Return whether `text` can be a migration id, and so a parcel's name."""
    return len(text) == _ID_DIGITS and not text.strip("0123456789abcdef")


def pieces(content: str, size_bytes: int) -> list[str]:
    """Return the paths of a file's pieces in the parcel's commit, by the file's digest: at least one."""
    count = max(1, -(-size_bytes // PIECE_BYTES))
    return [f"content/{content[:2]}/{content}-{number:05d}" for number in range(count)]


def listed(entries: Iterable[TreeEntry]) -> bytes:
    """Return the inventory as the parcel holds it: a line of JSON per entry."""
    return b"".join(plainjson.dumps(entry.plain(), separators=(",", ":")).encode("ascii") + b"\n" for entry in entries)


def entries(data: bytes) -> list[TreeEntry]:
    """Return the inventory in a parcel; ValueError if invalid, or if it names a place outside of the workspace."""
    items = [inventory.decode(plainjson.loads(line)) for line in data.split(b"\n") if line]
    known: dict[str, str] = {}
    for entry in items:
        above, within, _ = entry.path.rpartition("/")
        # A path that begins with `/` has an empty part. What something is put into must be a folder that was told
        # before, so no link leads out.
        odd = "\0" in entry.path or any(part in ("", ".", "..") for part in entry.path.split("/"))
        if odd or (within and known.get(above) != inventory.FOLDER):
            raise ValueError(f"{entry.path!r} is not a path in a workspace")
        if entry.path.partition("/")[0].lower() == ".agentws" or entry.path in known:
            raise ValueError(f"{entry.path!r} must not be sent")
        if entry.kind not in (inventory.FOLDER, inventory.FILE, inventory.LINK):
            raise ValueError(f"{entry.path!r} cannot be sent")
        if entry.kind == inventory.FILE and not (_is_digest(entry.content) and 0 <= entry.size <= _MOST_BYTES):
            raise ValueError(f"{entry.path!r} has no digest, or no size")
        if not 0 <= entry.mode <= 0o7777 or abs(entry.mtime_ns) > _MOST_NS or not _is_name(entry):
            raise ValueError(f"{entry.path!r} has impossible properties")
        known[entry.path] = entry.kind
    return items


def told(data: bytes) -> dict[str, Any]:
    """Return the facts about the migration in a parcel; ValueError if they are unreadable."""
    result = plainjson.loads(data)
    if (
        not isinstance(result, dict)
        or not is_id(str(result.get("migration")))
        or not isinstance(result.get("agent"), str)
    ):
        raise ValueError("no migration described")
    return result


def claim(host: str, secret: str) -> bytes:
    """Return the message of the commit by which a machine takes the parcel."""
    return f"taken on {host}\n\n{_CLAIM}{secret}\n".encode()


def claimed(message: str) -> tuple[str, str]:
    """Return (machine, secret) of the machine that took the parcel, from the commit's message."""
    first, _, rest = message.partition("\n")
    secret = next((line.removeprefix(_CLAIM) for line in rest.split("\n") if line.startswith(_CLAIM)), "")
    return first.removeprefix("taken on "), secret


def readme(migration: str, host: str) -> bytes:
    """Return the README for people who look into the parcel's repository."""
    return (
        f"An agent is on its way here from {host} (migration {migration}).\n\n"
        "Receive it with: `agentws migrate DIR --from URL`, with the URL of this repository.\n"
    ).encode()


def _is_name(entry: inventory.TreeEntry) -> bool:
    """Return False where no file system takes its path, or the target of the link."""
    try:
        entry.path.encode("utf-8", "surrogateescape")
        entry.content.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return entry.kind != inventory.LINK or bool(entry.content and "\0" not in entry.content)


def _is_digest(text: str) -> bool:
    return len(text) == 64 and not text.strip("0123456789abcdef")
