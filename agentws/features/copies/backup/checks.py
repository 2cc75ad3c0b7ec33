"""The checks of backups in `status` and `doctor`: age and lag of the newest, failures and drills."""

from __future__ import annotations

from agentws.core.findings import Check, since
from agentws.core.installation import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.findings import Finding
    from agentws.core.installation.backups import Known
    from agentws.core.stores.seen import Seen

_NAME = "backup"


def checks(seen: Seen) -> list[Check]:
    """Return the check about the newest backup; none if no destination is known. No destination is read."""
    stores = seen.stores
    known = [one for one in _known(seen) if not one.is_gone]  # a finding names it
    failed = next((one for one in known if one.failed), None)
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
    begun = [one for one in known if one.at]
    if not begun:
        says = "{}: none was made here since it was restored. agentws backup create"
        return [Check(_NAME, ok=True, says=says.format(one.to)) for one in known[:1]]
    known = begun
    from agentws.features.copies.backup import backup_lag

    newest = max(known, key=lambda one: backup_lag.moment(one.at))
    says = f"newest {backup_lag.ago(seen.moment, newest.at)}, in {newest.to}"
    late = next((one.hooks_failed for one in known if one.hooks_failed), "")
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
    stores, known = seen.stores, _known(seen)
    if not known:
        return []
    from agentws.features.copies.backup import backup_lag
    from agentws.features.copies.backup.plan import findings as planned

    found = [planned.gone(one.to) for one in known if one.is_gone]
    known = [one for one in known if not one.is_gone]
    found += [finding for one in known if one.failed for finding in planned.failing(one.to, one.failed)]
    times = [backup_lag.moment(one.at) for one in known if one.at]
    if known and not times and not known[0].failed:
        found += planned.unbegun(known[0].to)
    if times:
        lag = min((backup_lag.behind(stores.files, one.heads) for one in known if one.at), key=lambda lag: lag.events)
        documents = backup_lag.documents(stores.files, max(one.newest_ns for one in known if one.at))
        found += planned.old(seen.moment, max(times), lag.events, documents)
        drilled = [backup_lag.moment(str(one.drilled["at"])) for one in known if one.drilled.get("at")]
        failed = [one for one in known if one.drilled.get("well") is False]
        since = min(backup_lag.moment(one.since or one.at) for one in known if one.at)
        found += planned.drill_failed(failed[0].to) if failed else planned.drill_due(seen.moment, since, drilled)
    return found


def _known(seen: Seen) -> list[Known]:
    stores = seen.stores
    return backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
