"""The end of a turn: after work, the agent is asked what the next session must know."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws import features
from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.hosts import allowance
from agentws.features.hosts.entry import actions
from agentws.features.hosts.hook import call
from agentws.workspace import Workspace
from tests import forked
from tests.features.hosts import payloads
from tests.features.hosts.entry.test_hook import Done, hook, kinds

STOPS = {host: (*features.host_module(host, "calls").ASKS, payloads.before_a_tool(host)) for host in payloads.HOSTS}
"""Host → the event at which its agent stops, and the one before a tool."""
SESSION = "s1"
NOON = "2026-11-20T12:00:00+01:00"


@pytest.fixture
def root(workspace: Workspace) -> Path:
    return Path(workspace.root)


def setting(root: Path, when: str) -> None:
    manifest = root / layout.MANIFEST
    manifest.write_text(f'{manifest.read_text()}\n[handoff]\nask = "{when}"\n')


def work(root: Path, count: int, host: str = "claude-code", session: str = SESSION) -> None:
    """The agent calls so many tools."""
    event = STOPS[host][1]
    said = {**payloads.of(host)[event], "session_id": session}
    for number in range(count):
        told = {**said, "tool_use_id": f"c{number}", "call_id": f"c{number}"}
        assert hook(root, host, event, told, AGENTWS_NOW=NOON).returncode == 0


def stop(
    root: Path,
    host: str = "claude-code",
    at: str = "12:00",
    goes_on: bool = False,
    variables: dict[str, str] | None = None,
) -> str:
    """What the agent is to go on with, empty where its turn ends."""
    event = STOPS[host][0]
    said = {**payloads.of(host)[event], "session_id": SESSION, "stop_hook_active": goes_on}
    done = hook(
        root, host, event, said, AGENTWS_NOW=f"2026-11-20T{at}:00+01:00", TZ="Europe/Berlin", **(variables or {})
    )
    return told(done)


def told(done: Done) -> str:
    assert (done.returncode, done.stderr) == (0, b"")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.keys() <= {"decision", "reason"} or found.keys() == {"context"}
    return str(found.get("reason", found.get("context", "")))


@pytest.mark.parametrize("host", STOPS)
def test_after_eight_calls_of_tools_the_agent_is_asked_once_for_a_handoff(root: Path, host: str) -> None:
    work(root, 7, host)
    assert stop(root, host) == ""
    work(root, 1, host)

    said = stop(root, host)

    assert "handoff --doing" in said
    assert stop(root, host, goes_on=True) == ""
    assert stop(root, host, at="13:00") == "", "the same work"


def test_new_work_is_asked_about_half_an_hour_later(root: Path) -> None:
    work(root, 8)
    assert stop(root, at="12:00")
    work(root, 8)

    assert stop(root, at="12:29") == ""
    assert stop(root, at="12:30")


def test_a_clock_that_is_set_back_keeps_nobody_from_being_asked(root: Path) -> None:
    work(root, 8)
    assert stop(root, at="12:00")
    work(root, 8)

    assert stop(root, at="11:00")


def test_work_begins_anew_with_a_handoff(root: Path) -> None:
    work(root, 7)
    forked.run("-C", str(root), "handoff", "--doing", "Tiles on the north side", "--session", SESSION)
    work(root, 7)

    assert stop(root) == ""


def test_what_the_agent_does_to_answer_is_no_new_work(root: Path) -> None:
    work(root, 8)
    assert stop(root)
    work(root, 8)
    assert stop(root, goes_on=True) == ""

    assert stop(root, at="13:00") == ""


def test_work_that_another_plugin_sends_the_agent_back_to_counts(root: Path) -> None:
    work(root, 8)
    assert stop(root)
    assert stop(root, goes_on=True) == ""
    work(root, 8)
    assert stop(root, goes_on=True) == ""

    assert stop(root, at="13:00")


def test_another_session_has_its_own_count(root: Path) -> None:
    work(root, 8, session="s2")

    assert stop(root) == ""


def test_with_turn_it_is_asked_at_every_stop_after_a_call(root: Path) -> None:
    setting(root, "turn")
    assert stop(root) == "", "nothing was done"
    work(root, 1)

    assert stop(root)
    assert stop(root) == ""
    work(root, 1)
    assert stop(root)


def _shared(root: Path) -> None:
    Workspace.open(str(root)).session.start(session=SESSION, audience="shared")


QUIET: dict[str, tuple[Callable[[Path], object], dict[str, str]]] = {
    "switched off": (lambda root: setting(root, "off"), {}),
    "others listen": (_shared, {}),
    "a program reads the answer": (lambda root: None, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}),
}


@pytest.mark.parametrize("why", QUIET)
def test_else_the_turn_ends(root: Path, why: str) -> None:
    prepare, variables = QUIET[why]
    work(root, 8)
    prepare(root)

    assert stop(root, variables=variables) == ""


def test_where_it_cannot_be_noted_the_agent_is_not_asked(root: Path) -> None:
    work(root, 8)
    (root / local_dir.FOLDER / "handoff-asked").write_text("in the way")

    event = {**payloads.of("claude-code")["Stop"], "session_id": SESSION, "stop_hook_active": False}
    done = hook(root, "claude-code", "Stop", event, AGENTWS_NOW=NOON)

    assert (done.returncode, done.stdout) == (0, b"{}\n")


COMMAND_LINES = (
    ("claude-code", "/opt/claude -p hello", True),
    ("claude-code", "claude --print --verbose", True),
    ("claude-code", "claude -cp hello", True),
    ("claude-code", "claude --resume", False),
    ("codex", "/usr/lib/codex/codex exec hello", True),
    ("codex", "codex app-server", False),
    ("gemini", "node --max-old-space-size=8000 /usr/bin/gemini --prompt=hello", True),
    ("gemini", "node /usr/bin/gemini -i hello", False),
    ("qwen", "node /usr/bin/qwen -p hello", True),
    ("copilot", "copilot --prompt hello", True),
    ("copilot", "copilot", False),
    ("droid", "droid exec hello", True),
    ("droid", "droid --resume", False),
    ("opencode", "opencode run hello", True),
    ("openclaw", "node openclaw.mjs gateway run", False),
    ("claude-code", "python -m another -p program", False),
    ("claude-code", "", False),
)


def test_a_run_that_ends_with_its_answer_is_known_by_its_command_line() -> None:
    for host, line, is_headless in COMMAND_LINES:
        assert call.hear(host, "Stop").is_headless(line.split()) == is_headless, line


def test_a_headless_run_is_not_asked(root: Path, tmp_path: Path) -> None:
    work(root, 8)
    host = tmp_path / "claude"
    host.write_text("import subprocess, sys\nsys.exit(subprocess.run(sys.argv[2:]).returncode)\n")
    words = [str(Path(sys.executable).with_name("agentws")), "-C", str(root), "hook", "claude-code", "Stop"]
    said = json.dumps({**payloads.of("claude-code")["Stop"], "session_id": SESSION, "stop_hook_active": False}).encode()

    def called(option: str) -> bytes:
        command = [sys.executable, str(host), option, *words]
        return subprocess.run(command, input=said, capture_output=True, check=True).stdout

    if Path("/proc/self/cmdline").exists():
        assert called("-p") == b"{}\n"
    assert b"handoff --doing" in called("--continue")


def test_both_commands_work_as_they_are_printed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTWS_NOW", NOON)
    forked.run("-C", str(root), "log", "--kind", "decision", "Leo gets the small key")
    work(root, 8)

    said = stop(root)

    handoff, remember = (shlex.split(line) for line in said.splitlines() if line.startswith("  "))
    for command in (handoff, remember):
        subprocess.run(command, cwd=root, check=True, capture_output=True)
    assert kinds(root).count("handoff.written") == 1
    assert "…" in (root / layout.MEMORY).read_text()
    assert {handoff[handoff.index("--doing") - 1], remember[-2]} <= set(allowance.VERBS)


def test_up_to_five_of_todays_own_lines_are_offered_marked_ones_first(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTWS_NOW", NOON)
    log = root / "memory/2026-11-20.md"
    log.parent.mkdir(exist_ok=True)
    log.write_text(
        "# 2026-11-20\n\n- 08:00 [decision] Gravel for the path\n- 08:10 one\n- 08:20 two\n- 08:30 three\n"
        "- 08:40 four\n- 08:50 five\n- 09:00 [todo] Order gravel\n- 09:10 [lesson] Clay swells (via net:mail)\n"
        "- 09:20 Sam has the wheelbarrow\n"
    )
    (root / layout.MEMORY).write_text("# Memory\n\n- Sam has the wheelbarrow\n")
    work(root, 8)

    offered = [line for line in stop(root).splitlines() if line.startswith("- ")]

    assert offered == ["- Gravel for the path", "- five", "- four", "- three", "- two"]


@pytest.mark.parametrize(
    "log",
    [
        "- db password: hunter2secret\n",
        "- api key sk-proj-… is for staging\n",
        "- Pay of Kim is low #private\n",
        "- Pay of Kim is low\n  - ask Leo #private\n",
        "## Family #private\n\n- Kim moves out\n",
        "<!--\n- Say what happened\n-->\n",
        "- <!-- a hint -->\n",
        "- HEARTBEAT_OK nothing to do\n",
        "<!-- openclaw:dreaming:light:start -->\n- We dreamt\n<!-- openclaw:dreaming:light:end -->\n",
        "---\nsubjects:\n- sales\n---\n\n# 2026-11-20\n",
        "---\ntags:\n- private\n---\n\n- Kim moves out\n",
        "---\ntitle: [\n---\n\n- Kim moves out\n",
    ],
)
def test_nothing_private_secret_or_of_a_program_is_offered(workspace: Workspace, log: str) -> None:
    path = Path(workspace.root, "memory/2026-11-20.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{log}\n- Leo gets the key\n")

    lines = workspace.plumbing.lines_for_memory()

    assert lines in ([], ["Leo gets the key"])
    assert lines or log.startswith(("---\nt", "## Family"))


def test_without_lines_of_today_only_the_handoff_is_asked_for(root: Path) -> None:
    work(root, 8)

    assert "MEMORY.md" not in stop(root)


@pytest.mark.parametrize("later", [True, False])
def test_the_question_has_at_most_eighty_words(later: bool) -> None:
    assert len(actions.parting("agentws", [], later=later).split()) <= 60
    assert len(actions.parting("agentws", ["line"], later=later).split()) <= 80


@pytest.mark.parametrize(("host", "ending"), [("openclaw", "Then answer this:"), ("gemini", "Then end your turn.")])
def test_where_the_question_comes_with_the_next_prompt_it_says_so(root: Path, host: str, ending: str) -> None:
    work(root, 8, host)

    assert stop(root, host).splitlines()[-1] == ending


def test_the_end_of_a_session_leaves_no_mark(root: Path) -> None:
    hook(root, "claude-code", "SessionStart", {**payloads.of("claude-code")["SessionStart"], "session_id": SESSION})
    work(root, 8)
    assert stop(root)
    folder = root / local_dir.FOLDER / "handoff-asked"
    assert len(list(folder.iterdir())) == 1

    hook(root, "claude-code", "SessionEnd", {**payloads.of("claude-code")["SessionEnd"], "session_id": SESSION})

    assert list(folder.iterdir()) == []


JOBS = (
    ("Mend the pump in the cellar", "thanks, great"),
    ("Pumpe im Keller richten", "danke, toll!"),
    ("修理地下室的水泵", "谢谢,做得很好"),
    ("Починить насос в подвале", "спасибо, отлично"),
    ("أصلح المضخة في القبو", "شكرا جزيلا"),
)


@pytest.mark.parametrize(("job", "thanks"), JOBS)
def test_the_boot_after_a_session_that_ended_with_thanks_shows_its_job(
    root: Path, monkeypatch: pytest.MonkeyPatch, job: str, thanks: str
) -> None:
    monkeypatch.setenv("AGENTWS_NOW", NOON)

    def say(event: str, **said: object) -> None:
        told = {**payloads.of("claude-code")[event], "session_id": SESSION, **said}
        assert hook(root, "claude-code", event, told, AGENTWS_NOW=NOON).returncode == 0

    say("SessionStart")
    say("UserPromptSubmit", prompt=job)
    work(root, 3)
    say("Stop", last_assistant_message="Done.")
    say("UserPromptSubmit", prompt=thanks)
    say("Stop", last_assistant_message="Gladly.")
    say("SessionEnd")

    boot = forked.run_text("-C", str(root), "boot").stdout

    doing = boot.partition("# Doing\n")[2].partition("\n#")[0]
    assert job in doing
    assert thanks not in doing


def test_a_session_of_nothing_but_talk_leaves_a_handoff_only_where_no_other_is_open(root: Path) -> None:
    def talks(session: str) -> None:
        for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
            told = {**payloads.of("claude-code")[event], "session_id": session}
            assert hook(root, "claude-code", event, told, AGENTWS_NOW=NOON).returncode == 0

    talks("first")
    assert kinds(root).count("handoff.written") == 1

    talks("second")
    assert kinds(root).count("handoff.written") == 1
    assert kinds(root).count("session.ended") == 2
