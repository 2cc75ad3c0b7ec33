"""The JSON of every verb, pinned by a file each: a script that reads a field today finds it tomorrow.

`UPDATE_GOLDEN=1 pytest tests/cli/test_golden.py` writes the files anew; what git then shows is a change for readers.
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

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
NOW = "2026-11-20T07:15:00+01:00"
WORDS = {"text", "title", "reason", "why", "says", "remedy", "message", "hint", "read_with", "notices"}
"""What these fields say may be said better: their type is pinned, their content is not."""
MACHINE = {
    "host",
    "boot",
    "process",
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
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b|(?<=-)[0-9a-f]{6}\b"
)
RECORDED = ("journal-", "session-", "event", "task-", "handoff", "remember")
"""The verbs that say what was recorded here."""
COUNTS = {"tokens", "tokens_in", "stable_prefix_tokens", "stable_prefix_chars", "bytes"}
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
"""It looks like one and is none; in one piece it stands nowhere here."""
FILES = {
    "SOUL.md": "# Soul\n\nI am Robin.\n",
    "USER.md": "# User\n\nSam.\n",
    "AGENTS.md": "# Work\n\n- Read CURRENT.md first: what is in progress.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    "CURRENT.md": "# Current\n\n- The address book.\n",
    "memory/2026-11-19.md": f"# Wednesday\n\n- Frost at night.\n- key: {TOKEN}\n",
    "tasks/address-book.md": "---\nstatus: active\n---\n# Address book\n\n- [ ] import\n",
    "handoffs/2026-11-19.md": "---\nsession: one\n---\n## Next step\n\nImport.\n",
    "style.md": "# Style\n\n- Short.\n",
}
SCRIPT = (
    ("init", ["init"], 0),
    ("log", ["log", "--kind", "decision", "--importance", "8", "--tag", "storage", "Chose SQLite"], 0),
    ("context-new", ["context", "new", "blog", "--file", "style.md", "--tag", "writing", "--text", "Short."], 0),
    ("context-use", ["context", "use", "blog"], 0),
    ("context-list", ["context", "list"], 0),
    ("context-show", ["context", "show", "blog"], 0),
    ("boot", ["boot", "--budget", "900", "--audience", "shared"], 0),
    ("status", ["status"], 0),
    ("undo", ["undo"], 0),
    ("session-start", ["session", "start", "Report"], 0),
    ("event", ["event", "action", "--tool", "search", "--input", '{"query": "rain"}', "--call", "c1"], 0),
    ("journal-list", ["journal", "list"], 0),
    ("journal-follow", ["journal", "follow", "--after", "1", "--limit", "1"], 0),
    ("journal-audit", ["journal", "audit"], 0),
    ("journal-seal", ["journal", "seal"], 0),
    ("journal-purge", ["journal", "purge", "3", "--reason", "Sam asked for it"], 0),
    ("journal-verify", ["journal", "verify"], 0),
    ("remember", ["remember", "--section", "People", "Leo likes his coffee black"], 0),
    ("task-add", ["task", "add", "Paint the fence", "--goal", "White.", "--step", "sand", "--step", "paint"], 0),
    ("task-start", ["task", "start", "paint-the-fence"], 0),
    ("task-step", ["task", "step", "paint-the-fence", "--done", "1"], 0),
    ("task-wait", ["task", "wait", "paint-the-fence", "--until", "2026-11-23T09:00"], 0),
    ("task-due", ["task", "due"], 0),
    ("task-resume", ["task", "resume", "paint-the-fence"], 0),
    ("task-pause", ["task", "pause", "paint-the-fence", "rain"], 0),
    ("task-list", ["task", "list", "--all"], 0),
    ("task-show", ["task", "show", "paint-the-fence"], 0),
    ("task-done", ["task", "done", "paint-the-fence"], 0),
    ("task-cancel", ["task", "cancel", "address-book", "not needed"], 0),
    ("handoff", ["handoff", "--doing", "The report", "--decided", "Rain is likely", "--next", "Send it"], 0),
    ("handoff-list", ["handoff", "list", "--all"], 0),
    ("handoff-show", ["handoff", "show"], 0),
    ("handoff-ack", ["handoff", "ack"], 0),
    ("session-list", ["session", "list", "--all"], 0),
    ("session-show", ["session", "show"], 0),
    ("journal-replay", ["journal", "replay"], 0),
    ("session-end", ["session", "end"], 0),
    ("journal-renew", ["journal", "renew", "--reason", "a bad disk"], 0),
    ("error", ["context", "show", "nowhere"], 1),
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each verb of the script printed, in one workspace, one after the other."""
    root = tmp_path_factory.mktemp("golden") / "robin"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "TZ": "Europe/Berlin", "container": "yes"}
    found = {}
    for name, words, code in SCRIPT:
        done = subprocess.run(
            [sys.executable, "-m", "agentws", "--json", *words],
            cwd=root, env={**surroundings, "AGENTWS_NOW": NOW}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        if name == "session-end":
            damage(root)
        # On a success stdout is the object alone; on a failure it is empty and stderr ends in the object.
        assert bool(done.stdout) == (code == 0)
        found[name] = json.loads(done.stdout or done.stderr)
    return found


def damage(root: Path) -> None:
    """Change a word in the journal, as a bad disk does."""
    file = min((root / "journal").glob("*/000001.jsonl"))
    file.write_bytes(file.read_bytes().replace(b'"Report"', b'"Rapport"'[:8]))


@pytest.mark.parametrize("name", [name for name, _, _ in SCRIPT])
def test_the_json_of_a_verb_is_what_it_was(name: str, printed: dict[str, Any]) -> None:
    file = GOLDEN / f"{name}.json"
    found = normalised(printed[name], recorded=name.startswith(RECORDED))
    if UPDATE:
        file.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    golden = json.loads(file.read_text(encoding="utf-8"))

    assert pinned(found) == pinned(golden)
    assert golden["schema"] == f"agentws/{name}@1"


def test_every_verb_has_its_golden_file() -> None:
    from typer.main import get_group

    from agentws.cli.app import app

    verbs = set()
    for name, command in get_group(app).commands.items():
        verbs |= {f"{name}-{inner}" for inner in getattr(command, "commands", {})} or {name}

    assert (
        verbs | {"error", "handoff"} == {file.stem for file in GOLDEN.glob("*.json")} == {name for name, _, _ in SCRIPT}
    )


def normalised(value: Any, key: str = "", *, recorded: bool) -> Any:
    """`value` without what differs from run to run: the folder and random ids; of what was `recorded`, the machine."""
    if isinstance(value, dict):
        return {name: normalised(inner, name, recorded=recorded) for name, inner in value.items()}
    if isinstance(value, list):
        return [normalised(inner, key, recorded=recorded) for inner in value]
    if key == "root":
        return "/home/sam/robin"
    if key == "agent_id" and len(value) == 32:
        return "0" * 32
    if not isinstance(value, str):
        return 0 if recorded and key in MACHINE and value is not None else value
    found = value.replace(TOKEN, "ghp_…")
    return ("…" if key in MACHINE else RANDOM.sub("…", found)) if recorded else found


def pinned(value: Any, key: str = "") -> Any:
    """What of `value` a script may rely on: every name and type, and the content that is no prose and no count."""
    if isinstance(value, dict):
        return {name: pinned(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        inner = [pinned(one, key) for one in value]
        return sorted({str(one) for one in inner}) if key in WORDS else inner
    return type(value).__name__ if key in WORDS | COUNTS else value
