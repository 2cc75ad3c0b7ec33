"""The modules that a launcher contains, by the words of a call, in import order."""

from __future__ import annotations

from agentws import features

_GATE = (
    "agentws.features.approvals", "agentws.features.approvals.rules_cache", "agentws.features.approvals.gate",
)  # fmt: skip
_STOP = (
    "agentws.core.formats.audience", "agentws.core.text.origin", "agentws.core.disk.local_time",
    "agentws.core.formats.journal.summary", "agentws.core.journal.read", "agentws.features.hosts.hook.parting",
)  # fmt: skip
BY_WORD = {
    "": (
        "__future__", "agentws", "agentws.cli", "agentws.cli.main", "agentws.core", "agentws.errors",
        "agentws.core.environment", "agentws.core.terminal", "agentws.core.terminal.options", "agentws.cli.commands",
        "agentws.cli.fast_lane", "agentws.core.formats", "agentws.core.formats.json",
        "agentws.core.formats.json.plainjson", "agentws.core.terminal.output", "agentws.core.formats.digest",
        "agentws.core.formats.layout", "agentws.features", "agentws.core.formats.manifest", "agentws.core.disk",
        "agentws.core.disk.files", "agentws.core.disk.locate", "agentws.core.disk.cache",
        "agentws.core.stores", "agentws.core.stores.stores", "agentws.verbs", "agentws.workspace",
        "agentws.core.terminal.invocation", "agentws.core.disk.local_dir", "agentws.core.installation",
        "agentws.core.installation.state_dir", "agentws.core.installation.installation",
    ),
    "boot": (
        "agentws.features.boot", "agentws.features.boot.command", "agentws.core.formats.audience",
        "agentws.core.disk.dir_cache", "agentws.core.disk.read_trace", "agentws.core.disk.system",
        "agentws.core.disk.system.vocabulary", "agentws.features.boot.cache", "agentws.core.disk.local_time",
        "agentws.core.installation.host_info", "agentws.features.boot.apply",
    ),
    "log": (
        "agentws.features.daily", "agentws.features.daily.command_log",
        "agentws.core.formats.documents", "agentws.core.formats.documents.daily", "agentws.core.formats.secrets",
        "agentws.core.formats.secrets.password_words", "agentws.core.formats.secrets.secrets",
        "agentws.core.disk.lock", "agentws.core.disk.daily_log", "agentws.features.daily.log",
        "agentws.core.disk.local_time", "agentws.core.installation.stale_copy", "agentws.core.formats.journal",
        "agentws.core.formats.journal.segment", "agentws.core.formats.journal.chain",
        "agentws.core.formats.journal.event", "agentws.core.journal", "agentws.core.journal.head",
        "agentws.core.journal.stamp",
    ),
    "event": (
        "agentws.features.journal", "agentws.features.journal.command_event",
        "agentws.core.formats.journal", "agentws.core.formats.journal.segment", "agentws.core.formats.journal.chain",
        "agentws.core.formats.journal.event", "agentws.core.formats.secrets",
        "agentws.core.formats.secrets.password_words", "agentws.core.formats.secrets.redaction",
        "agentws.core.journal", "agentws.core.journal.stamp", "agentws.core.journal.entry",
        "agentws.core.stores.record", "agentws.features.journal.event", "agentws.core.journal.head",
        "agentws.core.disk.dir_cache", "agentws.core.disk.lock", "agentws.core.journal.sync_failure",
        "agentws.core.journal.tail", "agentws.core.journal.end", "agentws.core.journal.append",
    ),
    "hook": (
        "agentws.features.hosts", "agentws.features.hosts.command_hook",
        "agentws.features.hosts.entry", "agentws.features.hosts.entry.deadline", "agentws.features.hosts.entry.trace",
        "agentws.features.hosts.entry.door", "agentws.features.hosts.call", "agentws.features.hosts.hook",
        "agentws.features.hosts.hook.call", "agentws.core.formats.journal", "agentws.core.formats.journal.segment",
        "agentws.core.formats.journal.chain", "agentws.core.formats.journal.event", "agentws.core.formats.secrets",
        "agentws.core.formats.secrets.password_words", "agentws.core.formats.secrets.redaction", "agentws.core.text",
        "agentws.core.text.sizes", "agentws.core.journal", "agentws.core.journal.stamp", "agentws.core.journal.entry",
        "agentws.core.journal.head", "agentws.core.stores.record", "agentws.features.hosts.hook.events",
        "agentws.core.formats.secrets.secrets", "agentws.core.disk.dir_cache", "agentws.core.disk.lock",
        "agentws.core.journal.sync_failure", "agentws.core.journal.tail", "agentws.core.journal.end",
        "agentws.core.journal.append",
    ),
    "PreToolUse": _GATE,
    "BeforeTool": _GATE,
    "tool.before": _GATE,
    "Stop": _STOP,
    "AfterAgent": _STOP,
    "SessionStart": (
        "agentws.features.hosts.entry.actions", "agentws.core.formats.audience", "agentws.core.installation.host_info",
        "agentws.core.text.origin", "agentws.core.formats.journal.summary", "agentws.core.journal.read",
        "agentws.core.formats.journal.thread", "agentws.core.formats.journal.segment_index", "agentws.features.journal",
        "agentws.features.journal.session", "agentws.core.disk.external_files", "agentws.core.journal.line_check",
        "agentws.core.journal.select", "agentws.features.hosts.hook.session", "agentws.features.boot",
        "agentws.features.boot.apply", "agentws.core.disk.read_trace", "agentws.core.disk.system",
        "agentws.core.disk.system.vocabulary", "agentws.features.boot.cache", "agentws.core.terminal.console_script",
        "agentws.core.disk.local_time", "agentws.features.hosts.hook.reminder", "agentws.features.boot.idle_parts",
    ),
    "UserPromptSubmit": (
        "agentws.features.hosts.entry.actions", "agentws.core.disk.external_files",
        "agentws.core.installation.host_info", "agentws.core.text.origin", "agentws.core.formats.journal.summary",
        "agentws.core.journal.read", "agentws.core.journal.line_check", "agentws.core.journal.select",
        "agentws.features.hosts.hook.session", "agentws.core.formats.audience",
        "agentws.features.hosts.hook.reminder",
    ),
    "SessionEnd": (
        "agentws.features.hosts.entry.actions", "agentws.core.text.origin", "agentws.core.formats.journal.summary",
        "agentws.core.journal.read", "agentws.core.journal.line_check", "agentws.core.journal.select",
        "agentws.features.hosts.hook.reminder", "agentws.features.hosts.hook.parting",
        "agentws.core.disk.external_files", "agentws.core.installation.host_info",
        "agentws.features.hosts.hook.session", "agentws.changes", "agentws.core.formats.audience",
        "agentws.core.formats.documents", "agentws.core.formats.documents.plain_header",
        "agentws.core.formats.documents.document", "agentws.core.formats.documents.fields", "agentws.core.markdown",
        "agentws.core.markdown.markdown", "agentws.core.text.lazy", "agentws.core.formats.documents.handoff",
        "agentws.core.markdown.escape", "agentws.core.markdown.outside", "agentws.core.text.invisible",
        "agentws.core.text.sanitize", "agentws.core.formats.journal.thread", "agentws.core.notes",
        "agentws.core.notes.vocabulary", "agentws.core.tokens", "agentws.core.tokens.counters",
        "agentws.core.notes.request", "agentws.core.markdown.inset", "agentws.core.notes.sources",
        "agentws.core.journal.events", "agentws.core.journal.events.liveness", "agentws.core.markdown.notes",
        "agentws.core.formats.documents.task", "agentws.core.journal.events.describe",
        "agentws.core.journal.events.replay", "agentws.core.formats.journal.retraction",
        "agentws.core.journal.events.activity", "agentws.features.handoff", "agentws.features.handoff.plan",
        "agentws.features.handoff.plan.derive", "agentws.core.disk.lenient", "agentws.core.disk.local_time",
        "agentws.core.states", "agentws.core.states.repository", "agentws.core.formats.journal.segment_index",
        "agentws.core.journal.reference", "agentws.core.journal.session_scan", "agentws.core.installation.stale_copy",
        "agentws.core.formats.identity", "agentws.core.formats.identity.sshsig", "agentws.core.formats.identity.writer",
        "agentws.core.identity", "agentws.core.identity.writers", "agentws.core.identity.pinned_writers",
        "agentws.core.journal.head", "agentws.core.installation.keys", "agentws.core.journal.sealing",
        "agentws.core.journal.sealing.writer_join", "agentws.core.journal.sealing.seal", "agentws.core.journal.walk",
        "agentws.core.journal.sealing.verified", "agentws.core.stores.writer_trust",
        "agentws.features.handoff.handoff_origin", "agentws.features.handoff.inputs",
        "agentws.features.handoff.plan.render", "agentws.core.disk.system", "agentws.core.disk.system.vocabulary",
        "agentws.core.formats.journal.purge", "agentws.core.journal.rotation", "agentws.core.journal.sealing.purge",
        "agentws.core.stores.marks", "agentws.core.stores.seals", "agentws.features.handoff.write",
        "agentws.core.disk.daily_log", "agentws.core.disk.change", "agentws.core.disk.change.transaction",
        "agentws.core.disk.clock", "agentws.core.identity.pins", "agentws.core.states.versions",
        "agentws.features.journal", "agentws.features.journal.session", "agentws.features.journal.seal",
        "agentws.features.hosts.entry.background",
    ),
}  # fmt: skip
"""Word → modules; the empty word stands for every call."""
_FAMILY = ("agentws.features.hosts.family", "agentws.features.hosts.family.speech")


def by_word() -> dict[str, tuple[str, ...]]:
    """Return `BY_WORD` and the modules of each host's hooks."""
    result: dict[str, tuple[str, ...]] = dict(BY_WORD)
    for name in features.with_hooks():
        folder = features.host_module(name).__name__
        result[name] = (*(_FAMILY if features.host(name).is_family else ()), folder, f"{folder}.calls")
    return result
