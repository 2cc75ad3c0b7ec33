"""Kept-out text of a workspace: forgotten text is refused or left out wherever it would return.

Loaded only if `identity/kept-out.jsonl` exists, except by what adds entries. Specified in docs/format/kept-out.md.
"""

from __future__ import annotations

import os

from agentws.changes import Change, ChangeSet, Write
from agentws.core.disk import local_dir, locate, lock
from agentws.core.formats import kept_out, layout
from agentws.core.formats.json import plainjson
from agentws.core.formats.kept_out import STAND_IN, Entry, KeptOut, Reason
from agentws.core.text import names
from agentws.errors import ForgottenError, MissingFileError, NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Protocol

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.port import Stores

    class Happening(Protocol):
        """An event to record (core/stores/record.py)."""

        body: dict[str, Any]

    New = tuple[Sequence[str], Reason, str | None]
    """An entry to add: the forms of its text, its reason, and the text that replaced it."""

_BRINGS_BACK = frozenset(
    ["compact", "curate", "doctor", "handoff", "import", "redo", "restore", "resolve", "sync", "undo"]
)
"""The first words of verbs that bring back older text: these leave forgotten text out instead of refusing it."""
_NAMES = ("call", "tool")
"""The keys of an event's body by which other events refer to it."""
_LIST = "To list what is kept out: agentws forget --list"
_known: dict[str, tuple[object, KeptOut]] = {}


def read(stores: Stores) -> KeptOut | None:
    """Return what is kept out of the workspace, None for nothing."""
    files = stores.files
    try:
        status = files.status(layout.KEPT_OUT)
    except MissingFileError:
        return None
    stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
    if _known.get(files.root, (None,))[0] != stamp:
        text = files.read(layout.KEPT_OUT).decode("utf-8", "replace")
        _known.clear()
        _known[files.root] = stamp, kept_out.decode(text)
    return _known[files.root][1]


def refuse(stores: Stores, *texts: str) -> None:
    """Raise ForgottenError if a text contains forgotten text; if a person writes it again, lift its entries instead."""
    kept = read(stores)
    if kept is not None:
        _refuse(stores, [entry for text in texts for entry in kept.among(text.split("\n")).values()])


def holds(stores: Stores, text: str) -> bool:
    """Return whether a text contains forgotten text."""
    kept = read(stores)
    return kept is not None and bool(kept.among(text.split("\n")))


def check_events(stores: Stores, happenings: Iterable[Happening], notices: list[str], *, refuses: bool) -> None:
    """Take forgotten text out of these events, with a notice; with `refuses` it is a ForgottenError instead."""
    kept = read(stores)
    if kept is None:
        return
    entries: list[Entry] = []
    changed = [(happening, without_in_body(kept, happening.body, entries)) for happening in happenings]
    if refuses and entries:
        _refuse(stores, entries)
        return
    for happening, body in changed if entries else ():
        happening.body = body
    notices += [left_out(entries)] if entries else []


def without(stores: Stores, value: Any) -> Any:
    """Return a JSON value with a stand-in for each line that contains forgotten text, and add a notice."""
    kept = read(stores)
    entries: list[Entry] = []
    left = value if kept is None else _without(kept, value, entries)
    stores.notices += [left_out(entries)] if entries else []
    return left


def checked(stores: Stores, changes: ChangeSet, *, brings_back: bool) -> ChangeSet:
    """Return the changes without forgotten text that they would bring in.

    ForgottenError if a verb does not bring back older text, but writes what it was given.
    """
    kept = read(stores)
    verb = changes.verb.partition(" ")[0]
    if kept is None or verb == "forget":
        return changes
    rows: list[Entry] = []
    made: list[Change] = []
    for change in changes.changes:
        if isinstance(change, Write) and layout.is_document(change.path) and change.path != layout.KEPT_OUT:
            old = stores.files.read(change.path) if stores.files.exists(change.path) else b""
            data, entries = blanked(kept, change.data, old)
            rows += entries
            data = remarked(kept, data) if layout.usual(change.path) == layout.MEMORY else data
            made.append(Write(change.path, data, expects=change.expects))
        else:
            made.append(change)
    if not rows:
        return ChangeSet(changes.verb, tuple(made))
    if not brings_back and verb not in _BRINGS_BACK:
        _refuse(stores, rows)
        return changes
    stores.notices.append(left_out(rows))
    return ChangeSet(changes.verb, tuple(made))


def blanked(kept: KeptOut, data: bytes, old: bytes = b"") -> tuple[bytes, list[Entry]]:
    """Return a document with empty lines for those with forgotten text that `old` has not, and the entry of each one.

    Lines indented below such a list item are emptied too.
    """
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    known = set(old.decode("utf-8", "surrogateescape").split("\n"))
    matches = {index: entry for index, entry in kept.among(lines).items() if lines[index] not in known}
    if not matches:
        return data, []
    depth, made = None, []
    for index, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if index in matches:
            depth = indent if line.lstrip()[:1] in "-*+" else None
            made.append("")
        elif depth is not None and line.strip() and indent > depth:
            made.append("")
        else:
            depth = None if line.strip() else depth
            made.append(line)
    return "\n".join(made).encode("utf-8", "surrogateescape"), [*matches.values()]


def remarked(kept: KeptOut, data: bytes) -> bytes:
    """Return MEMORY.md with a remark (day, new text) on each superseded entry whose replacement is in it too."""
    return kept_out.with_remarks(data.decode("utf-8", "surrogateescape"), kept).encode("utf-8", "surrogateescape")


def left_out(entries: Sequence[Entry]) -> str:
    """Return the notice that lines with forgotten text were left out."""
    days = names.some(sorted({entry.day for entry in entries}))
    lines = "1 line" if len(entries) == 1 else f"{len(entries)} lines"
    return f"{lines} with text that was forgotten on {days} left out. {_LIST}"


def add(stores: Stores, new: Iterable[New]) -> list[Entry]:
    """Add entries to `kept-out.jsonl`, signed and durable; return those that were not there yet."""
    wanted = [*new]
    if not wanted:
        return []
    by = stores.appender().writer
    with lock.Lock(_prepared(stores), lock.APPEND):
        locate.check_not_left(stores.files)
        kept = read(stores) or KeptOut((), {})
        at, lines = kept_out.later(stores.now_text(), kept.newest), list[str]()
        keys = [*kept.salts.items()]
        if not keys:
            salt = os.urandom(kept_out.KEY_BYTES).hex()
            name, line = kept_out.key_line(salt, at=at)
            keys, lines = [(name, salt)], [line]
        present = {(entry.reason, each, entry.after) for entry in kept.entries for each in entry.digests}
        added: list[Entry] = []
        for forms, reason, after in wanted:
            fields = kept_out.entry_fields(forms, reason, key=keys[0], at=at, by=by, after=after)
            if fields is None:
                continue
            entry = Entry(fields)
            if all((reason, each, entry.after) in present for each in entry.digests):
                continue
            present |= {(reason, each, entry.after) for each in entry.digests}
            added.append(entry)
            lines.append(_signed(stores, fields))
        if added:
            _append(stores, lines)
        elif kept.newest:
            from agentws.core.journal.sealing import writer_join

            writer_join.settle(stores.files, layout.KEPT_OUT)  # a killed run has added them
    return added


def lift(stores: Stores, entries: Iterable[Entry]) -> None:
    """End these entries, durably. NeedsYouError for an agent: only a person may do so."""
    environment = stores.environment
    if environment.by_agent or environment.session or environment.hosted:
        raise NeedsYouError(
            "Only a person can write forgotten text again, or lift its entry.",
            hint="Run the command in your own terminal, outside of a session.",
        )
    by = stores.appender().writer
    with lock.Lock(_prepared(stores), lock.APPEND):
        locate.check_not_left(stores.files)
        kept = read(stores)
        at = kept_out.later(stores.now_text(), kept.newest if kept is not None else "")
        _append(stores, [_signed(stores, kept_out.lifted_fields(entry, at=at, by=by)) for entry in entries])


def named(stores: Stores, ids: Sequence[str]) -> list[Entry]:
    """Return the entries with these ids or unique beginnings of them; UsageError for any other."""
    kept = read(stores)
    entries = []
    for id in ids:
        matches = [entry for entry in kept.entries if entry.id.startswith(id)] if kept is not None and id else []
        if len(matches) != 1:
            what = "several entries" if matches else "no entry"
            raise UsageError(f"{id!r} names {what} of what is kept out.", hint=_LIST)
        entries += matches
    return entries


def _refuse(stores: Stores, rows: Sequence[Entry]) -> None:
    if not rows:
        return
    entries = {entry.id: entry for entry in rows}
    if stores.environment.again:
        lift(stores, entries.values())
        return
    first = next(iter(entries.values()))
    raise ForgottenError(
        f"This contains text that was forgotten on {first.day} (entry {first.id}); nothing was written.",
        hint="Leave it out. Only a person can write it again: run the same command with --again.",
    )


def without_in_body(kept: KeptOut, body: dict[str, Any], entries: list[Entry]) -> dict[str, Any]:
    """Return the body of an event with stand-ins; its own keys and the names of call and tool stay as they are."""
    return {key: value if key in _NAMES else _without(kept, value, entries) for key, value in body.items()}


def in_events(stores: Stores, events: Iterable[Event]) -> None:
    """Put stand-ins into the bodies of these events: another machine may have yet to purge them."""
    kept = read(stores)
    for event in events if kept is not None else ():
        if kept is not None and event.body is not None:
            event.body = without_in_body(kept, event.body, [])


def _without(kept: KeptOut, value: Any, rows: list[Entry]) -> Any:
    """Return a JSON value with forgotten lines replaced, and add their kept-out entries to `rows`."""
    if isinstance(value, str):
        lines = value.split("\n")
        entries = kept.among(lines)
        rows += entries.values()
        return "\n".join(STAND_IN if index in entries else line for index, line in enumerate(lines))
    if isinstance(value, dict):
        return {_without(kept, key, rows): _without(kept, each, rows) for key, each in value.items()}
    if isinstance(value, list):
        return [_without(kept, each, rows) for each in value]
    return value


def _prepared(stores: Stores) -> Files:
    local_dir.prepare(stores.files)
    return stores.files


def _signed(stores: Stores, fields: dict[str, object]) -> str:
    """Return the line of an entry with the signature of this installation's key, if it has one."""
    from agentws.core.installation import keys

    own = stores.installation()
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    if key is None:
        return plainjson.dumps(fields)
    signature = key.sign(kept_out.message(fields, agent=stores.manifest.agent_id))
    return plainjson.dumps({**fields, "signature": signature})


def _append(stores: Stores, lines: Sequence[str]) -> None:
    from agentws.core.journal.sealing import writer_join

    if lines:
        writer_join.add(stores.files, layout.KEPT_OUT, "\n".join(lines))
