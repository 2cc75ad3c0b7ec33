"""Which modules a launcher puts in place before it begins, by the words of a call.

One that is missing here is imported as always, only slower. A module stands behind those that it imports.
"""

from __future__ import annotations

BY_WORD = {
    "": (
        "agentws", "agentws.cli", "agentws.cli.main", "agentws.cli.environment",
        "agentws.cli.options", "agentws.cli.lane", "agentws.errors", "agentws.formats",
        "agentws.formats.plainjson", "agentws.cli.output",
        "agentws.storage", "agentws.formats.digest", "agentws.formats.layout", "agentws.formats.manifest",
        "agentws.storage.files", "agentws.storage.place", "agentws.storage.cache", "agentws.storage.stores",
        "agentws.storage.surroundings", "agentws.workspace", "agentws.cli.asked", "agentws.cli.verbs",
        "agentws.operations", "agentws.storage.local", "agentws.storage.state_folder", "agentws.storage.installation",
    ),
    "boot": (
        "agentws.storage.held", "agentws.storage.trace", "agentws.storage.vocabulary", "agentws.storage.answers",
        "agentws.storage.here", "agentws.storage.machine", "agentws.operations.boot", "agentws.operations.boot.world",
    ),
    "log": (
        "agentws.formats.daily", "agentws.formats.password_words", "agentws.formats.secrets", "agentws.storage.lock",
        "agentws.storage.daily_log", "agentws.operations.log", "agentws.storage.here", "agentws.storage.last_change",
        "agentws.storage.journal", "agentws.formats.chain", "agentws.formats.event", "agentws.formats.segment",
        "agentws.storage.journal.head", "agentws.storage.journal.stamp",
    ),
    "event": (
        "agentws.formats.chain", "agentws.formats.event", "agentws.formats.redaction", "agentws.storage.journal",
        "agentws.storage.journal.stamp", "agentws.storage.journal.entry", "agentws.storage.recording",
        "agentws.operations.event", "agentws.formats.plainvalue", "agentws.formats.segment",
        "agentws.storage.journal.head", "agentws.storage.held", "agentws.storage.lock",
        "agentws.storage.journal.poison", "agentws.storage.journal.tail", "agentws.storage.journal.ending",
        "agentws.storage.journal.append",
    ),
    "hook": (
        "agentws.cli.deadline", "agentws.cli.tracing", "agentws.cli.hooking", "agentws.operations.hook",
        "agentws.hosts", "agentws.hosts.call", "agentws.operations.hook.hearing", "agentws.formats.chain",
        "agentws.formats.event", "agentws.formats.redaction", "agentws.formats.sizes", "agentws.formats.plainvalue",
        "agentws.operations.hook.fitting", "agentws.storage.journal", "agentws.storage.journal.stamp",
        "agentws.storage.journal.entry", "agentws.storage.recording", "agentws.operations.hook.recording",
        "agentws.formats.password_words", "agentws.formats.secrets", "agentws.formats.segment",
        "agentws.storage.journal.head", "agentws.storage.held", "agentws.storage.lock",
        "agentws.storage.journal.poison", "agentws.storage.journal.tail", "agentws.storage.journal.ending",
        "agentws.storage.journal.append",
    ),
    "claude-code": ("agentws.hosts.claude_code", "agentws.hosts.claude_code.calls"),
    "codex": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.codex", "agentws.hosts.codex.calls",
    ),
    "gemini": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.gemini", "agentws.hosts.gemini.calls",
    ),
    "qwen": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.qwen", "agentws.hosts.qwen.calls",
    ),
    "copilot": (
        "agentws.hosts.family", "agentws.hosts.family.speech", "agentws.hosts.copilot", "agentws.hosts.copilot.calls",
    ),
    "opencode": ("agentws.hosts.opencode", "agentws.hosts.opencode.calls"),
}  # fmt: skip
"""Word → modules; the empty word stands for every call."""
