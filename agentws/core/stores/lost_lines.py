"""Finds log lines that agentws acknowledged and another program removed, and puts them back.

A program that saves an old buffer over a newer log removes lines without knowing of them. agentws still has their text
in its record of changes (`.agentws/changes.jsonl`), also of lines that `sync` brought. Lines from before agentws itself
last rewrote the log (`undo`, `compact`, a box that `done` ticked, a sync that took lines away) are left out: its own
record for `undo` covers these. A line that `undo --redo` wrote again counts as new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Record
from agentws.core.disk import local_dir, lock
from agentws.core.disk.change import transaction, undo_record
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.core.notes import similarity
from agentws.core.stores.lost_facts import Lost, LostFacts
from agentws.core.text import utf8
from agentws.errors import AgentwsError, MissingFileError

REMEDY = "To put them back: agentws doctor --fix. If they were removed on purpose: agentws doctor --accept-loss"
_LOCK_TIMEOUT_S = 10.0
_BULLETS = ("- ", "* ", "+ ")


class LostLines(Lost):
    """The acknowledged lines that a log lacks, in the order in which they were written.

    `ids` are those of the changes that wrote them.
    """

    __slots__ = ("ids",)
    WHAT = "line"

    def __init__(self, path: str, entries: list[str], ids: list[str]) -> None:
        super().__init__(path, entries)
        self.ids = ids


class _Line(Record):
    """A line in the record of changes: the `number` and `id` of the change, and the `entry`."""

    number: int
    id: str
    entry: str


def missing(files: Files) -> list[LostLines]:
    """Return what each log lacks of the lines in the record of changes that no person gave up."""
    given_up = _given_up(files)
    written: dict[str, list[_Line]] = {}
    transactions: list[tuple[int, bool]] = []
    records = local_dir.changes(files)
    synced: dict[int, dict[str, int]] = {}
    for record in records:
        number, id, is_done = int(str(record["number"])), str(record.get("id")), bool(record.get("done"))
        entries = [(path, entry) for path, _, text in local_dir.lines_of(record) for entry in _written(text)]
        if record.get("change") == "log":
            entries = entries if is_done else []
        elif "logs" in record and is_done:
            synced[number] = dict.fromkeys(local_dir.rewritten(record), number)
        else:
            transactions.append((number, is_done))
            entries = []
        for at, (path, entry) in enumerate(entries):
            written.setdefault(path, []).append(_Line(number, f"{id}.{at}" if "logs" in record else id, entry))
    absent = {path: lines for path, of_path in written.items() if (lines := _absent(files, path, of_path))}
    if absent:
        rewritten, forgotten = _rewritten(files, transactions, synced)
        redone = _redone(files, records)
        for path, lines in absent.items():
            behind = max(rewritten.get(path, 0), forgotten)
            watched = (line for line in lines if redone.get(line.number, line.number) >= behind)
            absent[path] = [line for line in watched if line.id not in given_up]
    return [
        LostLines(path, [line.entry for line in lines], [line.id for line in lines])
        for path, lines in absent.items()
        if lines
    ]


def losses(files: Files) -> list[LostLines | LostFacts]:
    """Return what the logs and MEMORY.md lack of what was acknowledged; see lost_facts.py for the latter."""
    from agentws.core.stores import lost_facts  # seldom

    lines, facts = missing(files), lost_facts.missing(files)
    return [*lines, facts] if facts is not None else [*lines]


def put_back(files: Files, paths: Sequence[str]) -> ChangeSet:
    """Return the change that adds the missing lines to the logs at these paths, at their ends."""
    writes = []
    for lost in missing(files):
        if lost.path not in paths:
            continue
        try:
            data = files.read(lost.path)
            expects = digest.of(data)
        except MissingFileError:
            data, expects = f"# {lost.path.rpartition('/')[2][:10]}\n\n".encode(), ABSENT
        newline = b"\r\n" if b"\r\n" in data else b"\n"
        lines = "".join(f"{entry}\n" for entry in lost.entries).encode("utf-8", "surrogateescape")
        glue = b"" if not data or data.endswith(b"\n") else newline
        writes.append(Write(lost.path, data + glue + lines.replace(b"\n", newline), expects=expects))
    return ChangeSet("doctor", tuple(writes))


def accept(files: Files) -> list[LostLines]:
    """Give up the lines that are missing now, and return them: nothing reports them again."""
    local_dir.prepare(files)
    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        lost = missing(files)
        if lost:
            ids = sorted({*_given_up(files), *(id for lost_lines in lost for id in lost_lines.ids)})
            before = files.digest(local_dir.ACCEPTED_LOSS)
            files.replace(local_dir.ACCEPTED_LOSS, plainjson.dumps(ids).encode(), expects=before)
    return lost


def _given_up(files: Files) -> set[str]:
    try:
        ids = plainjson.loads(files.read(local_dir.ACCEPTED_LOSS))
    except (AgentwsError, ValueError):
        return set()
    return set(map(str, ids)) if isinstance(ids, list) else set()


def _rewritten(
    files: Files, transactions: list[tuple[int, bool]], synced: Mapping[int, Mapping[str, int]]
) -> tuple[dict[str, int], int]:
    """Return (the number of the newest change that rewrote each file, the newest of which that is not known).

    Of the changes in `synced` it is known which logs they rewrote; to others they only added lines.
    """
    rewritten: dict[str, int] = {}
    for of_sync in synced.values():
        rewritten |= of_sync
    kept = set()
    for name, _ in files.names(local_dir.UNDO):
        if name.isdigit() and int(name) not in synced:
            try:
                steps = undo_record.read(files, f"{local_dir.UNDO}/{name}").get("changes", ())
                for path in (str(step.get(key) or "") for step in steps for key in ("path", "to")):
                    rewritten[path] = max(rewritten.get(path, 0), int(name))
            except (AgentwsError, ValueError, AttributeError):
                continue
            kept.add(int(name))
    oldest = min(kept, default=0)
    # A change that is neither done nor kept failed, and rewrote nothing.
    unknown = (number for number, is_done in transactions if number not in kept and (is_done or number < oldest))
    return rewritten, max(unknown, default=0)


def _redone(files: Files, records: Sequence[Mapping[str, object]]) -> dict[int, int]:
    """Return the number of the redo that wrote each change again, by the number of that change."""
    undone: dict[int, int] = {}
    redone: dict[int, int] = {}
    for record in records:
        number = int(str(record["number"]))
        if "undoes" in record:
            undone[number] = int(str(record["undoes"]))
        elif (change := undone.get(int(str(record.get("redoes", 0))), 0)) and transaction.is_applied(files, number):
            while 0 < (older := undone.get(change, 0)) < change:  # that change was a redo itself
                change = older
            undone[number] = change
            redone[change] = number
    return redone


def _written(addition: str) -> list[str]:
    """Return the entries in lines that were added to a log; the heading of a new one comes before them."""
    text = addition.replace("\r\n", "\n")
    return [entry for entry in _entries(text) if _is_text(entry)]


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False  # agentws never wrote that
    return True


def _absent(files: Files, path: str, written: list[_Line]) -> list[_Line]:
    text = _text(files, path)
    if text is None:
        return []
    there = _entries(text)
    known = set(there)
    gone = [line for line in written if line.entry not in known and f"\n{line.entry}\n" not in text]
    if not gone:
        return []
    own = {line.entry for line in written}
    others: dict[str, list[str]] = {}
    for entry in there:
        if entry not in own:
            others.setdefault(_time(entry), []).append(_without_time(entry))
    absent = []
    for time in dict.fromkeys(_time(line.entry) for line in gone):
        lines = [line for line in gone if _time(line.entry) == time]
        left = similarity.unrepeated([_without_time(line.entry) for line in lines], others.get(time, ()))
        for line in lines:
            if (message := _without_time(line.entry)) in left:
                left.remove(message)
                absent.append(line)
    return sorted(absent, key=lambda line: line.number)


def _text(files: Files, path: str) -> str | None:
    """Return the text of all logs of that day, also archived ones; None if one is unreadable or not UTF-8."""
    day = path.rpartition("/")[2][:10]
    texts = []
    try:
        for folder in (layout.DAYS, f"{layout.ARCHIVE}/{day[:4]}"):
            for name in layout.daily_logs(files.listing(folder)):
                if name.startswith(day):
                    data = files.read(f"{folder}/{name}")
                    if utf8.other_encoding(data):
                        return None
                    texts.append(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))
    except AgentwsError:
        return None
    return "\n".join(["", *texts, ""])


def _entries(text: str) -> list[str]:
    """Return the entries of a log, whatever bullet they have, as agentws writes them."""
    entries: list[list[str]] = []
    for line in text.split("\n"):
        if line.startswith(_BULLETS):
            entries.append([f"- {line[2:]}"])
        elif entries:
            entries[-1].append(line)
    return ["\n".join(lines).rstrip("\n") for lines in entries]


def _time(entry: str) -> str:
    """Return the time at the beginning of an entry, also of a struck or ticked one; empty without one."""
    words = entry.removeprefix("- ").removeprefix("[x] ").removeprefix("[ ] ").lstrip("~*_")
    return words[:5] if words[2:3] == ":" else ""


def _without_time(entry: str) -> str:
    """Return an entry without its time, which all entries of a minute have in common."""
    return entry.replace(_time(entry), "", 1)
