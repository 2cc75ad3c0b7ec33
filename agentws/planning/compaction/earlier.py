"""What earlier runs of compaction kept, or found no room for, as what a run chooses from. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import managed, origin
from agentws.planning.compaction import candidates
from agentws.planning.compaction.candidates import Candidate
from agentws.planning.compaction.units import Source
from agentws.planning.notes import reading

if TYPE_CHECKING:
    from agentws.formats.sources import Made, Waiting
    from agentws.planning.compaction import digest
    from agentws.planning.notes.vocabulary import Vocabulary


def of_entry(one: managed.Entry, made: Made, words: Vocabulary) -> Candidate | None:
    """Return an entry of MEMORY.md; None where nothing of it can be read."""
    found = _again(one.text, made, made.src or origin.of_line(one.text) or origin.UNKNOWN, words)
    if found is not None:
        found.made, found.text = one.digest, " ".join(one.text.split())
        found.kind = made.kind if made.kind in managed.KINDS else managed.kind_of(one.kind)
    return found


def of_line(line: digest.Line, made: Made, words: Vocabulary) -> Candidate | None:
    """Return a line of the digest; None where nothing of it can be read."""
    text = line.text[len(made.day) + 1 :] if made.day and line.text.startswith(made.day) else line.text
    found = _again(text, made, made.src or origin.UNKNOWN, words)
    if found is not None:
        found.waits, found.text = line.digest, text
        found.kind = made.kind if made.kind in managed.KINDS else "fact"
        found.strength = candidates.HEADING if made.kind in managed.KINDS else candidates.NONE
    return found


def of_waiting(one: Waiting, words: Vocabulary) -> Candidate | None:
    """Return a line that found no room; None where nothing of it can be read."""
    found = _again(one.text, one.made, one.made.src or origin.UNKNOWN, words)
    if found is not None:
        found.queued, found.text = one.made.entry, one.text
        found.kind = one.made.kind if one.made.kind in managed.KINDS else "fact"
    return found


def _again(text: str, made: Made, src: str, words: Vocabulary) -> Candidate | None:
    """A line of an earlier run, as its first log said it: so a reference of that one is one of this."""
    path = made.sources[0].path if made.sources else ""
    entries = reading.read(f"- {' '.join(text.split())}\n", path=path, day=made.day, words=words)
    if not entries:
        return None
    found = Candidate(entries[0], strength=candidates.MARKER, src=src)
    found.sources = [Source(one.path, one.line, one.end) for one in made.sources]
    found.days = {day for day in (*made.confirmed, made.first, made.day) if day}
    if made.first and not made.kind:
        found.strength = candidates.NONE
    refs = made.more.get("refs")
    found.known_refs = tuple(map(str, refs)) if isinstance(refs, list) else ()
    importance = made.more.get("importance")
    found.importance = importance if isinstance(importance, int) else found.importance
    return found
