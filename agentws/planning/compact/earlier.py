"""Earlier runs: what they kept or had no room for, and decisions about lines since. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.formats.documents import managed, sources
from agentws.planning.compact import candidates, digest
from agentws.planning.compact.candidates import Candidate
from agentws.planning.compact.units import Source
from agentws.planning.notes import reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.formats.documents.managed import Section
    from agentws.formats.documents.sources import Made, Sidecar, Waiting
    from agentws.planning.compact.fold import Folder
    from agentws.planning.notes.vocabulary import Vocabulary


class Earlier:
    """The facts known before a run: `ours`, the entries of MEMORY.md by digest, and the `lines` of the digest likewise.

    `unmarked` tells by digest which entries of earlier versions come from outside, and from which source.
    """

    def __init__(self, found: Folder, now: Section, known: Sidecar, unmarked: Mapping[str, str]) -> None:
        self.known = known
        self.unmarked = unmarked
        self.ours = {one.digest: one for one in now.entries if one.digest in known.made}
        self.lines = {one.digest: one for one in digest.lines(found.page.text) if one.digest in known.made}
        rows = sorted((row for row in known.made.values() if not row.run), key=lambda row: row.is_current)
        self._decided = {(one.path, one.line): row.is_current for row in rows for one in row.sources}

    def kept(self, words: Vocabulary) -> list[Candidate]:
        """The lines that earlier runs kept, or found no room for."""
        made = self.known.made
        entries = [
            one for one in self.ours.values() if one.kind not in managed.MOVED and one.digest not in self.unmarked
        ]
        lines = [one for one in self.lines.values() if one.title not in (digest.OPEN, digest.NOT_SHOWN)]
        return [
            *(_of_entry(one, made[one.digest], words) for one in entries),
            *(_of_line(one, made[one.digest], words) for one in lines),
            *(_of_waiting(one, words) for one in self.known.waiting.values()),
        ]

    def was_removed(self, one: Candidate) -> bool:
        """Return whether a person declined it, or its author edited it or took it out: it does not come back."""
        known = self.known
        if not (known.made or known.stated or known.declined) or one.name in self.ours:
            return False
        if known.declined.get(one.name) == sources.PERSON:
            return True
        made = known.made.get(one.name)
        rows = [row for row in (made, known.stated.get(one.name)) if row is not None and not row.is_current]
        if any(one.day <= row.until for row in rows):
            return True
        if made is None:
            return False
        return one.name not in known.left or one.day <= max((*made.confirmed, made.day))

    def was_decided(self, one: Candidate) -> bool:
        """Return whether the author of MEMORY.md took it up, perhaps in other words, or did not want it: `curate`."""
        if any((source.path, source.line) in self._decided for source in one.sources):
            return True
        return bool(self.known.declined) and one.name in self.known.declined

    def is_over(self, one: Candidate) -> bool:
        """Return whether MEMORY.md says it now as its author put it, or a person did not want it."""
        is_taken = any(self._decided.get((source.path, source.line)) for source in one.sources)
        return is_taken or self.known.declined.get(one.name) == sources.PERSON

    def is_proposed(self, one: Candidate) -> bool:
        """Return whether an earlier run proposed it: until its author has decided, it enters in no mode."""
        row = self.known.made.get(one.name) if one.waits or one.queued else None
        return row is not None and row.is_current

    def waits(self, one: Candidate) -> bool:
        """Return whether it enters MEMORY.md when there is room."""
        return one.counts and not self.was_decided(one)

    def is_queued(self, one: Candidate) -> bool:
        """Return whether an earlier run found no room for it, and nobody has decided since."""
        return bool(one.queued) and not self.was_decided(one)


def _of_entry(one: managed.ManagedEntry, made: Made, words: Vocabulary) -> Candidate:
    text = " ".join(one.text.split())
    found = _again(text, made, made.src or origin.of_line(one.text) or origin.UNKNOWN, words)
    found.made = one.digest
    found.kind = made.kind if made.kind in managed.KINDS else managed.kind_of(one.kind)
    return found


def _of_line(line: digest.Line, made: Made, words: Vocabulary) -> Candidate:
    text = line.text[len(made.day) + 1 :] if made.day and line.text.startswith(made.day) else line.text
    found = _again(text, made, made.src or origin.UNKNOWN, words)
    found.waits = line.digest
    found.kind = made.kind if made.kind in managed.KINDS else "fact"
    found.strength = candidates.HEADING if made.kind in managed.KINDS else candidates.NONE
    return found


def _of_waiting(one: Waiting, words: Vocabulary) -> Candidate:
    found = _again(one.text, one.made, one.made.src or origin.UNKNOWN, words)
    found.queued = one.made.entry
    found.kind = one.made.kind if one.made.kind in managed.KINDS else "fact"
    return found


def _again(text: str, made: Made, src: str, words: Vocabulary) -> Candidate:
    """A line of an earlier run, as its first log said it: so a reference of that one is one of this."""
    path = made.sources[0].path if made.sources else ""
    entry = reading.read_line(text, path=path, day=made.day, words=words)
    found = Candidate(entry, text, strength=candidates.MARKER, src=src)
    found.sources = [Source(one.path, one.line, one.end) for one in made.sources]
    found.days = {day for day in (*made.confirmed, made.first, made.day) if day}
    if made.first and not made.kind:
        found.strength = candidates.NONE
    refs = made.more.get("refs")
    found.known_refs = tuple(map(str, refs)) if isinstance(refs, list) else ()
    found.is_nested = made.more.get("nested") is True
    importance = made.more.get("importance")
    found.importance = importance if isinstance(importance, int) else found.importance
    return found
