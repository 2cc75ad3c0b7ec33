"""The common verdict of `status` and `doctor`: checks become findings, and findings become checks. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agentws.core.findings import ADVICE, PROBLEM, Check, Finding, of_error, worst_first

_MOST = 5
_SUBJECTS = {
    "manifest": ("manifest", "not-adopted", "time-zone"),
    "documents": ("front-matter", "encoding", "merge-conflict", "unread", "unsafe-file"),
    "changes": ("interrupted",),
    "disk": ("not-writable", "disk-full"),
    "history": ("history-failing",),
    "backup": ("backup-failing",),
    "rules": ("rules-unread", "rules-unsigned"),
    "journal": ("journal-damaged", "journal-poisoned", "journal-unread", "seal-failing"),
}
"""The findings that each check covers. Checks and findings outside of this table are reported under their own names."""
DEEPER = ("secrets", "all texts", "what fits into a boot", "what hosts load", "hooks", "the exam")
"""Checks of `doctor` alone."""


def findings(known: Sequence[Finding], checks: Collection[Check]) -> list[Finding]:
    """Return the findings of the verdict that `status` and `doctor` both list, the worst first.

    These are the `known` findings, each once, and failing or advising checks that no finding covers.
    """
    named = {finding.name for finding in known if finding.needs_you}
    failing = [
        of_error(check.name, PROBLEM, check.says, remedy=check.remedy or "agentws status")
        for check in checks
        if not check.ok and not named.intersection(_SUBJECTS.get(check.name, ()))
    ]
    advising = [check for check in checks if check.ok and check.advises]
    advice = [of_error(check.name, ADVICE, check.says, remedy=check.remedy) for check in advising]
    once: dict[tuple[object, ...], Finding] = {}
    for finding in known:
        once.setdefault((*finding.key, finding.says), finding)
    return worst_first([*once.values(), *failing, *advice])


def unsaid(known: Sequence[Finding], checks: Collection[Check]) -> list[Check]:
    """Return checks for `status` from urgent findings that no failing check covers: a few, and how many more."""
    names = {name for check in checks if not check.ok for name in _SUBJECTS.get(check.name, ())}
    new = [finding for finding in known if finding.needs_you and finding.name not in names]
    made = [
        Check(
            fault.name,
            ok=False,
            says=f"{fault.where}: {fault.says}" if fault.where else fault.says,
            remedy=fault.remedy,
        )
        for fault in new[:_MOST]
    ]
    more = len(new) - _MOST
    if more > 0:
        made.append(Check("more", ok=False, says=f"{more} more findings", remedy="agentws doctor"))
    return made
