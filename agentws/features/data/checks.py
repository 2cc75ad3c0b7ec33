"""The checks of `doctor` for data: rows that cannot be read, and keys of a table that several rows have."""

from __future__ import annotations

from agentws.core import findings as finding
from agentws.core.findings import Finding
from agentws.core.stores.seen import Seen
from agentws.core.text.names import some
from agentws.errors import DamagedError
from agentws.features.data import row_log, tables


def deep_findings(seen: Seen) -> list[Finding]:
    """Return a finding for each table or log with a damaged line, and for each table with repeated keys."""
    findings = []
    for name in row_log.row_logs(seen.stores):
        try:
            findings += _repeated(seen, name)
        except DamagedError as error:
            findings.append(finding.of_error("data-damaged", finding.PROBLEM, error.message, remedy=error.hint or ""))
    return findings


def _repeated(seen: Seen, name: str) -> list[Finding]:
    """Return the finding about the repeated keys of a table; `append` and sync keep both rows."""
    log = row_log.rows(seen.stores, name)
    if "/" in name or name == tables.ARTIFACTS:
        for _ in log.read():
            pass
        return []
    field, keys = tables.repeated_keys(seen.stores, name)
    if not keys:
        return []
    says = f"several rows have the same {field}: {some(keys)}"
    remedy = f"Keep one of them: agentws data set {name} {finding.quoted(keys[0])} JSON"
    return [finding.Finding("data-repeated-key", finding.ADVICE, says, remedy=remedy, path=log.path)]
