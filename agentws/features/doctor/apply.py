"""doctor: examines the workspace, returns all findings with their remedies, and with `fix` applies the safe fixes."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import local_dir
from agentws.core.disk.inspect import scan
from agentws.core.stores.seen import Seen
from agentws.errors import UsageError
from agentws.features.doctor import checks, status
from agentws.features.doctor.plan import verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.findings import Finding
    from agentws.core.stores.lost_facts import LostFacts
    from agentws.core.stores.lost_lines import LostLines
    from agentws.core.stores.stores import Stores

__all__ = ["Examined", "doctor"]


def doctor(
    stores: Stores,
    *,
    fix: bool = False,
    accept_loss: bool = False,
    dry_run: bool = False,
    script: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Examined:
    """Return doctor's report of present and coming problems, the worst first.

    It only reads, except with `fix` and `accept_loss`.

    `fix` applies the safe fixes, to documents in one change that `undo` reverts; with `dry_run` nothing is changed.
    `accept_loss` gives up the lines of logs and facts that another program removed, so that nothing reports them again.
    `script` is the absolute path of the console script and `variables` are the environment variables by which hosts
    find their settings: without them stale hooks are not detected, and only the workspace's own settings are read.
    """
    if fix and accept_loss:
        raise UsageError("--fix puts missing lines back, and --accept-loss gives them up.", hint="Choose one of them.")
    done = Examined(stores, fix=fix, dry_run=dry_run)
    if accept_loss and not dry_run:
        from agentws.core.stores import lost_facts, lost_lines

        stores.environment.check_person("agentws doctor --accept-loss", "give up what another program removed")
        stores.check_writable()
        given_up: list[LostFacts | LostLines] = []
        if (lost := lost_facts.missing(stores.files)) is not None:
            local_dir.prepare(stores.files)
            lost_facts.keep(stores.files, local_dir.newest(stores.files))
            given_up.append(lost)
        given_up += lost_lines.accept(stores.files)
        done.notices += [f"{each.path}: {len(each.entries)} given up." for each in given_up]
        if not given_up:
            done.notices.append("Nothing was given up: no acknowledged line or fact is missing.")
    done.findings = _look(stores, done, script, variables or {})
    if fix and not dry_run:
        before = [finding for finding in done.findings if finding.mends]
        if before:
            from agentws.features.doctor import fix as _fix  # not needed without --fix

            sound = _fix.mend(stores, before, done.notices)
            done.findings = _look(stores, done, script, variables or {})
            left = {finding.key for finding in done.findings}
            done.mended = [fault for fault in sound if fault.key not in left]
    done.notices += [notice for notice in stores.notices if notice not in done.notices]
    return done


def _look(stores: Stores, done: Examined, script: str | None, variables: Mapping[str, str]) -> list[Finding]:
    seen = Seen(stores, scan.look(stores.files), script=script, variables=variables)
    findings = checks.every(seen)
    done.notices += [notice for notice in seen.notices if notice not in done.notices]
    glance = status.look(seen)
    return verdict.findings([*findings, *glance.damage], glance.checks)


class Examined(Result):
    """The result of `doctor`: the `findings` left, the worst first, and those that `--fix` has `mended`."""

    __slots__ = ("dry_run", "findings", "fix", "mended", "notices", "root")

    def __init__(self, stores: Stores, *, fix: bool, dry_run: bool) -> None:
        self.root = stores.root
        self.fix = fix
        self.dry_run = dry_run
        self.findings: list[Finding] = []
        self.mended: list[Finding] = []
        self.notices: list[str] = []

    @property
    def well(self) -> bool:
        """Return whether the report has no finding, except advice."""
        return not any(finding.needs_you for finding in self.findings)

    @property
    def mendable(self) -> list[Finding]:
        """The findings in the report that `--fix` would fix."""
        return [finding for finding in self.findings if finding.mends]
