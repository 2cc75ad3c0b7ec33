"""The entries of MEMORY.md with their origin, and their revision by a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from agentws.changes import ChangeSet
from agentws.core.formats import layout
from agentws.core.formats.documents import managed, memory, sources
from agentws.core.formats.documents.sources import KnownEntry, Sidecar, Source
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import markdown
from agentws.core.stores import freshness, provenance, seals
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import ChangedUnderneathError, UsageError
from agentws.features.daily.supersession import Superseded, kept, placed

_EDITOR = "agentws open MEMORY.md"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of MEMORY.md: a list item with what is below it, a paragraph, a table row or a code block.

    Fields:
        line, end_line: its lines, 1-based. headings: those above it, the outermost first.
        text: its words, without bullet. digest: that of these. is_item: whether it is a list item.
        day: since when it is known (ISO). confirmed: the newest day on which it was confirmed. Empty if unknown.
        kind, src: its kind, and whose words it is; `unknown` without a record or a mark.
        sources: the lines from which it was made, by their paths then. ref: the event or line it was stated from.
        replaced: the texts of the entries that it replaced.
        about, freshness: the file that it is about, and whether that has changed since.
    """

    line: int
    end_line: int
    headings: tuple[str, ...]
    text: str
    digest: str
    is_item: bool
    day: str = ""
    confirmed: str = ""
    kind: str = ""
    src: str = origin.UNKNOWN
    sources: Sequence[Source] = ()
    ref: str = ""
    replaced: Sequence[str] = ()
    about: str = ""
    freshness: str = ""


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of MEMORY.md, and notices."""

    path: str
    rows: Sequence[Entry]
    notices: Sequence[str]


def entries(stores: Stores) -> Entries:
    """Return all entries of MEMORY.md in their order, with what is recorded about them."""
    document = provenance.file_of(stores.files, stores.files.real(layout.MEMORY))
    known = sources.decode(provenance.text_of(stores.files, sources.PATH))
    before: dict[str, list[str]] = {}
    for row in (*known.made.values(), *known.stated.values()):
        if row.by and row.entry in known.left:
            before.setdefault(row.by, []).append(known.left[row.entry].text)
    ties = {name: (tie.path, tie.state) for name, tie in freshness.of(stores).items()}
    units = [unit for unit in markdown.units(document.text) if unit.kind != markdown.HEADING]
    rows = [_entry(unit, known, before, ties) for unit in units]
    return Entries(document.path, rows, list(stores.notices))


def _entry(
    unit: markdown.Unit, known: Sidecar, before: dict[str, list[str]], ties: dict[str, tuple[str, str]]
) -> Entry:
    digest = managed.of_unit(unit)
    made, stated = known.made.get(digest), known.stated.get(digest)
    row: KnownEntry | None = stated if stated is not None and (stated.ref or made is None) else made
    marked = origin.within(unit.text)
    day = max(row.confirmed, default="") if row else ""
    about, state = ties.get(digest, ("", ""))
    return Entry(
        unit.line,
        unit.end_line,
        unit.path,
        _words(unit),
        digest,
        unit.kind == markdown.ITEM,
        day=(row.first or (made.day if made else "")) if row else "",
        confirmed=day,
        kind=row.kind if row else "",
        src=marked or (row.src if row else "") or origin.UNKNOWN,
        sources=row.sources if row else (),
        ref=stated.ref if stated else "",
        replaced=before.get(digest, ()),
        about=about,
        freshness=state,
    )


def _words(unit: markdown.Unit) -> str:
    if unit.kind != markdown.ITEM:
        return unit.text.rstrip()
    first, *below = unit.text.rstrip().split("\n")
    indent = markdown.marker(first)
    return "\n".join([first[indent:], *(line[min(indent, len(line) - len(line.lstrip())) :] for line in below)])


@dataclass(frozen=True, slots=True)
class Revised:
    """The result of `revise`: the text `before` and `after` (empty: removed), its `line` in MEMORY.md, and notices."""

    before: str
    after: str
    line: int
    notices: Sequence[str]


def revise(stores: Stores, digest: str, text: str = "") -> Revised:
    """Put `text` in the place of the list item of MEMORY.md with this digest, or remove the item; for a person only.

    The old words go to memory/archive/superseded.md. ChangedUnderneathError if no item has the digest: it was edited
    meanwhile; UsageError if several have it; SecretRefusedError for a secret.
    """
    stores.environment.check_person(_EDITOR, "revise an entry of MEMORY.md")
    secrets.refuse(text)
    utf8.check(text)
    stores.check_writable()
    stores.settle()
    document = provenance.file_of(stores.files, stores.files.real(layout.MEMORY))
    utf8.check_file(document.path, document.data)
    units = [unit for unit in markdown.units(document.text) if unit.kind == markdown.ITEM]
    same = [each for each in units if managed.of_unit(each) == digest]
    if not same:
        raise ChangedUnderneathError("The entry was edited or removed meanwhile. Nothing was changed.", hint=_EDITOR)
    if len(same) > 1:
        places = ", ".join(f"{document.path}:{each.line}" for each in same)
        raise UsageError(f"Several entries have these words: {places}. Nothing was changed.", hint=_EDITOR)
    sidecar = provenance.file_of(stores.files, sources.PATH)
    old, today = Superseded(same[0], sources.decode(sidecar.text)), stores.here().day
    entry = memory.bullet(sanitize.written(text)) if text.strip() else ""
    words = entry.removeprefix("- ")
    if entry:
        stores.refuse_forgotten(entry)
        new, why = placed(document.text, old, entry, section=None).text, sources.replaced_by(words, today)
        at = f"{stores.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        kind = old.row.kind if old.row else ""
        comes = managed.of_text(words)
        rows = [*old.left(comes, today), sources.Stated(comes, src=origin.USER, at=at, first=today, kind=kind)]
    else:
        lines = document.text.split("\n")
        new = "\n".join([*lines[: old.line - 1], *lines[old.end_line :]])
        why = f"(removed by a person, {today})"
        rows = old.left("", today, state=sources.RETIRED, reason="removed by a person")
    changes = [*kept(stores, old, why), *sidecar.becomes(sources.joined(sidecar.text, rows)), *document.becomes(new)]
    stores.apply(ChangeSet("memory revise", tuple(changes)))
    notices = [*stores.notices, *seals.quietly(stores, due=True)]
    return Revised(old.text, words, old.line, list(dict.fromkeys(notices)))
