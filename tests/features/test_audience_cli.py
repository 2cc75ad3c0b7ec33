"""Whoever must not hear it does not (P20): private words in every channel × every verb there is, told to others."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest

from agentws.cli import commands
from agentws.features.hosts.entry import door
from agentws.workspace import Environment, Workspace
from tests import table
from tests.hostile import worlds

STEM = "zanzi"
"""Stands in all that others must not hear, and in nothing else: not even in a name that is asked for here."""
OPEN = "picnic"
"""Stands in what was said to others."""
GROUP, MAIN = "g-1", "m-1"

VERBS: dict[str, list[list[str]]] = {
    "init": [["."]],
    "start": [["--dry-run"]],
    "demo": [[]],
    "boot": [[], ["--explain"], ["--for", "openclaw"], ["--format", "messages"], ["--context", "trip"]],
    "log": [["The picnic is on"]],
    "todo": [["Bring the picnic basket", "--for", "Sam"], [], ["--stale"], ["--limit", "1"]],
    "done": [["basket"], ["fence"], ["box"], ["nothing"], ["MEMORY.md:3"], ["picnic"]],
    "drop": [["basket"], ["fence"], ["step", "--dry-run"]],
    "event": [["note", "The picnic is on"]],
    "remember": [["Anna likes picnics"], ["--from", "MEMORY.md:3"], ["--from", "memory/2026-11-19.md:5"]],
    "why": [[], ["MEMORY.md:3"], ["--then", "MEMORY.md:3"]],
    "forget": [["--matching", "picnic", "--dry-run"]],
    "import": [["--from", "markdown", "tasks"], ["--from", "markdown", "tasks", "--dry-run"]],
    "search": [["picnic"], ["everything"], ["basket", "--context", "3", "--explain"], ["--kind", "note,decision"]],
    "sql": [[], ["SELECT * FROM memories"]],
    "export": [["../all.jsonl"], ["../all", "--format", "memfs"]],
    "index status": [[]],
    "index refresh": [[]],
    "index rebuild": [[]],
    "index path": [[]],
    "compact": [["--dry-run"]],
    "curate": [[], ["--apply", "-"], ["--review"]],
    "migrate": [["../elsewhere", "--dry-run"]],
    "status": [[], ["--full"]],
    "config": [[], ["boot.budget"], ["--user"]],
    "open": [["MEMORY.md"]],
    "doctor": [[]],
    "exam": [[], ["--suggest"]],
    "docs": [[], ["tasks"], ["budget"]],
    "install": [[], ["claude-code"]],
    "uninstall": [["claude-code"]],
    "undo": [[], ["--list"]],
    "history": [[], ["MEMORY.md"]],
    "diff": [["MEMORY.md"]],
    "restore": [["MEMORY.md", "--yes"]],
    "mcp": [[]],
    "ui": [[], ["--no-open"]],
    "fleet migrate": [[]],
    "fleet team": [[]],
    "fleet member": [["robin"]],
    "fleet join": [["service=none", "--team", "garden"]],
    "fleet leave": [[]],
    "fleet inbox": [[], ["show", "k3x9q2"], ["accept", "1"]],
    "fleet offer": [["robin", "Bring plates"]],
    "fleet search": [["roof"]],
    "fleet tail": [["--once"]],
    "fleet drill": [[]],
    "fleet lease": [[], ["take", "run"]],
    "fleet archive": [["elsewhere"]],
    "fleet ship": [[], ["--when-joined"]],
    "fleet status": [[]],
    "fleet verify": [[]],
    "watch": [["--once"]],
    "ask": [["Bring plates?"]],
    "ask list": [[], ["--pending"]],
    "ask show": [[], ["b"], ["nothing"], ["--statement"]],
    "ask statement": [["approvals/bcdfgh.md", "--agent", "0" * 32], ["nothing"]],
    "ask approve": [[], ["b", "--yes"]],
    "ask reject": [["nothing"]],
    "ask use": [[], ["--action", "1"]],
    "ask keys": [[]],
    "ask rules": [[], ["--test", "Bash", "--input", "1"]],
    "task add": [["Bring plates"]],
    "task list": [[], ["--all"]],
    "task show": [["fence"], ["nothing"]],
    "task start": [["fence"]],
    "task step": [["fence", "half of it"]],
    "task wait": [["fence", "--until", "2026-12-01"]],
    "task pause": [["fence"]],
    "task resume": [["fence"]],
    "task rollback": [["fence", "--to", "1"], ["shared", "--to", "1"], ["shared", "--to", "2"]],
    "task done": [["fence"]],
    "task cancel": [["fence"]],
    "task due": [[]],
    "task edit": [["fence", "--due", "2026-12-01"]],
    "task rename": [["fence", "hedge"]],
    "checkpoint save": [["fence"], ["shared"]],
    "checkpoint list": [[], ["fence"], ["shared"]],
    "checkpoint show": [["fence"], ["shared"], ["shared", "2"], ["shared", "1"]],
    "checkpoint restore": [["fence"], ["shared"], ["shared", "--to", "2"], ["shared", "--to", "1"]],
    "checkpoint diff": [["fence", "1"], ["shared", "1"], ["shared", "1", "2"]],
    "checkpoint prune": [[], ["--dry-run"]],
    "data get": [["zones", "1"]],
    "data set": [["zones", "1", "{}"]],
    "data append": [["zones", "{}"]],
    "data query": [["zones"]],
    "data list": [[]],
    "artifact add": [["MEMORY.md"]],
    "artifact list": [[]],
    "artifact get": [["MEMORY.md", "copy.md"]],
    "handoff": [["--auto", "--dry-run"], ["--auto"], ["--doing", "the picnic"], ["--auto", "--session", MAIN]],
    "handoff list": [["--all"]],
    "handoff show": [[], [MAIN], ["2026"], ["2026", "--accept"]],
    "handoff ack": [["--dry-run"], [MAIN], []],
    "context list": [[]],
    "context new": [["tent"]],
    "context show": [["trip"], ["nothing"]],
    "context use": [["trip"]],
    "session start": [["--session", "g-2"]],
    "session end": [["--session", MAIN], ["--session", "g-2"]],
    "session list": [["--all"]],
    "session show": [[], [MAIN]],
    "workflow list": [[]],
    "workflow show": [["loan-7"]],
    "workflow resolve": [["loan-7", "pay", "--not-done"]],
    "journal list": [[], ["--session", MAIN], ["--kind", "task.*"], ["--signed"]],
    "journal follow": [["--after", "1", "--limit", "3"]],
    "journal audit": [[], ["--session", MAIN]],
    "journal replay": [[], ["--session", MAIN], ["--until", "5"]],
    "journal verify": [[]],
    "journal seal": [[]],
    "journal purge": [["3", "--reason", "asked"]],
    "journal retract": [["3", "--reason", "asked"]],
    "journal renew": [["--reason", "asked"]],
    "schedule install": [["doctor", "--yes"]],
    "schedule remove": [["doctor", "--yes"]],
    "schedule show": [[]],
    "backup create": [["../stick"]],
    "backup list": [["../stick"]],
    "backup verify": [["../stick"]],
    "backup restore": [["../stick", "../back"]],
    "backup remove": [["../stick", "1"]],
    "backup detach": [["../stick"]],
    "backup drill": [[]],
    "drill": [[]],
    "crash-test": [["claude-code", "--program", "/nowhere/claude"]],
    "sync": [["../stick"], []],
    "sync join": [["../stick", "../other"]],
    "sync list": [[]],
    "sync conflicts": [[]],
    "sync resolve": [["3fa9c1d2", "--take", "1"]],
    "sync lease": [[], ["take"]],
    "sync detach": [["../stick"]],
    "identity show": [[]],
    "identity verify": [[]],
    "identity vouch": [[]],
    "identity takeover": [["--yes"]],
    "identity retire": [["--yes"]],
    "identity revive": [["--yes"]],
    "identity rotate": [[]],
    "hook": [["openclaw", "agent:bootstrap"], ["claude-code", "SessionStart"], ["claude-code", "PreCompact"]],
}
"""How each verb of the command line is called here: a verb that is not in it fails the first test."""

SPEAK = (
    "ask",
    "boot",
    "checkpoint",
    "context",
    "done",
    "drop",
    "handoff",
    "journal",
    "remember",
    "session",
    "task",
    "todo",
)
"""The families that tell others anything at all: what they print is asked for as JSON too."""


def test_every_verb_of_the_command_line_is_asked() -> None:
    assert {verb.name for verb in commands.all_verbs()} == VERBS.keys()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which private words stand in every channel, and open ones in those of a group."""
    root = tmp_path_factory.mktemp("audience") / "robin"
    now = datetime.fromisoformat(worlds.NOW)
    home = Environment(now=now, cache=None, state=(str(root.parent / "state"), None), session=MAIN)
    main = Workspace.init(str(root), environment=home, name="Robin", git=True)
    _in_files(root)
    main = Workspace.open(str(root), environment=home)
    _in_a_session(main, STEM, MAIN, None)
    main.handoff(doing=f"{STEM} doing", next=f"{STEM} next")
    main.event("note", f"{STEM} after the handoff")
    main.session.start(f"{STEM} another", session=f"{STEM}-2", process=1 << 22)
    main.event("action", tool="mail", input=f"{STEM} broke off", session=f"{STEM}-2")
    main.event("note", f"{STEM} of no session", session="none-of-them")

    group = Workspace.open(str(root), environment=Environment(now=now, cache=None, state=home.state, session=GROUP))
    _in_a_session(group, OPEN, GROUP, "shared")
    (shared,) = (one.slug for one in group.tasks.list().tasks)
    main.checkpoints.save(shared, {f"{STEM} key": f"{STEM} state"}, label=f"{STEM} label")
    group.log(f"{STEM} a private line", tags=("private",))
    group.log(f"{STEM} a line of a configured tag", tags=("geheim",))
    group.event("decision", f"{STEM} a private event #private")
    group.event("note", f"{STEM} prompt #private", via="user", body={"private": True})
    group.session.start(f"{STEM} child of a private prompt", session="g-child", parent=GROUP)
    group.event("result", call="open-call", output=f"{STEM} what a private prompt led to")
    group.event("note", f"{STEM} the reply")
    group.event("note", f"the next {OPEN} prompt", via="user")
    return root


def _in_files(root: Path) -> None:
    texts = {
        "USER.md": f"# User\n\n- {STEM} of the user\n",
        "MEMORY.md": f"# Memory\n\n- {STEM} of memory\n",
        "TOOLS.md": f"{STEM} of tools\n",
        f"{STEM}.md": f"{STEM} of a file\n",
        "AGENTS.md": f"# Work\n\n- the {OPEN} blanket\n- {STEM} at home #private\n\n## {STEM} #Geheim\n\n- too\n",
        "memory/2026-11-19.md": f"# 2026-11-19 {STEM}\n\n## {STEM}\n\n- 09:00 {STEM} by hand\n- a #shared {STEM}\n",
        f"memory/{STEM}.md": f"{STEM} of a topic\n",
        "memory/archive/2026/2026-01-05.md": f"- 09:00 {STEM} of the archive\n",
        "tasks/fence.md": f"---\nstatus: active\n---\n# {STEM} fence\n\n- [ ] {STEM} box\n",
        "tasks/odd.md": f"---\naudience: shared\nbad: [\n---\n# {STEM} header that cannot be read\n",
        "contexts/trip.md": f"---\nfiles: [{STEM}.md]\n---\n{STEM} of a context\n",
        "handoffs/2026-11-18-x.md": f"---\naudience: shared\ntags: [private]\n---\n{STEM} tagged\n",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    settings = f'\n[boot]\nprivate_tags = ["geheim"]\npinned = ["{STEM}.md", "{STEM}-gone.md"]\ncontext = "trip"\n'
    (root / "agentws.toml").write_text((root / "agentws.toml").read_text() + settings)


def _in_a_session(one: Workspace, word: str, session: str, audience: str | None) -> None:
    one.session.start(f"{word} talk", session=session, audience=audience)
    one.log(f"{word} was logged", kind="decision", tags=("plans",))
    one.todo(f"{word} is to be done", for_whom="Sam")
    for kind in ("decision", "plan", "thought", "error"):
        one.event(kind, f"{word} {kind}", importance=8)
    one.event("action", tool=f"{word}-tool", input={"to": f"{word} friend"}, call=f"{word}-call")
    one.event("action", tool="web", input=f"{word} query", call="open-call" if word == OPEN else "main-call")
    made = one.tasks.add(f"{word} task", goal=f"{word} goal", steps=[f"{word} step"], start=True)
    one.tasks.wait(made.slug, on=f"{word} answer")
    one.ask(f"{word} question", action={"tool": f"{word} action"})
    one.checkpoints.save(made.slug, {f"{word} key": f"{word} state"}, label=f"{word} label")


@pytest.fixture
def shell(told: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(told.parent / "state"))
    said = json.dumps({"session_id": GROUP, "source": "startup", "audience": "shared", "trigger": "manual"})
    monkeypatch.setattr(door, "_read_input", lambda: (said.encode(), b""))
    return monkeypatch


NARROWED: dict[str, dict[str, str]] = {
    "where the surroundings say so": {"AGENTWS_AUDIENCE": "shared"},
    "in a main session, narrowed": {"AGENTWS_SESSION": MAIN, "AGENTWS_AUDIENCE": "shared"},
    "by a word that nobody knows": {"AGENTWS_AUDIENCE": "everybody"},
}
PRINT = (
    "boot",
    "todo",
    "handoff show",
    "handoff list",
    "task list",
    "ask list",
    "session list",
    "journal list",
    "status",
    "why",
)
"""Verbs that stand for all others: each way to be shared is asked of these, and one way of all verbs."""


def _asked(told: Path, calls: list[list[str]]) -> list[str]:
    """What these calls print; none of it is private."""
    printed = []

    def check(words: list[str]) -> None:
        done = worlds.run_here(*words, cwd=told)
        said = (done.out + done.err).decode("utf-8", "replace")
        printed.append(said)
        assert "bug in agentws" not in said, said
        assert STEM not in said.lower(), next(line for line in said.split("\n") if STEM in line.lower())

    table.holds(check, calls)
    return printed


def test_no_verb_tells_others_what_is_private(told: Path, shell: pytest.MonkeyPatch) -> None:
    shell.setenv("AGENTWS_SESSION", GROUP)
    calls = [[*verb.split(), *words] for verb, calls in VERBS.items() for words in calls]

    printed = _asked(told, [*calls, *([*words, "--json"] for words in calls if words[0] in SPEAK)])

    assert sum(OPEN in said for said in printed) > 20, "what was said to others is told to them"
    assert any("hidden from this audience" in said for said in printed)


def test_whatever_narrows_an_audience_narrows_it(told: Path, shell: pytest.MonkeyPatch) -> None:
    for surroundings in NARROWED.values():
        with shell.context() as narrowed:
            for name, value in surroundings.items():
                narrowed.setenv(name, value)
            printed = _asked(told, [verb.split() for verb in PRINT])
        assert any(OPEN in said for said in printed)


def test_the_main_audience_is_told_all_of_it(told: Path, shell: pytest.MonkeyPatch) -> None:
    broke_off = (
        f"handoff show {STEM}-2"  # the newest that did is the child of a private prompt, and holds no word of it
    )
    for verb in (broke_off if one == "handoff show" else one for one in PRINT):
        done = worlds.run_here(*verb.split(), cwd=told)
        assert STEM in done.text or verb in ("status", "why"), verb


NAMES = {
    "fence": "hedge",
    "fen": "hed",
    "odd": "old",
    "trip": "trap",
    MAIN: "m-9",
    f"{STEM}-2": f"{STEM}-3",
    "memory/2026-11-19.md": "memory/2026-11-17.md",
}
"""Names that a shared session must not learn of, each with one that does not exist."""
NAMING = (
    "log|x|--task|NAME", "todo|x|--task|NAME", "event|note|x|--task|NAME", "event|note|x|--session|NAME",
    "ask|x|--task|NAME", "handoff|--next|x|--task|NAME", "handoff|--auto|--session|NAME", "handoff|show|NAME",
    "handoff|ack|NAME", "session|end|NAME", "session|end|--session|NAME", "session|show|NAME",
    "session|start|--parent|NAME", "session|start|x|--session|NAME-9|--parent|NAME", "task|show|NAME",
    "task|done|NAME", "task|add|x|--after|NAME", "task|wait|NAME|--on|x", "task|rename|NAME|other",
    "task|add|x|--parent|NAME", "checkpoint|save|NAME", "checkpoint|list|NAME", "checkpoint|show|NAME",
    "context|show|NAME", "context|use|NAME", "context|new|NAME", "boot|--context|NAME", "boot|--task|NAME",
    "journal|list|--session|NAME", "journal|audit|--session|NAME", "journal|replay|--session|NAME", "why|NAME",
    "open|NAME", "history|NAME", "diff|NAME", "search|x|--in|NAME", "remember|x|--from|NAME:1", "todo|--task|NAME",
    "journal|list|--task|NAME", "workflow|show|NAME", "ask|show|NAME",
)  # fmt: skip


def test_no_verb_tells_others_whether_a_name_exists(told: Path, shell: pytest.MonkeyPatch) -> None:
    shell.setenv("AGENTWS_SESSION", GROUP)

    def printed(call: str, name: str) -> tuple[int, str]:
        done = worlds.run_here(*call.replace("NAME", name).split("|"), cwd=told)
        text = (done.out + done.err).decode("utf-8", "replace").replace(name, "NAME")
        return done.code, re.sub(r"\b[b-df-hjkmnp-tv-z2-9]{6}\b|[0-9a-f]{6}|\d+", "#", text)

    def check(row: tuple[str, str]) -> None:
        assert printed(row[0], row[1]) == printed(row[0], NAMES[row[1]])

    table.holds(check, [(call, name) for call in NAMING for name in NAMES])
