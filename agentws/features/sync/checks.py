"""The checks of sync in `status` and `doctor`: the newest sync, what is not sent yet, failures and conflicts.

No remote is asked.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.findings import PROBLEM, WARNING, Check, Finding, since
from agentws.core.formats import layout
from agentws.core.installation import remotes
from agentws.core.installation.remotes import Known
from agentws.core.stores.seen import Seen

_NAME = "sync"
_VERB = "sync"
_APART = f"{local_dir.FOLDER}/sync/apart.json"


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about failing or unreachable remotes and open conflicts; none without a remote."""
    waiting, known = _waiting(seen), [remote for remote in remotes.read(*seen.stores.machine) if remote.failed]
    if not waiting and not known:
        return []
    from agentws.features.copies.backup import backup_lag

    counted = "1 conflict waits" if waiting == 1 else f"{waiting} conflicts wait"
    says = f"{counted} for your decision"
    found = [Finding("sync-conflicts", WARNING, says, remedy="agentws sync conflicts")] if waiting else []
    for remote in known:
        if remote.away:
            found += _away(seen.moment, backup_lag.moment(remote.at or remote.since), remote.url, remote.failed)
        else:
            found += _failing(remote.url, remote.failed)
    return found


def _waiting(seen: Seen) -> int:
    names = seen.stores.files.names(layout.CONFLICTS)
    if not names:
        return 0
    from agentws.core.formats.travel import conflict

    return sum(1 for name, kind in names if kind == "file" and conflict.id_of(name))


def checks(seen: Seen) -> list[Check]:
    """Return the check about the newest sync; none if no remote is known."""
    known = [remote for remote in remotes.read(*seen.stores.machine) if remote.at]
    if not known:
        return []
    from agentws.features.copies.backup import backup_lag

    newest = max(known, key=lambda remote: backup_lag.moment(remote.at))
    parts = [f"newest {backup_lag.ago(seen.moment, newest.at)}", f"with {newest.url}"]
    parts += [f"before it {newest.between}"] if newest.between else []
    says = f"{', '.join(parts)}; {_out(seen, newest)}"
    away = next((remote for remote in known if remote.away), None)
    if away is not None:
        says += f"; {'it' if away is newest else away.url} is out of reach since {since(away.failed)}"
    return [Check(_NAME, ok=True, says=says)]


def _out(seen: Seen, remote: Known) -> str:
    """Return, in words, what was not sent to a remote yet, as far as is known here."""
    from agentws.features.copies.backup import backup_lag

    events = backup_lag.behind(seen.stores.files, remote.heads).events
    files = seen.stores.files
    since = [each for each in local_dir.since(files, remote.change + 1) if int(str(each["number"])) > remote.change]
    count = sum(each.get("verb") != _VERB for each in since)
    changes = max(count, backup_lag.documents(files, remote.newest_ns))  # edits by hand are not recorded
    parts = [f"{events:,} event{'s' * (events != 1)}"] if events else []
    parts += [f"{changes:,} change{'s' * (changes != 1)}"] if changes else []
    held = _held_back(files)
    stay = f"{held:,} {'files stay' if held > 1 else 'file stays'} here (agentws sync names what and why)"
    failed = "the newest sync failed" if remote.failed and not remote.away else ""
    says = [f"{' and '.join(parts)} not out yet" if parts else "", stay if held else "", failed]
    return "; ".join(filter(None, says)) or "all is out"


def _held_back(files: Files) -> int:
    """Return how many files here are held back from sync."""
    if not files.exists(_APART):
        return 0
    from agentws.features.sync.store import held_back

    return sum(files.exists(path) for path in held_back.read(files))


_AWAY = timedelta(days=7)


def _failing(remote: str, failed: str) -> list[Finding]:
    """Return a finding if a sync fails for another reason than a remote that is out of reach.

    `failed` is the moment and the message; below it may be what to do.
    """
    from agentws.core.text import sh  # seldom needed

    text, _, hint = failed.partition("\n")
    again = f"{hint.rstrip('.')} (then: agentws sync)" if hint else "Fix the cause, then: agentws sync"
    remedy = f"{again}. To stop: agentws sync detach {sh.quote(remote)}"
    return [Finding("sync-failing", PROBLEM, f"the sync with {remote} fails since {since(text)}", remedy=remedy)]


def _away(now: datetime, reached: datetime, remote: str, failed: str) -> list[Finding]:
    """Return a finding if a remote was out of reach for a week; before that, a machine may just be on the road."""
    if now - reached < _AWAY:
        return []
    from agentws.core.text import sh  # seldom needed

    remedy = f"Bring it back, then: agentws sync. To stop: agentws sync detach {sh.quote(remote)}"
    text = failed.partition("\n")[0]
    says = f"{remote} is out of reach since {since(text)}"
    return [Finding("sync-away", WARNING, says, remedy=remedy)]
