"""remember: adds a lasting fact to MEMORY.md, with its origin and metadata in memory/sources.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from agentws.changes import ABSENT, Change, ChangeSet
from agentws.core import Record
from agentws.core.disk import lenient
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import entry_rows as _entry_rows, managed, memory, sources
from agentws.core.formats.documents.sources import About
from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import conflict, escape
from agentws.core.notes.document import File
from agentws.core.stores import provenance, record, seals
from agentws.core.stores.referent import Referent
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import AgentwsError, ChangedUnderneathError, DiskError, UsageError
from agentws.features.daily.supersession import Superseded

_TRIES = 5
_FACT = "[fact] "
"""The mark of facts in a log: in MEMORY.md it has no meaning, and from outside it would be escaped."""


class Remembered(Record):
    """The result of `remember`: `path` and `line` (1-based) of the fact; `is_new` is False if it was there already.

    For a shared audience `line` is None, and a fact is always new. `src` is its source, `ref` what it was stated from,
    `about` the file that it describes, `replaced` the replaced entry; None for nothing.
    """

    path: str
    line: int | None
    entry: str
    is_new: bool
    dry_run: bool
    src: str
    ref: Referent | None
    about: About | None
    replaced: Superseded | None
    notices: list[str]

    def __repr__(self) -> str:
        return f"Remembered({self.path}:{self.line}, is_new={self.is_new})"


def remember(
    stores: Stores,
    text: str | None = None,
    *,
    section: str | None = None,
    via: str | None = None,
    stated_from: str | None = None,
    about: str | None = None,
    replaces: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    dry_run: bool = False,
) -> Remembered:
    """Add a fact to MEMORY.md at the end of a section; all other bytes stay.

    `via` is its source: a fact from outside keeps its origin in the line, as unverified. With `stated_from` (FILE:LINE,
    or an event as WRITER:SEQ) the agent states the content of that place as its own, in the words of `text` if given;
    place and source are recorded.

    `about` is a file of the workspace that the fact describes: boot warns when it changes. `replaces` names an entry
    that agentws wrote, or that was remembered (MEMORY.md:LINE, the beginning of its digest, or words unique to it): the
    fact takes its place, and the entry is kept in memory/archive/superseded.md.

    `metadata` has plain values that `retrieve` filters by and returns: texts, numbers, true, false, null. Of these
    `kind`, `importance`, `tags` and `task` become marks of the line, and `section`, `via` (or `source`) and `about` are
    as if given by name; the others are kept in memory/sources.jsonl.

    A concurrent edit is kept: the fact is added to the edited file. UsageError if the text is empty, `section` is no
    heading, no entry can be about the file, or `replaces` names no such entry; SecretRefusedError for a secret.
    """
    known = _entry_rows.read_metadata(metadata)
    section = _once_given("section", section, known.words.get("section"))
    about = _once_given("about", about, known.words.get("about"))
    said_source = _once_given("source", known.words.get("via"), known.words.get("source"))
    via = _once_given("via", via, said_source)
    ref = _referent(stores, stated_from, via)
    statement = text if text is not None else escape.by(ref.src, ref.text.removeprefix(_FACT)) if ref else ""
    words = (plainjson.dumps(known.values), *(str(value) for value in (*known.marks.values(), *known.values.values())))
    secrets.refuse(statement, section, via, *words)
    utf8.check(statement, section, via, *words)
    if section is not None:
        escape.check_heading(section, what="--section")
    stores.check_writable()
    source = origin.given(via)
    if section and origin.is_outside(source) and not memory.has_section(_read(stores, layout.MEMORY).text, section):
        # A heading has no origin: only the agent makes one. So the words of another stand in the quoted text.
        statement, section = f"{section.strip().lstrip('#').strip()}: {statement}", None
    head, tail = _entry_rows.head_and_tail(known.marks, source)
    entry = memory.bullet(sanitize.written(statement), source, head=head, tail=tail)
    if not dry_run:
        stores.settle()
    is_main = stores.audience() == audience.MAIN
    if replaces is not None and not is_main:
        raise UsageError(
            f"--replaces names an entry of {layout.MEMORY}, which is hidden from a shared audience.",
            hint="Leave out --replaces, or use a session of the main audience.",
        )
    fact = _Fact(entry, section, source, ref, known.values, _about(stores, about), replaces)
    for left in reversed(range(_TRIES)):
        try:
            placed, is_written = _once(stores, fact, dry_run=dry_run)
            break
        except ChangedUnderneathError:
            if not left:
                raise
    path = stores.files.real(layout.MEMORY)
    if is_main:
        _warn(stores, placed)
    if is_written:
        stores.notices += _record_stated(stores, path, fact)
        stores.notices += seals.quietly(stores, due=True)
    line, is_new, src = placed.line if is_main else None, placed.is_new or not is_main, source or origin.AGENT
    return Remembered(path, line, entry, is_new, dry_run, src, ref, fact.about, fact.replaced, [*stores.notices])


def _warn(stores: Stores, placed: memory.Placed) -> None:
    """Add a notice if the fact is at a place where boot will not read it as a fact."""
    fence = memory.fence_above(placed.text, placed.line)
    if fence:
        stores.notices.append(
            f"{layout.MEMORY}:{fence}: this code block is not closed, so the fact is inside it. Close the code block."
        )
    if not lenient.reads_line(placed.text.encode("utf-8", "surrogateescape"), placed.line):
        stores.notices.append(
            f"{layout.MEMORY}:{placed.line}: the file is too large, so boot skips this line. "
            "Move old parts to another file, or name a section near the end."
        )


def _referent(stores: Stores, stated_from: str | None, via: str | None) -> Referent | None:
    if stated_from is None:
        return None
    if via is not None:
        raise UsageError(
            "--from and --via cannot be used together: --from states your own conclusion.",
            hint="Use one of them.",
        )
    from agentws.core.stores import referent

    return referent.find(stores.visible_to(), stated_from)  # the audience limits it, since the statement is printed


class _Fact(Record):
    """A fact to remember: its bullet, its section, and its metadata; `replaced` is the entry that it `replaces`."""

    entry: str
    section: str | None
    source: str | None
    ref: Referent | None
    values: dict[str, Any]
    about: About | None
    replaces: str | None
    replaced: Superseded | None = None

    @property
    def digest(self) -> str:
        """The digest of the fact's words."""
        return managed.of_text(self.entry.removeprefix("- "))


def _about(stores: Stores, path: str | None) -> About | None:
    if path is None:
        return None
    from agentws.core.stores import freshness, referent

    plain = referent.within(stores.root, path, hint=freshness.HINT)
    if not stores.visible_to().files.exists(plain):  # a file hidden from the audience counts as missing
        raise UsageError(f"{plain} does not exist.", hint=freshness.HINT)
    return freshness.about(stores.files, plain)


def _once(stores: Stores, fact: _Fact, *, dry_run: bool) -> tuple[memory.Placed, bool]:
    """Return (MEMORY.md with the fact, whether anything was written)."""
    document, sidecar = _read(stores, layout.MEMORY), _sidecar(stores, fact)
    conflict.check(layout.MEMORY, document.text)
    text = document.text if document.digest != ABSENT else "# Memory\n"
    message = sidecar.text if sidecar else ""
    known = sources.decode(message) if fact.replaces or fact.digest in message else sources.Sidecar()
    changes: list[Change] = []
    rows: list[sources.Row] = []
    if fact.replaces is None:
        placed = memory.with_bullet(text, fact.entry, section=fact.section)
    else:
        from agentws.features.daily import supersession

        old = supersession.find(stores, document.data, known, fact.replaces, source=fact.source)
        fact.replaced, fact.replaces = old, old.digest  # its line may have changed when this is tried again
        placed = supersession.placed(text, old, fact.entry, section=fact.section)
        today = stores.here().day
        rows += old.left(fact.digest, today)
        changes += supersession.kept(stores, old, sources.replaced_by(fact.entry.removeprefix("- "), today))
    row = _row(stores, fact, known, is_new=placed.is_new)
    rows += [row] if row else []
    if sidecar and rows:
        changes += sidecar.becomes(sources.joined(message, rows))
    changes += document.becomes(placed.text) if placed.text != text else []
    if changes and not dry_run:
        if fact.replaced is not None:
            from agentws.core.formats.kept_out import SUPERSEDED
            from agentws.core.stores import kept_out  # only where a fact is replaced

            stores.refuse_forgotten(fact.entry)  # before the old one is marked as replaced
            kept_out.add(stores, [([fact.replaced.text], SUPERSEDED, fact.entry.removeprefix("- "))])
        stores.apply(ChangeSet("remember", tuple(changes)))
    return placed, bool(changes) and not dry_run


def _sidecar(stores: Stores, fact: _Fact) -> File | None:
    """Return memory/sources.jsonl; None if it cannot be read, which does not prevent a plain fact. DiskError."""
    try:
        return _read(stores, sources.PATH)
    except AgentwsError as error:
        if isinstance(error, DiskError) or fact.replaces or fact.ref or fact.about or fact.values:
            raise
        message = f"{error.message} Only the fact itself was written."
        stores.notices += [message] if message not in stores.notices else []
        return None


def _row(stores: Stores, fact: _Fact, known: sources.Sidecar, *, is_new: bool) -> sources.Row | None:
    """Return the row of memory/sources.jsonl that records the fact and its source; None if it is recorded already.

    The author of a fact that was there already is unknown, unless the agent states it as its own.
    """
    row, ref = known.stated.get(fact.digest), fact.ref
    made = known.made.get(fact.digest)
    if made is not None and row is None and ref is None and not is_new:
        # The row loses its run, which would otherwise become the newest one.
        has_more = (fact.about and not _is_same(made.about, fact.about)) or fact.values
        more = _with_values(made, fact)
        return made.with_keys(about=fact.about or made.about, more=more, run="") if has_more else None
    if is_new or row is None:
        src = (fact.source or origin.AGENT) if is_new else origin.mark(fact.source) or origin.UNKNOWN
        row = sources.Stated(fact.digest, src=src, at="", first=stores.here().day if is_new else "")
    keys: dict[str, object] = {}
    if ref and (row.ref, row.ref_src) != (ref.ref, ref.src):
        keys |= {"ref": ref.ref, "ref_src": ref.src, "sources": tuple(ref.lines), "src": origin.AGENT}
    if fact.about and not _is_same(row.about, fact.about):
        keys["about"] = fact.about
    if fact.values and fact.values != _entry_rows.metadata_of_row(row.more):
        keys["more"] = _with_values(row, fact)
    if not (is_new or keys):
        return None
    if fact.replaced and fact.replaced.row:
        keys["kind"] = fact.replaced.row.kind
    at = f"{stores.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return row.with_keys(**keys, at=at, state="", reason="", until="", by="")


def _with_values(row: sources.KnownEntry, fact: _Fact) -> dict[str, object]:
    """Return the further keys of a row, with the metadata of the fact instead of earlier ones."""
    return {**row.more, _entry_rows.METADATA_KEY: fact.values} if fact.values else dict(row.more)


def _once_given(what: str, value: str | None, other: str | None) -> str | None:
    """Return the one of two values that was given; UsageError if both were given and differ."""
    if value is not None and other is not None and value != other:
        raise UsageError(f"{what} is given twice: {value!r} and {other!r}.", hint="Leave one of these out.")
    return other if value is None else value


def _is_same(about: About | None, other: About) -> bool:
    return about is not None and (about.path, about.digest) == (other.path, other.digest)


def _read(stores: Stores, path: str) -> File:
    file = provenance.file_of(stores.files, path)
    utf8.check_file(path, file.data)
    return file


def _record_stated(stores: Stores, path: str, fact: _Fact) -> list[str]:
    """Record that the agent stated something as its own; a failure becomes a notice, as the fact is written."""
    if fact.ref is None:
        return []
    body: dict[str, object] = {"path": path, "from": fact.ref.ref, "from_src": fact.ref.src}
    try:
        text = summary.cut(fact.entry.split("\n", 1)[0].removeprefix("- "))
        return record.record(stores, [record.told(event.STATED, text, body=body)])[1]
    except AgentwsError as error:
        return [f"The fact was written, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
