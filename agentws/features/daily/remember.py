"""remember: adds a lasting fact to MEMORY.md, with its origin and metadata in memory/sources.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from agentws.changes import ABSENT, Change, ChangeSet, Write
from agentws.core.disk import lenient
from agentws.core.formats import audience, digest, layout
from agentws.core.formats.documents import entry_rows as _entry_rows, managed, memory, sources, superseded
from agentws.core.formats.documents.sources import About
from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import conflict, escape
from agentws.core.stores import record, seals
from agentws.core.stores.referent import Referent
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import AgentwsError, ChangedUnderneathError, DiskError, MissingFileError, UsageError
from agentws.features.daily.supersession import Superseded

_TRIES = 5
_FACT = "[fact] "
"""The mark of facts in a log: in MEMORY.md it has no meaning, and from outside it would be escaped."""


class Remembered:
    """The result of `remember`: `path` and `line` (1-based) of the fact; `is_new` is False if it was there already.

    For a shared audience `line` is None, and a fact is always new. `src` is its source, `ref` what it was stated from,
    `about` the file that it describes, `replaced` the replaced entry; None for nothing.
    """

    __slots__ = ("about", "dry_run", "entry", "is_new", "line", "notices", "path", "ref", "replaced", "src")

    def __init__(self, placed: memory.Placed, entry: str, *, dry_run: bool) -> None:
        self.path = layout.MEMORY
        self.line: int | None = placed.line
        self.entry = entry
        self.is_new = placed.is_new
        self.dry_run = dry_run
        self.src = origin.AGENT
        self.ref: Referent | None = None
        self.about: About | None = None
        self.replaced: Superseded | None = None
        self.notices: list[str] = []

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
    if section is not None and origin.is_outside(source) and not _has_section(stores, section):
        # A heading has no origin: only the agent makes one. So the words of another stand in the quoted text.
        statement, section = f"{section.strip().lstrip('#').strip()}: {statement}", None
    head, tail = _entry_rows.head_and_tail(known.marks, source)
    fact = _Fact(memory.bullet(sanitize.written(statement), source, head=head, tail=tail), section, source, ref)
    fact.values = known.values
    if not dry_run:
        stores.settle()
    fact.about = _about(stores, about)
    fact.replaces = _allowed(stores, replaces)
    for left in reversed(range(_TRIES)):
        try:
            placed, is_written = _once(stores, fact, dry_run=dry_run)
            break
        except ChangedUnderneathError:
            if not left:
                raise
    done = Remembered(placed, fact.entry, dry_run=dry_run)
    done.path = stores.files.real(layout.MEMORY)
    if stores.audience() == audience.MAIN:
        _warn(stores, placed)
    else:
        done.line, done.is_new = None, True
    done.src, done.ref, done.about, done.replaced = source or origin.AGENT, ref, fact.about, fact.replaced
    if is_written:
        stores.notices += _record_stated(stores, done)
        stores.notices += seals.quietly(stores, due=True)
    done.notices = list(stores.notices)
    return done


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


class _Fact:
    """A fact to remember: its bullet, its section, and its metadata."""

    __slots__ = ("about", "digest", "entry", "ref", "replaced", "replaces", "section", "source", "values")

    def __init__(self, entry: str, section: str | None, source: str | None, ref: Referent | None) -> None:
        self.entry = entry
        self.digest = managed.of_text(entry.removeprefix("- "))
        self.section = section
        self.source = source
        self.ref = ref
        self.about: About | None = None
        self.values: dict[str, Any] = {}
        self.replaces: str | None = None
        self.replaced: Superseded | None = None


def _about(stores: Stores, path: str | None) -> About | None:
    if path is None:
        return None
    from agentws.core.stores import freshness, referent

    plain = referent.within(stores.root, path, hint=freshness.HINT)
    if not stores.visible_to().files.exists(plain):  # a file hidden from the audience counts as missing
        raise UsageError(f"{plain} does not exist.", hint=freshness.HINT)
    return freshness.about(stores.files, plain)


def _allowed(stores: Stores, replaces: str | None) -> str | None:
    if replaces is not None and stores.audience() != audience.MAIN:
        raise UsageError(
            f"--replaces names an entry of {layout.MEMORY}, which is hidden from a shared audience.",
            hint="Leave out --replaces, or use a session of the main audience.",
        )
    return replaces


def _once(stores: Stores, fact: _Fact, *, dry_run: bool) -> tuple[memory.Placed, bool]:
    """Return (MEMORY.md with the fact, whether anything was written)."""
    before, expects = _read(stores, layout.MEMORY, b"# Memory\n")
    conflict.check(layout.MEMORY, before.decode("utf-8", "surrogateescape"))
    text = before.decode("utf-8", "surrogateescape")
    data, sidecar = _sidecar(stores, fact)
    message = data.decode("utf-8", "surrogateescape")
    known = sources.decode(message) if fact.replaces or fact.digest in message else sources.Sidecar()
    changes: list[Change] = []
    rows: list[sources.Row] = []
    if fact.replaces is None:
        placed = memory.with_bullet(text, fact.entry, section=fact.section)
    else:
        from agentws.features.daily import supersession

        old = supersession.find(stores, before, known, fact.replaces, source=fact.source)
        fact.replaced, fact.replaces = old, old.digest  # its line may have changed when this is tried again
        placed = supersession.placed(text, old, fact.entry, section=fact.section)
        today = _today(stores)
        rows += old.left(fact.digest, today)
        changes.append(_kept(stores, old, fact, today))
    row = _row(stores, fact, known, is_new=placed.is_new)
    rows += [row] if row else []
    if rows and sidecar is not None:
        written = sources.joined(message, rows).encode("utf-8", "surrogateescape")
        changes.append(Write(sources.PATH, written, expects=sidecar))
    if placed.text != text:
        changes.append(Write(layout.MEMORY, placed.text.encode("utf-8", "surrogateescape"), expects=expects))
    if changes and not dry_run:
        if fact.replaced is not None:
            from agentws.core.formats.kept_out import SUPERSEDED
            from agentws.core.stores import kept_out  # only where a fact is replaced

            stores.refuse_forgotten(fact.entry)  # before the old one is marked as replaced
            kept_out.add(stores, [([fact.replaced.text], SUPERSEDED, fact.entry.removeprefix("- "))])
        stores.apply(ChangeSet("remember", tuple(changes)))
    return placed, bool(changes) and not dry_run


def _sidecar(stores: Stores, fact: _Fact) -> tuple[bytes, str | None]:
    """Return memory/sources.jsonl, and the digest that a change of it expects: None if it cannot be read, which does
    not prevent a plain fact. DiskError if the disk fails.
    """
    try:
        return _read(stores, sources.PATH, b"")
    except AgentwsError as error:
        if isinstance(error, DiskError) or fact.replaces or fact.ref or fact.about or fact.values:
            raise
        message = f"{error.message} Only the fact itself was written."
        stores.notices += [message] if message not in stores.notices else []
        return b"", None


def _today(stores: Stores) -> str:
    return stores.clock.now().date().isoformat()


def _kept(stores: Stores, old: Superseded, fact: _Fact, today: str) -> Change:
    """Return the change that adds a replaced entry to superseded.md, with its replacement and the day."""
    data, expects = _read(stores, superseded.PATH, b"")
    line = superseded.line(old.text, superseded.replaced_by(fact.entry.removeprefix("- "), today))
    text = superseded.with_lines(data.decode("utf-8", "surrogateescape"), [line], today)
    return Write(superseded.PATH, text.encode("utf-8", "surrogateescape"), expects=expects)


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
    keys: dict[str, object] = {"state": "", "reason": "", "until": "", "by": ""}
    if is_new or row is None:
        src = (fact.source or origin.AGENT) if is_new else origin.mark(fact.source) or origin.UNKNOWN
        row = sources.Stated(fact.digest, src=src, at="")
        keys["first"] = _today(stores) if is_new else ""
    is_told = is_new
    if ref and (row.ref, row.ref_src) != (ref.ref, ref.src):
        keys |= {"ref": ref.ref, "ref_src": ref.src, "sources": tuple(ref.lines), "src": origin.AGENT}
        is_told = True
    if fact.about and not _is_same(row.about, fact.about):
        keys["about"] = fact.about
        is_told = True
    if fact.values and fact.values != _entry_rows.metadata_of_row(row.more):
        keys["more"] = _with_values(row, fact)
        is_told = True
    if fact.replaced and fact.replaced.row:
        keys["kind"] = fact.replaced.row.kind
    keys["at"] = f"{stores.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return row.with_keys(**keys) if is_told else None


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


def _has_section(stores: Stores, section: str) -> bool:
    text = _read(stores, layout.MEMORY, b"")[0].decode("utf-8", "surrogateescape")
    return memory.has_section(text, section)


def _read(stores: Stores, path: str, default: bytes) -> tuple[bytes, str]:
    """Return (content of a file, the digest that a change of it expects)."""
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return default, ABSENT
    utf8.check_file(path, data)
    return data, digest.of(data)


def _record_stated(stores: Stores, done: Remembered) -> list[str]:
    """Record that the agent stated something as its own; a failure becomes a notice, as the fact is written."""
    if done.ref is None:
        return []
    body: dict[str, object] = {"path": done.path, "from": done.ref.ref, "from_src": done.ref.src}
    try:
        text = summary.cut(done.entry.split("\n", 1)[0].removeprefix("- "))
        return record.record(stores, [record.told(event.STATED, text, body=body)])[1]
    except AgentwsError as error:
        return [f"The fact was written, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
