"""Adds the open handoffs to boot."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.notes import sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.stores.boot_inputs import BootInputs

_MOST_HANDOFFS = 20
_MOST_OPEN = 3
_MOST_LOOKED_AT = 500


def boot_sources(reading: BootInputs) -> None:
    """Add the open handoffs to boot, newest first; older ones only if a newer one says that they stay open."""
    paths = reading.reader.markdown(layout.HANDOFFS)
    if not paths:
        return
    strange: set[str] = set()
    if reading.stores.adopted:
        from agentws.features.handoff import handoff_origin

        # Whoever writes many of them hides none that was written here.
        strange = handoff_origin.unwritten(reading.stores, paths[-_MOST_LOOKED_AT:])
    paths = [path for path in paths if path not in strange]
    handoffs = _read(reading, list(reversed(paths[-_MOST_HANDOFFS:])))
    left = {f"{layout.HANDOFFS}/{name}.md" for note in handoffs for name in note.leaves_open}
    handoffs += _read(reading, sorted(left.intersection(paths[:-_MOST_HANDOFFS]), reverse=True)[:_MOST_HANDOFFS])
    reading.handoffs = handoffs
    theirs = _read(reading, sorted(strange, reverse=True)[:_MOST_HANDOFFS])
    open_ = handoff.still_open([*handoffs, *theirs], strange=strange)
    ours = [note for note in open_ if note.path not in strange]
    others = handoff.past_first([note for note in open_ if note.path in strange], reading.today)
    if others:
        count = f"{len(others)} handoff{'s' * (len(others) > 1)}"
        name = others[0].name
        what = f"If it is yours: agentws handoff show {name} --accept. To close: agentws handoff ack {name}"
        reading.notices.append(f"{count} of unknown origin. {what}")  # so short that it is shown whole
    shown = [*handoff.told_first(ours, _MOST_OPEN), *others[:1]]
    if len(open_) > len(shown):
        rest = f"{len(shown)} are shown. List all: agentws handoff list"
        reading.notices.append(f"{len(open_)} handoffs are open; {rest}")
    reading.sources += [
        sources.of_handoff(note, today=reading.today, logged=reading.logged, is_strange=note.path in strange)
        for note in shown
    ]


def _read(reading: BootInputs, paths: Sequence[str]) -> list[Handoff]:
    read = ((path, reading.reader.document(path)) for path in paths)
    return [handoff.Handoff(path, document) for path, document in read if document is not None]
