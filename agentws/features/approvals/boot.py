"""Approvals in boot: how many wait for a person."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.stores.boot_inputs import BootInputs


def boot_sources(reading: BootInputs) -> None:
    """Add to boot how many approvals wait for a person, if any do."""
    reading.waiting.append(lambda: _pending(reading))


def _pending(reading: BootInputs) -> str:
    paths = reading.reader.markdown(layout.APPROVALS)
    if not paths:
        return ""
    from agentws.features.approvals import pending_approvals

    waiting = pending_approvals.of(reading.stores.files, paths, reading.moment)
    reading.turn(waiting.soonest)
    if not waiting.count:
        return ""
    theirs = pending_approvals.theirs(waiting, pending_approvals.strange(reading.stores))
    return f"{waiting}{theirs}: agentws ask list"
