"""Checks of checkpoints for `status` and `doctor`: how many there are, and which cannot be restored."""

from __future__ import annotations

from agentws.core.findings import Check, Finding
from agentws.core.formats import layout
from agentws.core.stores.seen import Seen
from agentws.errors import AgentwsError


def checks(seen: Seen) -> list[Check]:
    """Return the check of the number and size of checkpoints, without reading them, if any."""
    from agentws.features.checkpoints.plan import retention
    from agentws.features.checkpoints.store import folder

    return retention.check(*folder.size(seen.stores.files))


def deep_findings(seen: Seen) -> list[Finding]:
    """Return the findings of `doctor` about checkpoints: each is read with its long texts."""
    files = seen.stores.files
    has_folder = files.exists(layout.CHECKPOINTS)
    gone = _missing(seen) if has_folder or files.exists(layout.RESTORED) else []
    if not has_folder:
        return gone
    from agentws.core.formats.documents import checkpoint
    from agentws.features.checkpoints.plan import retention
    from agentws.features.checkpoints.store import folder

    keep, days = (int(seen.stores.manifest.setting(f"checkpoint.{key}")) for key in ("keep", "keep_days"))
    findings: list[Finding] = []
    count = size = 0
    for task in folder.tasks(files):
        heads = []
        for id in folder.ids(files, task):
            path = checkpoint.path(task, id)
            try:
                heads.append(folder.state(files, task, id)[0])
            except AgentwsError as error:
                findings.append(retention.damaged(path, error.message))
        over = retention.surplus(heads, keep=keep, days=days, now=seen.moment)
        count += len(over)
        size += sum(head.size for head in over)
    return [*gone, *findings, *retention.surplus_found(count, size)]


def _missing(seen: Seen) -> list[Finding]:
    """Return a finding for each task whose current checkpoint is missing."""
    from agentws.features.checkpoints import restored_checkpoint
    from agentws.features.checkpoints.plan import retention

    return [retention.missing(path, slug) for slug, path in restored_checkpoint.missing(seen.stores)]
