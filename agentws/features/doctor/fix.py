"""doctor --fix: applies the fixes of findings one by one, but those of documents in one change for `undo`."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.cli import launcher
from agentws.core import findings as finding
from agentws.core.disk import local_dir, permissions
from agentws.core.disk.inspect import scan
from agentws.core.findings import Finding, Mend
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, OutsideProgramError


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


def _close(stores: Stores, repair: Mend) -> None:
    permissions.take(repair.base or stores.root, repair.path, repair.bits)


def _clear(stores: Stores, repair: Mend) -> None:
    scan.clear_temp_file(stores.files, repair.base, repair.path)


def _ignore(stores: Stores, repair: Mend) -> None:
    local_dir.prepare(stores.files)


def _own(stores: Stores, _one: Mend) -> None:
    permissions.close_own(stores.root)


def _launch(stores: Stores, repair: Mend) -> None:
    program = launcher.find(stores.environment.cache, stores.root, repair.base)
    if program is None or not program.make():
        raise OutsideProgramError(
            "The launcher of the hooks could not be created.", hint="Hooks work without it, but start slower."
        )


_ALONE = {
    finding.CLOSE: _close,
    finding.OWN: _own,
    finding.CLEAR: _clear,
    finding.IGNORE: _ignore,
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
