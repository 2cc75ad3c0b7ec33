"""Which modules a launcher puts in place before it begins, by the words of a call.

One that is missing here is imported as always, only slower. A module stands behind those that it imports.
"""

from __future__ import annotations

BY_WORD = {
    "": (
        "agentws", "agentws.cli", "agentws.cli.main", "agentws.cli.environment", "agentws.cli.options",
        "agentws.cli.commands", "agentws.cli.fast_lane", "agentws.errors", "agentws.formats", "agentws.formats.json",
        "agentws.formats.json.plainjson", "agentws.cli.output", "agentws.storage", "agentws.formats.digest",
        "agentws.formats.layout", "agentws.formats.manifest", "agentws.storage.disk", "agentws.storage.disk.files",
        "agentws.storage.disk.locate", "agentws.storage.disk.cache", "agentws.storage.workspace",
        "agentws.storage.workspace.stores", "agentws.storage.workspace.environment", "agentws.workspace",
        "agentws.cli.invocation", "agentws.operations", "agentws.storage.disk.local_dir",
        "agentws.storage.installation", "agentws.storage.installation.state_dir",
        "agentws.storage.installation.installation",
    ),
    "boot": (
        "agentws.cli.commands.boot",
        "agentws.storage.disk.dir_cache", "agentws.storage.disk.read_trace", "agentws.storage.system",
        "agentws.storage.system.vocabulary", "agentws.storage.workspace.boot_cache", "agentws.storage.disk.local_time",
        "agentws.storage.installation.host_info", "agentws.operations.boot", "agentws.operations.boot.world",
    ),
    "log": (
        "agentws.cli.commands.log",
        "agentws.formats.documents", "agentws.formats.documents.daily", "agentws.formats.secrets",
        "agentws.formats.secrets.password_words", "agentws.formats.secrets.secrets", "agentws.storage.disk.lock",
        "agentws.storage.disk.daily_log", "agentws.operations.log", "agentws.storage.disk.local_time",
        "agentws.storage.installation.stale_copy", "agentws.storage.journal", "agentws.formats.journal",
        "agentws.formats.journal.chain", "agentws.formats.journal.event", "agentws.formats.journal.segment",
        "agentws.storage.journal.head", "agentws.storage.journal.stamp",
    ),
    "event": (
        "agentws.cli.commands.event",
        "agentws.formats.journal", "agentws.formats.journal.chain", "agentws.formats.journal.event",
        "agentws.formats.secrets", "agentws.formats.secrets.redaction", "agentws.storage.journal",
        "agentws.storage.journal.stamp", "agentws.storage.journal.entry", "agentws.storage.workspace.record",
        "agentws.operations.event", "agentws.formats.journal.segment",
        "agentws.storage.journal.head", "agentws.storage.disk.dir_cache", "agentws.storage.disk.lock",
        "agentws.storage.journal.sync_failure", "agentws.storage.journal.tail", "agentws.storage.journal.end",
        "agentws.storage.journal.append",
    ),
    "hook": (
        "agentws.cli.commands.hook",
        "agentws.cli.hooks", "agentws.cli.hooks.deadline", "agentws.cli.hooks.trace", "agentws.cli.hooks.door",
        "agentws.operations.hook", "agentws.hosts", "agentws.hosts.call", "agentws.operations.hook.call",
        "agentws.formats.journal", "agentws.formats.journal.chain", "agentws.formats.journal.event",
        "agentws.formats.secrets", "agentws.formats.secrets.redaction", "agentws.formats.text",
        "agentws.formats.text.sizes", "agentws.operations.hook.fit",
        "agentws.storage.journal", "agentws.storage.journal.stamp", "agentws.storage.journal.entry",
        "agentws.storage.workspace.record", "agentws.operations.hook.events", "agentws.formats.secrets.password_words",
        "agentws.formats.secrets.secrets", "agentws.formats.journal.segment", "agentws.storage.journal.head",
        "agentws.storage.disk.dir_cache", "agentws.storage.disk.lock", "agentws.storage.journal.sync_failure",
        "agentws.storage.journal.tail", "agentws.storage.journal.end", "agentws.storage.journal.append",
    ),
    "claude-code": ("agentws.hosts.claude_code", "agentws.hosts.claude_code.calls"),
    "codex": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.codex",
        "agentws.hosts.codex.calls",
    ),
    "gemini": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.gemini",
        "agentws.hosts.gemini.calls",
    ),
    "qwen": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.qwen",
        "agentws.hosts.qwen.calls",
    ),
    "copilot": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.copilot",
        "agentws.hosts.copilot.calls",
    ),
    "opencode": ("agentws.hosts.opencode", "agentws.hosts.opencode.calls"),
}  # fmt: skip
"""Word → modules; the empty word stands for every call."""
