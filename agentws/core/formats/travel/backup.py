"""The manifest of a backup: a header line, then a line per file. Specified in docs/format/backup.md. Pure.

A line is [path, kind, mode, mtime in nanoseconds, size, digest of a file or target of a link, inode, ctime in
nanoseconds]. The last two are those of the original file: the next backup uses them to find unchanged files. Backups in
a git repository are commits under refs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import TreeEntry
from agentws.errors import DamagedError

MANIFEST, TREE = "manifest.jsonl", "workspace"
"""The two things in the folder of a backup: what it holds, and the files themselves, as they were."""
README = "README.txt"
MOST_BYTES = 1 << 28
"""The largest manifest that is read: of more than a million files."""
_NAME = re.compile(r"([0-9]{4,9})-([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z)")
_STAMP = "%Y-%m-%dT%H%M%SZ"
_ID_DIGITS, _MOST_NAME = 8, 40
_TEXTS = ("agent", "name", "host", "root", "at", "previous")
_NUMBERS = ("mode", "files", "bytes", "added", "changed", "removed")
_LISTS = ("forgotten", "spoiled")
"""Keys of a header after `forget`."""
_MOST, _MOST_NS = (1 << 63) - 1, 1 << 90
_SHORTEST, _COMPLETE = 6, 8
"""The least number of values in a line, and the number with those for the next backup."""

Marks = tuple[int, int]
"""Inode and change time of an original."""


class NotABackupError(ValueError):
    """The file is not a backup manifest, or is damaged."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a backup manifest.

    `agent` and `name` are those of the workspace, `host` and `root` its place, `at` (UTC) the time of the copy. `heads`
    are number and hash of the newest event of each writer, `starts` the number of the first event it holds, if the
    journal's beginning was retired. `files` and `bytes` are totals; `added`, `changed` and `removed` compare with the
    `previous` backup (empty: there was none). `damage` lists what was already wrong with the original; `forgotten` when
    (UTC) files of the backup were replaced by versions without forgotten content; `spoiled` which files no longer
    matched their digests at that time: since when is unknown.
    """

    agent: str
    name: str
    host: str
    root: str
    at: str
    mode: int
    heads: dict[str, tuple[int, str]]
    files: int
    bytes: int
    added: int = 0
    changed: int = 0
    removed: int = 0
    previous: str = ""
    damage: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    spoiled: tuple[str, ...] = ()
    starts: dict[str, int] = field(default_factory=dict)

    @property
    def spans(self) -> dict[str, tuple[int, int]]:
        """The numbers of the first and the newest event of each writer in the backup."""
        return {writer: (self.starts.get(writer, 1), seq) for writer, (seq, _) in self.heads.items()}

    @property
    def events(self) -> int:
        """The number of events in the backup, of all writers."""
        return sum(last - first + 1 for first, last in self.spans.values())


@dataclass(slots=True)
class Manifest:
    """A parsed backup manifest: its header, its entries by path, and the inode and ctime of their originals."""

    header: Header
    entries: dict[str, TreeEntry] = field(default_factory=dict)
    marks: dict[str, Marks] = field(default_factory=dict)


def header(line: bytes) -> Header:
    """Return the header in the first line of a backup manifest; NotABackupError without one."""
    try:
        fields: dict[str, Any] = json.loads(line)
        if fields.pop("agentws") != 1 or fields.pop("backup") != 1:
            raise NotABackupError("made by another version")
        newest = fields.pop("heads")
        heads = {str(name): (_count(item["seq"]), str(item["hash"])) for name, item in newest.items()}
        starts = {str(name): _count(item["from"]) for name, item in newest.items() if "from" in item}
        texts: dict[str, Any] = {name: str(fields[name]) for name in _TEXTS}
        if datetime.fromisoformat(texts["at"].replace("Z", "+00:00")).tzinfo is None:
            raise NotABackupError("it has no moment")
        numbers: dict[str, Any] = {name: _count(fields[name]) for name in _NUMBERS}
        lists: dict[str, Any] = {name: tuple(map(str, fields.get(name, ()))) for name in ("damage", *_LISTS)}
        return Header(heads=heads, starts=starts, **texts, **numbers, **lists)
    except NotABackupError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotABackupError("the first line is not a header") from error


def decode(data: bytes) -> Manifest:
    """Return the backup manifest in `data`; NotABackupError if one of its lines is wrong."""
    first, _, rest = data.partition(b"\n")
    made = Manifest(header(first))
    if rest and not rest.endswith(b"\n"):
        raise NotABackupError("it is cut off")
    try:
        for decoded in map(json.loads, rest.split(b"\n")[:-1]):
            entry = inventory.decode(decoded)
            inventory.check(entry, made.entries, most_ns=_MOST_NS)
            _count(entry.size)
            made.entries[entry.path] = entry
            if len(decoded) >= _COMPLETE:
                made.marks[entry.path] = (_whole(decoded[_SHORTEST]), _whole(decoded[_SHORTEST + 1]))
    except (ValueError, TypeError, RecursionError) as error:
        raise NotABackupError("a line is damaged") from error
    files = sum(entry.kind != inventory.FOLDER for entry in made.entries.values())
    if files != made.header.files:
        raise NotABackupError("lines are missing")
    return made


def _whole(value: object) -> int:
    """A number as it is; ValueError for anything else, as an infinite one."""
    if type(value) is not int:
        raise ValueError(value)
    return value


def _count(value: object) -> int:
    """Return a count; ValueError if it is negative, too large or no number."""
    if not 0 <= (number := _whole(value)) <= _MOST:
        raise ValueError(value)
    return number


def encode(header: Header, entries: Iterable[TreeEntry], marks: dict[str, Marks]) -> bytes:
    """Return the bytes of a backup manifest, folders before their contents."""
    lines = [json.dumps([*entry.plain(), *marks.get(entry.path, ())]) for entry in entries]
    return first_line(header) + "".join(f"{line}\n" for line in lines).encode("ascii")


def first_line(header: Header) -> bytes:
    """Return the header line of a backup manifest."""
    heads: dict[str, dict[str, object]] = {
        writer: {"seq": seq, "hash": hash_} for writer, (seq, hash_) in header.heads.items()
    }
    for writer, first in header.starts.items():
        heads[writer]["from"] = first
    fields = {name: getattr(header, name) for name in (*_TEXTS, *_NUMBERS, "damage")}
    fields |= {name: getattr(header, name) for name in _LISTS if getattr(header, name)}
    return json.dumps({"agentws": 1, "backup": 1, **fields, "heads": heads}).encode("ascii") + b"\n"


def folder_of(agent: str, name: str) -> str:
    """Return the folder name of an agent's backups: its name for people, and a part of its id for `is_folder_of`."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in name.lower()).strip("-")
    return f"{plain[:_MOST_NAME] or 'agent'}-{short(agent)}"


def is_folder_of(agent: str, name: str) -> bool:
    """Return whether a folder of this name holds backups of the agent."""
    return name.endswith(f"-{short(agent)}")


def short(agent: str) -> str:
    """Return the part of an agent's id that names its backups."""
    plain = agent.isascii() and agent.isalnum() and len(agent) >= _ID_DIGITS
    return agent[:_ID_DIGITS].lower() if plain else digest.of(agent.encode("utf-8", "surrogateescape"))[:_ID_DIGITS]


def name_of(number: int, at: datetime) -> str:
    """Return the name of a backup: its number, which orders backups, and its time."""
    return f"{number:04}-{at.astimezone(UTC).strftime(_STAMP)}"


def following(names: Iterable[str], at: datetime) -> str:
    """Return the name of the next backup after these; DamagedError if the highest possible number is taken.

    No command reads a longer number.
    """
    newest = max(names, key=number_of, default="")
    name = name_of(number_of(newest) + 1, at)
    if not number_of(name):
        raise DamagedError(
            f"{newest} has the last number that a backup can have.", hint="Find out who made it, and move it away."
        )
    return name


def number_of(name: str) -> int:
    """Return the number in a backup's name; 0 for any other name."""
    try:
        moment_of(name)
    except ValueError:
        return 0
    return int(name.partition("-")[0])


def moment_of(name: str) -> datetime:
    """Return the moment in a backup's name; ValueError without one."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(name)
    return datetime.strptime(match[2], _STAMP).replace(tzinfo=UTC)


def readme(name: str) -> bytes:
    """Return the README for people beside the backups."""
    return (
        f"Backups of the agent {name}, made by `agentws backup create`.\n\n"
        "Each folder with a number is one whole backup; the highest number is the newest.\n"
        "`workspace` in it holds the files as they were, `manifest.jsonl` lists them with size, SHA-256 and mode.\n"
        "A folder without `manifest.jsonl` was interrupted: ignore it.\n\n"
        "To restore:            agentws backup restore THIS-FOLDER TARGET\n"
        "Without agentws:       cp -a NUMBER/workspace TARGET\n"
        "If the agent is lost:  agentws -C TARGET identity takeover\n\n"
        "Files that did not change are hard links to the same file in the backup before:\n"
        "do not edit them here, copy them first.\n"
    ).encode("utf-8", "replace")


FOLDER = "refs/agentws/backup"
"""How all refs of backups begin."""
WHOLE, HEADER, PART = f"{FOLDER}/", f"{FOLDER}-header/", f"{FOLDER}-part/"
"""A whole backup; its first line alone; what is there of one that is being made."""
FIRST_LINE = "header.json"
PIECE_BYTES = 1 << 18
"""Larger files are kept in pieces: of a file that grows only the last ones are sent again."""
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
_MOST_ID, _DIGEST_DIGITS = 64, 32


def id_of(agent: str) -> str:
    """Return an agent's id as it is in the ref names of its backups."""
    plain = 0 < len(agent) <= _MOST_ID and not agent.strip(_PLAIN) and agent[0] != "-"
    return agent if plain else digest.of(agent.encode("utf-8", "surrogateescape"))[:_DIGEST_DIGITS]


def agents(refs: Iterable[str]) -> list[str]:
    """Return the agents (by `id_of`) that have a backup in these refs."""
    ids = {ref.removeprefix(WHOLE).partition("/")[0] for ref in refs if ref.startswith(WHOLE)}
    return sorted(name for name in ids if names(refs, name))


def names(refs: Iterable[str], agent: str) -> list[str]:
    """Return the names of an agent's backups, oldest first."""
    start = f"{WHOLE}{agent}/"
    matches = [ref.removeprefix(start) for ref in refs if ref.startswith(start)]
    return sorted((name for name in matches if number_of(name)), key=lambda name: (number_of(name), name))


def pieces(content: str, size_bytes: int) -> list[str]:
    """Return the paths of a file's pieces in a backup commit, by the file's digest: at least one."""
    count = max(1, -(-size_bytes // PIECE_BYTES))
    return [f"content/{content[:2]}/{content}-{number:07d}" for number in range(count)]


def commit_readme(name: str) -> bytes:
    """Return the README for people in a backup commit."""
    return (
        f"A backup of the agent {name}, made by `agentws backup create`.\n\n"
        "`manifest.jsonl` lists what it holds; `content/` has the files by SHA-256, large ones in pieces.\n\n"
        "To restore:  agentws backup restore REPOSITORY TARGET\n\n"
        "Without agentws, in a checkout of this commit, with Python:\n\n"
    ).encode("utf-8", "replace") + _WITHOUT


_WITHOUT = b"""\
    import glob, json, os
    for line in list(open("manifest.jsonl"))[1:]:
        path, kind, mode, _, _, content = json.loads(line)[:6]
        to = os.path.join("restored", path)
        if kind == "d":
            os.makedirs(to, exist_ok=True)
        elif kind == "l":
            os.symlink(content, to)
        else:
            with open(to, "wb") as file:
                for piece in sorted(glob.glob(f"content/{content[:2]}/{content}-*")):
                    file.write(open(piece, "rb").read())
            os.chmod(to, mode)
"""
