"""The checks of `doctor` for the exam: a warning for each question that failed."""

from __future__ import annotations

from agentws.core.findings import WARNING, Finding
from agentws.core.stores.seen import Seen
from agentws.features.exam import apply


def deep_findings(seen: Seen) -> list[Finding]:
    """Return a finding for each question of the exam that failed."""
    done = apply.exam(seen.stores)
    remedy = "Correct the notes, or the question in the file; then: agentws exam"
    return [
        Finding("exam", WARNING, answer.says, remedy=remedy, path=done.path, line=answer.question.line)
        for answer in done.failed
    ]
