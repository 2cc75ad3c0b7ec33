"""Approvals in boot: how many wait for a person, and how many may be used."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.stores.boot_inputs import BootInputs


def boot_sources(reading: BootInputs) -> None:
    """Add to boot how many approvals wait for a person or may be used, if any."""
    reading.waiting.append(lambda: _pending(reading))


def _pending(reading: BootInputs) -> str:
    paths = reading.reader.markdown(layout.APPROVALS)
    if not paths:
        return ""
    from agentws.features.approvals import pending_approvals

    waiting = pending_approvals.of(reading.stores.files, paths, reading.moment)
    for until in (waiting.soonest, *waiting.granted):
        reading.turn(until)
    count, says = len(waiting.granted), []
    if count:
        says.append(f"{count} approved action{'s' if count > 1 else ''} may be done now, once")
    if waiting.count:
        says.append(f"{waiting}{pending_approvals.theirs(waiting, pending_approvals.strange(reading.stores))}")
    return f"{', '.join(says)}: agentws ask list" if says else ""
