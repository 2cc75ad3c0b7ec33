"""doctor: examines the workspace, returns all findings with their remedies, and with `fix` applies the safe fixes."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.cli import launcher
from agentws.core import Result, findings as finding
from agentws.core.disk import local_dir, permissions
from agentws.core.disk.inspect import scan
from agentws.core.findings import Finding, Mend
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.features.doctor import checks, status
from agentws.features.doctor.plan import verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.core.stores.lost_facts import LostFacts
    from agentws.core.stores.lost_lines import LostLines


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
            sound = mend(stores, before, done.notices)
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


def mend(stores: Stores, findings: Sequence[Finding], notices: list[str]) -> list[Finding]:
    """Fix these findings as far as possible; return those fixed without a failure. Failures are added to `notices`."""
    mends = [repair for each in findings for repair in each.mends]
    failed: set[int] = set()
    for kind in _ORDER:
        ours = [repair for repair in mends if repair.kind == kind]
        for some in [[repair] for repair in ours] if kind in _ALONE else [ours] if ours else []:
            try:
                _mend(stores, kind, some)
            except AgentwsError as error:
                notices.append(f"Not fixed: {error.message} {error.hint or ''}".rstrip())
                failed |= set(map(id, some))
    return [each for each in findings if not failed & set(map(id, each.mends))]


def _mend(stores: Stores, kind: str, mends: Sequence[Mend]) -> None:
    if kind == finding.SETTLE:
        stores.settle()
        stores.record("doctor")
    elif kind == finding.WRITE:
        writes = [Write(repair.path, repair.data, expects=ABSENT) for repair in mends]
        stores.apply(ChangeSet("doctor", tuple(writes)))
    elif kind == finding.PUT_BACK:
        from agentws.core.stores import lost_lines

        stores.apply(lost_lines.put_back(stores.files, [repair.path for repair in mends]))
    elif kind == finding.PUT_BACK_FACTS:
        from agentws.core.stores import lost_facts

        stores.apply(lost_facts.put_back(stores.files))
    else:
        _ALONE[kind](stores, mends[0])


def _launch(stores: Stores, repair: Mend) -> None:
    program = launcher.find(stores.environment.cache, stores.root, repair.base)
    if program is None or not program.make():
        raise OutsideProgramError(
            "The launcher of the hooks could not be created.", hint="Hooks work without it, but start slower."
        )


_ALONE: dict[str, Callable[[Stores, Mend], object]] = {
    finding.CLOSE: lambda stores, repair: permissions.take(repair.base or stores.root, repair.path, repair.bits),
    finding.OWN: lambda stores, _: permissions.close_own(stores.root),
    finding.CLEAR: lambda stores, repair: scan.clear_temp_file(stores.files, repair.base, repair.path),
    finding.IGNORE: lambda stores, _: local_dir.prepare(stores.files),
    finding.LAUNCH: _launch,
}
# Access of other users is closed first, so that they cannot interfere with later writes.
_ORDER = (
    finding.CLOSE,
    finding.OWN,
    finding.IGNORE,
    finding.CLEAR,
    finding.SETTLE,
    finding.WRITE,
    finding.PUT_BACK,
    finding.PUT_BACK_FACTS,
    finding.LAUNCH,
)
