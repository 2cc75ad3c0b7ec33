"""The checks of backups in `status` and `doctor`: age and lag of the newest, failures and drills."""

from __future__ import annotations

from agentws.core.findings import Check, Finding, since
from agentws.core.installation import backups
from agentws.core.stores.seen import Seen

_NAME = "backup"


def checks(seen: Seen) -> list[Check]:
    """Return the check about the newest backup; none if no destination is known. No destination is read."""
    stores = seen.stores
    present = backups.read(*stores.machine)
    known = [destination for destination in present if not destination.is_gone]  # a finding names it
    failed = next((destination for destination in known if destination.failed), None)
    if failed is not None:
        from agentws.features.copies.backup.plan import findings as planned

        return [
            Check(
                _NAME,
                ok=False,
                says=f"fails since {since(failed.failed)}",
                remedy=planned.remedy(failed.to, failed.failed),
            )
        ]
    begun = [destination for destination in known if destination.at]
    if not begun:
        says = "{}: none was made here since it was restored. agentws backup create"
        return [Check(_NAME, ok=True, says=says.format(destination.to)) for destination in known[:1]]
    known = begun
    from agentws.features.copies.backup import backup_lag

    newest = max(known, key=lambda destination: backup_lag.moment(destination.at))
    says = f"newest {backup_lag.ago(seen.moment, newest.at)}, in {newest.to}"
    late = next((destination.hooks_failed for destination in known if destination.hooks_failed), "")
    if late:
        says += f"; at a session's end it fails since {since(late).rstrip('.')}"
    lag = backup_lag.behind(stores.files, newest.heads)
    lacking = [(lag.events, "event"), (backup_lag.documents(stores.files, newest.newest_ns), "document")]
    lacks = " and ".join(f"{count:,} {word}{'s' * (count != 1)}" for count, word in lacking if count)
    if not lacks:
        what = "events and documents" if newest.newest_ns else "events"
        return [Check(_NAME, ok=True, says=f"{says}; all {what} are in it")]
    last = f", the last event {backup_lag.span(seen.moment, lag.newest)}" if lag.newest else ""
    return [Check(_NAME, ok=True, says=f"{says}; {lacks} not in it{last}")]


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about backups; none if no destination is known."""
    stores, known = seen.stores, backups.read(*seen.stores.machine)
    if not known:
        return []
    from agentws.features.copies.backup import backup_lag
    from agentws.features.copies.backup.plan import findings as planned

    faults = [planned.gone(destination.to) for destination in known if destination.is_gone]
    known = [destination for destination in known if not destination.is_gone]
    faults += [
        finding
        for destination in known
        if destination.failed
        for finding in planned.failing(destination.to, destination.failed)
    ]
    times = [backup_lag.moment(destination.at) for destination in known if destination.at]
    if known and not times and not known[0].failed:
        faults += planned.unbegun(known[0].to)
    if times:
        lag = min(
            (backup_lag.behind(stores.files, destination.heads) for destination in known if destination.at),
            key=lambda lag: lag.events,
        )
        documents = backup_lag.documents(
            stores.files, max(destination.newest_ns for destination in known if destination.at)
        )
        faults += planned.old(seen.moment, max(times), lag.events, documents)
        drilled = [
            backup_lag.moment(str(destination.drilled["at"])) for destination in known if destination.drilled.get("at")
        ]
        failed = [destination for destination in known if destination.drilled.get("well") is False]
        since = min(backup_lag.moment(destination.since or destination.at) for destination in known if destination.at)
        faults += planned.drill_failed(failed[0].to) if failed else planned.drill_due(seen.moment, since, drilled)
    return faults
