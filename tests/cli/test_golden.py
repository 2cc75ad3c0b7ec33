"""The JSON of every verb, pinned by a file each: a script that reads a field today finds it tomorrow.

`UPDATE_GOLDEN=1 pytest tests/cli/test_golden.py` writes the files that differ; what git shows is a change for readers.
Fields may be added within a schema number; a removed or changed one raises it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.features.automation.schedule.programs import Machine

PLAYED = Path(__file__).resolve().parent.parent / "features/hosts/crash_test/agent.py"
GOLDEN = Path(__file__).resolve().parent.parent / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
NOW = "2026-11-20T07:15:00+01:00"
WORDS = {
    *("text", "title", "reason", "why", "says", "remedy", "message", "hint", "read_with", "notices"),
    *("next_steps", "additionalContext"),
}
"""What these fields say may be said better: their type is pinned, their content is not."""
MACHINE = {
    "host",
    "boot",
    "process",
    "attempts",
    "started",
    "namespace",
    "took_s",
    "took_ms",
    "key",
    "signature",
    "bytes",
    "size",
    "at",
}
"""Fields whose content is this machine's or this moment's."""
RANDOM = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b|"
    r"(?<=-)[0-9a-f]{6}\b|AAAA[\w+/=]{20,}|SHA256:[\w+/=]{20,}|(?<= \^)[a-z2-9]{4}\b|"
    r"(?<=approvals/)[b-z2-9]{6}\b"
)
TEMPORARY = re.compile(r"/\S*/golden\d+(?=/)")
"""The folder that the workspace of this run lies in."""
CLOSING = ("todo", "done", "drop")
"""The verbs that tell references, which depend on the writer."""
RECORDED = (
    *(
        "checkpoint-",
        "workflow-",
        "journal-",
        "session-",
        "event",
        "task-",
        "handoff",
        "remember",
        "forget",
        "history",
        "diff",
        "restore",
    ),
    *("identity-", "ask", "undo", "index-", "watch", "sync", "why-then", *CLOSING),
)
"""The verbs that say what was recorded here."""
PLACES = {
    *(
        "launcher",
        "took_ms",
        "script",
        "workspace",
        "folder",
        "folders_removed",
        "path",
        "command",
        "line",
        "next",
        "before",
    ),
    *("after", "additionalContext", "host", "files", "bytes", "sent_files", "sent_bytes"),
}
"""The same fields of the verbs in `WIRED`: where things lie on this machine."""
COUNTED = {"program", "kills", "once", "twice", "lost", "reported", "asked"}
"""What `crash-test` counts depends on when the program was killed."""
WIRED = ("install", "uninstall", "schedule-", "hook", "migrate")
"""The verbs that tell other programs to call us, and what these then call."""
COPIED = {
    *("to", "place", "path", "at", "host", "took_s", "files", "bytes", "copied_files", "copied_bytes", "documents"),
    *("added", "changed", "removed", "events", "hosts"),
}
"""The same fields of the verbs that copy all of the workspace."""
COPIES = ("backup-", "drill", "sync")
OWN = {"hook", "mcp"}
"""The verbs whose JSON is that of another program, whether `--json` is given or not."""
COUNTS = {
    "tokens",
    "section_tokens",
    "boot_tokens",
    "block_tokens",
    "tokens_in",
    "stable_prefix_tokens",
    "stable_prefix_chars",
    "bytes",
    "score",
    "confidence",
}
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
"""It looks like one and is none; in one piece it stands nowhere here."""
FILES = {
    "SOUL.md": "# Soul\n\nI am Robin.\n",
    "USER.md": "# User\n\nSam.\n",
    "AGENTS.md": "# Work\n\n- Read CURRENT.md first: what is in progress.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    "CURRENT.md": "# Current\n\n- The address book.\n",
    "memory/2026-10-01.md": "## Log\n\n- [decision] Chose SQLite for the address book: two people edit it at once\n",
    "memory/2026-11-19.md": f"# Wednesday\n\n- Frost at night.\n- key: {TOKEN}\n",
    "tasks/address-book.md": "---\nstatus: active\n---\n# Address book\n\n- [ ] import\n",
    "handoffs/2026-11-19.md": "---\nsession: one\n---\n## Next step\n\nImport.\n",
    "style.md": "# Style\n\n- Short.\n",
}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SAID = {
    "hook": '{"session_id": "g1", "source": "startup"}',
    "ask-statement": '---\nrisk: high\n---\n# Pay for the paint?\n\n```json\n{"amount": 40}\n```\n',
    "mcp": json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}) + "\n",
    "checkpoint-save": '{"sanded": 3, "of": 8}',
    "curate": "ADD [decision] Chose SQLite for the address book {memory/2026-10-01.md:3}\nKEEP 9\n",
}
"""What stands on standard input."""
NEEDS_YOU = 3
SCRIPT = (
    ("init", ["init"], 0),
    ("log", ["log", "--kind", "decision", "--importance", "8", "--tag", "storage", "Chose SQLite"], 0),
    ("watch", ["watch", "--once"], 0),
    ("context-new", ["context", "new", "blog", "--file", "style.md", "--tag", "writing", "--text", "Short."], 0),
    ("context-use", ["context", "use", "blog"], 0),
    ("open", ["open", "soul"], 0),
    ("config", ["config", "boot.budget"], 0),
    ("docs", ["docs", "glossary"], 0),
    ("context-list", ["context", "list"], 0),
    ("context-show", ["context", "show", "blog"], 0),
    ("boot", ["boot", "--budget", "900"], 0),
    ("status", ["status"], 0),
    ("doctor", ["doctor"], NEEDS_YOU),
    ("mcp", ["mcp"], 0),
    ("install-list", ["install"], 0),
    ("install", ["install", "claude-code"], 0),
    ("uninstall", ["uninstall", "claude-code"], 0),
    ("schedule-install", ["schedule", "install", "doctor", "--with", "crontab", "--at", "03:30", "--yes"], 0),
    ("schedule-show", ["schedule", "show"], 0),
    ("schedule-remove", ["schedule", "remove", "doctor", "--yes"], 0),
    ("session-start", ["session", "start", "Report"], 0),
    ("event", ["event", "action", "--tool", "search", "--input", '{"query": "rain"}', "--call", "c1"], 0),
    ("journal-list", ["journal", "list"], 0),
    ("journal-follow", ["journal", "follow", "--after", "1", "--limit", "1"], 0),
    ("journal-audit", ["journal", "audit"], 0),
    ("journal-recalled", ["journal", "audit", "--recalled"], 0),
    ("journal-seal", ["journal", "seal"], 0),
    ("journal-purge", ["journal", "purge", "3", "--reason", "Sam asked for it"], 0),
    ("journal-retract", ["journal", "retract", "3", "--reason", "Asked twice", "--dry-run"], 0),
    ("journal-verify", ["journal", "verify"], 0),
    ("search", ["search", "frost", "--context", "1"], 0),
    ("sql", ["sql", "SELECT path, line, kind, content FROM memories WHERE kind = 'decision' ORDER BY 1, 2"], 0),
    ("index-status", ["index", "status"], 0),
    ("index-refresh", ["index", "refresh"], 0),
    ("index-rebuild", ["index", "rebuild"], 0),
    ("index-path", ["index", "path"], 0),
    ("remember", ["remember", "--section", "People", "Leo likes his coffee black"], 0),
    ("compact", ["compact", "--yes", "--before", "2026-10-15", "--explain"], 0),
    ("compact-verify", ["compact", "--verify"], 0),
    ("why", ["why", "MEMORY.md:10"], 0),
    ("why-list", ["why"], 0),
    ("why-then", ["why", "--then", "memory/2026-11-20.md:3"], 0),
    ("compact-undo", ["compact", "--undo"], 0),
    ("forget", ["forget", "--matching", "black", "--yes"], 3),
    ("history", ["history", "MEMORY.md"], 0),
    ("diff", ["diff", "MEMORY.md"], 0),
    ("restore", ["restore", "USER.md", "--yes"], 0),
    ("task-add", ["task", "add", "Paint the fence", "--goal", "White.", "--step", "sand", "--step", "paint"], 0),
    ("task-start", ["task", "start", "paint-the-fence"], 0),
    ("task-step", ["task", "step", "paint-the-fence", "--done", "1"], 0),
    ("task-wait", ["task", "wait", "paint-the-fence", "--until", "2026-11-23T09:00"], 0),
    ("task-due", ["task", "due"], 0),
    ("task-resume", ["task", "resume", "paint-the-fence"], 0),
    ("task-pause", ["task", "pause", "paint-the-fence", "rain"], 0),
    ("task-list", ["task", "list", "--all"], 0),
    ("task-show", ["task", "show", "paint-the-fence"], 0),
    ("task-edit", ["task", "edit", "paint-the-fence", "--due", "2026-11-28", "--priority", "high"], 0),
    ("task-rename", ["task", "rename", "paint-the-fence", "Paint", "the", "gate"], 0),
    ("task-done", ["task", "done", "paint-the-gate"], 0),
    ("task-cancel", ["task", "cancel", "address-book", "not needed"], 0),
    ("todo", ["todo", "--due", "monday", "--for", "Sam", "Send the survey"], 0),
    ("todo-list", ["todo"], 0),
    ("drop", ["drop", "send", "surv", "--dry-run"], 0),
    ("done", ["done", "send", "surv", "-m", "By post"], 0),
    ("handoff", ["handoff", "--doing", "The report", "--decided", "Rain is likely", "--next", "Send it"], 0),
    ("handoff-list", ["handoff", "list", "--all"], 0),
    ("handoff-show", ["handoff", "show"], 0),
    ("handoff-ack", ["handoff", "ack"], 0),
    ("undo", ["undo"], 0),
    ("undo-list", ["undo", "--list"], 0),
    ("session-list", ["session", "list", "--all"], 0),
    ("session-show", ["session", "show"], 0),
    ("journal-replay", ["journal", "replay"], 0),
    ("identity-show", ["identity", "show"], 0),
    ("identity-verify", ["identity", "verify"], 0),
    ("identity-vouch", ["identity", "vouch"], 0),
    ("identity-takeover", ["identity", "takeover", "--yes"], 0),
    ("identity-rotate", ["identity", "rotate"], 0),
    ("identity-retire", ["identity", "retire", "--yes"], 0),
    ("identity-revive", ["identity", "revive", "--yes"], 0),
    ("migrate", ["migrate", "../elsewhere", "--dry-run"], 0),
    ("backup-create", ["backup", "create", "../stick"], 0),
    ("backup-list", ["backup", "list"], 0),
    ("backup-verify", ["backup", "verify"], 0),
    ("backup-restore", ["backup", "restore", "../stick", "../back"], 0),
    ("drill", ["drill"], 0),
    ("crash-test", ["crash-test", "claude-code", "--seed", "1", "--program", str(PLAYED)], 0),
    ("backup-create", ["backup", "create"], 0),
    ("backup-remove", ["backup", "remove", "../stick", "1"], 0),
    ("backup-detach", ["backup", "detach", "../stick"], 0),
    ("sync", ["sync", "../depot"], 0),
    ("sync-join", ["sync", "join", "../depot", "../laptop"], 0),
    ("sync-list", ["sync", "list"], 0),
    ("sync-conflicts", ["sync", "conflicts"], 0),
    ("sync-resolve", ["sync", "resolve", "3fa9", "--take", "1"], 0),
    ("sync-lease", ["sync", "lease", "take"], 0),
    ("sync-detach", ["sync", "detach", "../depot"], 0),
    ("checkpoint-save", ["checkpoint", "save", "paint-the-gate", "--label", "sanded", "--schema", "fence@1"], 0),
    ("checkpoint-list", ["checkpoint", "list"], 0),
    ("checkpoint-show", ["checkpoint", "show", "paint", "1"], 0),
    ("checkpoint-restore", ["checkpoint", "restore", "paint", "--to", "sanded"], 0),
    ("task-rollback", ["task", "rollback", "paint", "--to", "1"], 0),
    ("checkpoint-diff", ["checkpoint", "diff", "paint", "sanded"], 0),
    ("checkpoint-prune", ["checkpoint", "prune", "--dry-run"], 0),
    ("data-append", ["data", "append", "paints", '{"id": 7, "color": "green"}', '{"id": 8, "color": "white"}'], 0),
    ("data-set", ["data", "set", "paints", "7", '{"color": "blue"}'], 0),
    ("data-get", ["data", "get", "paints", "7"], 0),
    ("data-query", ["data", "query", "paints", "--where", "color!=blue", "--sort", "id", "--limit", "1"], 0),
    ("data-list", ["data", "list"], 0),
    ("artifact-add", ["artifact", "add", "style.md", "--note", "how we write"], 0),
    ("artifact-list", ["artifact", "list"], 0),
    ("artifact-get", ["artifact", "get", "style.md", "../style-again.md"], 0),
    ("ask", ["ask", "Pay for the paint?", "--action", '{"tool": "pay", "amount": 40}', "--expires", "2099-12-31"], 0),
    ("ask-list", ["ask", "list", "--pending"], 0),
    ("ask-show", ["ask", "show"], 0),
    ("ask-statement", ["ask", "statement", "-", "--id", "k3x9q2", "--agent", "0" * 32], 0),
    ("ask-approve", ["ask", "approve", "-m", "Once.", "--yes"], 0),
    ("ask-use", ["ask", "use", "--action", '{"amount": 40, "tool": "pay"}'], 0),
    ("ask", ["ask", "Pay for the brushes?", "--risk", "high"], 0),
    ("ask-reject", ["ask", "reject", "-m", "Sam has some."], 0),
    ("ask-rules", ["ask", "rules", "--test", "Bash", "--input", '{"command": "pay 40"}'], 0),
    ("ask-keys", ["ask", "keys"], 0),
    ("workflow-list", ["workflow", "list"], 0),
    ("workflow-show", ["workflow", "show", "report"], 0),
    ("workflow-resolve", ["workflow", "resolve", "report", "send", "--result", '{"sent": 2}'], 0),
    ("session-end", ["session", "end"], 0),
    ("journal-renew", ["journal", "renew", "--reason", "a bad disk"], 0),
    ("hook", ["hook", "claude-code", "SessionStart"], 0),
    ("import", ["import", "--from", "markdown", "style.md", "--dry-run"], 0),
    ("export", ["export", "../robin.jsonl"], 0),
    ("ui", ["ui", "--export", "../page"], 0),
    ("curate-brief", ["curate"], 0),
    ("curate", ["curate", "--apply", "-"], NEEDS_YOU),
    ("demo", ["demo", "../demo"], 0),
    ("start", ["start", "../started", "--name", "Robin", "--host", "none"], 0),
    ("exam-suggest", ["exam", "--suggest"], 0),
    ("exam", ["exam"], 0),
    ("error", ["context", "show", "nowhere"], 1),
)


SETTINGS = "[ask]\ntyped = true\n"
RULES = '\n[[ask.rules]]\ncommand = "pay *"\nwhy = "money leaves"\n'


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each verb of the script printed, in one workspace, one after the other."""
    root = tmp_path_factory.mktemp("golden") / "robin"
    (root.parent / "bin").mkdir()
    (root.parent / "depot").mkdir()
    Machine(root.parent).has(crontab=True)
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    root.chmod(0o700)
    path = os.pathsep.join((str(root.parent / "bin"), os.environ["PATH"]))
    (root.parent / ".config/agentws").mkdir(parents=True)
    config = root.parent / ".config/agentws/config.toml"
    surroundings = {"PATH": path, "HOME": str(root.parent), "TZ": "Europe/Berlin", "container": "yes"}
    found = {}
    for name, words, code in SCRIPT:
        config.write_text(SETTINGS + (RULES if name == "ask-rules" else ""))
        env = {**surroundings, "AGENTWS_NOW": NOW}
        done = forked.run_text("--json", *words, cwd=root, env=env, given=SAID.get(name, ""), guard_s=300)
        assert done.returncode == code, done.stderr
        if name == "init":  # its one old log was written since the adoption
            manifest = root / "agentws.toml"
            manifest.write_text(manifest.read_text().replace('since = "2026-11-20"', 'since = "2026-10-01"'))
        if name == "session-end":
            damage(root)
        if name == "sync-join":
            disagree(root)
        if name == "ask-keys":
            interrupt(root, surroundings)
        # On a success stdout is the object alone; on a failure it is empty and stderr ends in the object. Where all
        # was done and something needs you, it is a success that says so.
        assert bool(done.stdout) == (code in (0, NEEDS_YOU))
        found[name] = json.loads(done.stdout or done.stderr)
    return found


def damage(root: Path) -> None:
    """Change a word in the journal, as a bad disk does."""
    file = min((root / "journal").glob("*/000001.jsonl"))
    file.write_bytes(file.read_bytes().replace(b'"Report"', b'"Rapport"'[:8]))


def interrupt(root: Path, surroundings: dict[str, str]) -> None:
    """Leave a workflow whose process died in its second step."""
    steps = "flow.step('write', len, 'abc'); flow.step('send', os._exit, 0)"
    told = f"with Workspace.find().workflow('report') as flow: {steps}"
    subprocess.run(
        [sys.executable, "-c", f"import os\nfrom agentws import Workspace\n{told}"],
        cwd=root, env={**surroundings, "AGENTWS_NOW": NOW}, check=True,
    )  # fmt: skip


def disagree(root: Path) -> None:
    """Leave what a sync leaves where two machines have edited one line."""
    told = {
        "path": "style.md",
        "what": "entry",
        "where": "Style",
        "base": "- Short.",
        "sides": ["- Brief.", "- Terse."],
    }
    told |= {"agentws": 1, "at": "2026-11-20T06:00:00Z", "between": ["65a0b1c2d3e4f506", "75a0b1c2d3e4f507"]}
    (root / "style.md").write_text("# Style\n\n- Brief.\n- Terse.\n")
    (root / "conflicts").mkdir()
    (root / "conflicts" / "3fa9c1d2.json").write_text(json.dumps(told))


@pytest.mark.parametrize("name", [name for name, _, _ in SCRIPT])
def test_the_json_of_a_verb_is_what_it_was(name: str, printed: dict[str, Any]) -> None:
    file = GOLDEN / f"{name}.json"
    found = normalised(printed[name], verb=name)
    if UPDATE and not (file.exists() and pinned(found) == pinned(json.loads(file.read_text(encoding="utf-8")))):
        file.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    golden = json.loads(file.read_text(encoding="utf-8"))

    assert pinned(found) == pinned(golden)
    assert golden.get("schema") == (None if name in OWN else f"agentws/{name}@1")


def test_every_verb_has_its_golden_file() -> None:
    from agentws.cli import commands

    # The verbs of a fleet need a server: tests/features/fleet.
    verbs = {verb.name.replace(" ", "-") for verb in commands.all_verbs() if not verb.name.startswith("fleet ")}
    verbs.remove("backup-drill")  # prints what its old name `drill` prints

    besides = {
        "error",
        "install-list",
        "compact-verify",
        "compact-undo",
        "curate-brief",
        "exam-suggest",
        "journal-recalled",
        "why-list",
        "why-then",
        "undo-list",
        "todo-list",
    }
    assert verbs | besides == {file.stem for file in GOLDEN.glob("*.json")} == {name for name, _, _ in SCRIPT}


def test_the_smoke_tests_of_the_verbs_are_among_the_quick_ones(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("slow") is None, "make test runs each verb once"


def normalised(value: Any, key: str = "", *, verb: str) -> Any:
    """`value` without what differs from run to run: the folder and random ids; of what was recorded, the machine."""
    recorded = verb.startswith(RECORDED)
    if (key == "ref" and verb.startswith(CLOSING)) or (key == "id" and verb.startswith("ask")):
        return "…"
    if key == "kept_out" and isinstance(value, str):
        return "…"
    machine = (
        MACHINE if recorded else PLACES if verb.startswith(WIRED) else COUNTED if verb == "crash-test" else set[str]()
    )
    machine = COPIED if verb.startswith(COPIES) else machine
    if isinstance(value, dict):
        return {name: normalised(inner, name, verb=verb) for name, inner in value.items()}
    if isinstance(value, list):
        return [normalised(inner, key, verb=verb) for inner in value]
    if key == "root":
        return "/home/sam/robin"
    if key == "agent_id" and len(value) == 32:
        return "0" * 32
    if not isinstance(value, str):
        return 0 if key in machine and value is not None else value
    found = TEMPORARY.sub("/home/sam", value.replace(TOKEN, "ghp_…"))
    return "…" if key in machine else RANDOM.sub("…", found) if recorded else found


def pinned(value: Any, key: str = "") -> Any:
    """What of `value` a script may rely on: every name and type, and the content that is no prose and no count."""
    if isinstance(value, dict):
        return {name: pinned(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        inner = [pinned(one, key) for one in value]
        return sorted({str(one) for one in inner}) if key in WORDS else inner
    return type(value).__name__ if key in WORDS | COUNTS else value
