"""Supersession for `remember --replaces`: finds the old entry of MEMORY.md and puts the new one in its place."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.changes import Change
from agentws.core import Result
from agentws.core.disk.change import undo_record
from agentws.core.formats import layout
from agentws.core.formats.documents import managed, memory, sources
from agentws.core.formats.documents.sources import KnownEntry, Sidecar
from agentws.core.formats.journal import summary
from agentws.core.markdown import markdown
from agentws.core.markdown.markdown import Unit
from agentws.core.notes import closure
from agentws.core.notes.closure import Row
from agentws.core.stores import provenance, referent
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, utf8
from agentws.errors import AmbiguousError, UsageError

_FEWEST_DIGITS = 6
_MOST_TOLD = 8
_VERB = "remember"
_OUTSIDE = "For your own conclusion, leave out --via or use --from REF."
_THEIRS = "If the user stated the new fact too, add --via user."
_HINT = "Use MEMORY.md:LINE, or words unique to that entry."


class Superseded(Result):
    """An entry of MEMORY.md that `remember --replaces` supersedes.

    Fields:
        line, end_line: its lines in MEMORY.md, 1-based.
        text: its words on one line; `digest` is the digest of these.
        row: its row in memory/sources.jsonl, or None.
    """

    __slots__ = ("digest", "end_line", "line", "row", "text")

    def __init__(self, unit: Unit, known: Sidecar) -> None:
        self.line = unit.line
        self.end_line = unit.end_line
        self.text = _words(unit)
        self.digest = managed.of_text(self.text)
        self.row: KnownEntry | None = known.made.get(self.digest) or known.stated.get(self.digest)

    @property
    def src(self) -> str:
        """The origin of the superseded entry's words."""
        marked = origin.within(self.text)
        return origin.lowest([source for source in (self.row and self.row.src, marked) if source] or [origin.UNKNOWN])

    def left(self, by: str, day: str, *, state: str = sources.SUPERSEDED, reason: str = "") -> list[sources.Row]:
        """Return the rows by which the entry held until `day`; `by` is the digest of the one that replaced it."""
        row = self.row or sources.Stated(self.digest, src=self.src, at="")
        keys = {"state": state, "until": day, "by": by} | ({"reason": reason} if reason else {})
        # A row with a run would make that run the newest one.
        old = row.with_keys(**keys, **({"run": ""} if isinstance(row, sources.Made) else {}))
        assert isinstance(old, sources.Made | sources.Stated)
        return [old, sources.Left(self.digest, self.text, kind=self.row.kind if self.row else "", run="")]


def find(stores: Stores, data: bytes, known: Sidecar, ref: str, *, source: str | None) -> Superseded:
    """Return the entry to supersede that `ref` names: MEMORY.md:LINE, a digest or its beginning, or words unique to it.

    UsageError if it is missing, if agentws did not write it, or if it has a more trusted source; AmbiguousError if
    there are several.
    """
    text = data.decode("utf-8", "surrogateescape")
    old = Superseded(_named(stores, text, ref), known)
    if not _is_ours(stores, old, data, text):
        raise UsageError(
            f"{layout.MEMORY}:{old.line} was not written by agentws; nothing was changed.",
            hint="Edit the file, or leave out --replaces.",
        )
    if origin.trust(source) < origin.trust(old.src):
        new = source or origin.AGENT
        raise UsageError(
            f"{layout.MEMORY}:{old.line} comes from a more trusted source ({old.src}) than the new fact ({new}).",
            hint=_OUTSIDE if origin.is_outside(source) else _THEIRS,
        )
    return old


def placed(text: str, old: Superseded, entry: str, *, section: str | None) -> memory.Placed:
    """Return MEMORY.md with `entry` in place of the superseded one, or in another `section`."""
    if managed.of_text(entry.removeprefix("- ")) == old.digest:
        raise UsageError(
            "The entry already says this.", hint=f"To link the entry to a file: agentws {_VERB} TEXT --about PATH"
        )
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    before, behind = lines[: old.line - 1], lines[old.end_line :]
    rest = newline.join([*before, *behind])
    elsewhere = memory.with_bullet(rest, entry, section=section)
    if section is not None or not elsewhere.is_new:
        return elsewhere
    indent = lines[old.line - 1][: len(lines[old.line - 1]) - len(lines[old.line - 1].lstrip())]
    own = [f"{indent}{each}" if each else "" for each in entry.split("\n")]
    return memory.Placed(newline.join([*before, *own, *behind]), old.line, is_new=True)


def kept(stores: Stores, old: Superseded, why: str) -> list[Change]:
    """Return the change that adds a superseded entry to memory/archive/superseded.md, with the reason."""
    file = provenance.file_of(stores.files, sources.SUPERSEDED_PATH)
    utf8.check_file(file.path, file.data)
    return file.becomes(sources.with_superseded(file.text, [sources.superseded_line(old.text, why)], stores.here().day))


def _named(stores: Stores, text: str, ref: str) -> Unit:
    units = [unit for unit in markdown.units(text) if unit.kind != markdown.HEADING]
    path, _, number = ref.rpartition(":")
    if path and number.isdigit() and path.endswith(".md"):
        path, line = referent.place(stores.root, ref)
        if path != layout.MEMORY:
            raise UsageError(f"{ref} is not in {layout.MEMORY}.", hint=_HINT)
        return _only_entry(ref, [unit for unit in units if unit.line <= line <= unit.end_line])
    if len(ref) >= _FEWEST_DIGITS and not ref.strip("0123456789abcdef"):
        passages = [unit for unit in units if managed.of_text(_words(unit)).startswith(ref)]
        if passages:
            return _only_entry(ref, passages)
    rows = [Row("", _words(unit), layout.MEMORY, unit.line) for unit in units]
    lines = {row.line for row in closure.literally(ref, rows)}
    return _only_entry(ref, [unit for unit in units if unit.line in lines])


def _only_entry(ref: str, units: Sequence[Unit]) -> Unit:
    if not units:
        raise UsageError(f"No entry of {layout.MEMORY} matches {ref!r}.", hint=_HINT)
    if len(units) > 1:
        shown = "\n".join(f"  {layout.MEMORY}:{unit.line}  {summary.cut(_words(unit))}" for unit in units[:_MOST_TOLD])
        raise AmbiguousError(
            f"{len(units)} entries match {ref!r}. Nothing was changed.", hint=f"Name one by its line:\n{shown}"
        )
    return units[0]


def _words(unit: Unit) -> str:
    return " ".join(unit.text[markdown.marker(unit.text) :].split())


def _is_ours(stores: Stores, old: Superseded, data: bytes, text: str) -> bool:
    """Return whether compaction, curation or `remember` wrote the entry; being tied to a file is not enough."""
    if old.row is not None:
        return isinstance(old.row, sources.Made) or old.row.src != origin.UNKNOWN
    line = text.split("\n")[old.line - 1].strip("\r")
    brought = undo_record.writer_of(stores.files, layout.MEMORY, line, data)
    return brought is not None and brought.is_sure and brought.verb == _VERB and old.end_line == old.line
