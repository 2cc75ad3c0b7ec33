"""A host is a folder and one line of the table: with no more than that an invented one works with every command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws import features
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.features import hosts
from agentws.workspace import Workspace, read_environment

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "invented"
LINE = features.Program("Heron", sessions=("HERON_SESSION_ID",))
COMMAND = f"""\
#!{sys.executable}
import sys
sys.path.insert(0, {str(ROOT)!r})
from agentws import features
from agentws.cli.main import main
from agentws.features import hosts
hosts.__path__.append({str(FOLDER)!r})
features.HOSTS["heron"] = features.Program("Heron", sessions=("HERON_SESSION_ID",))
main()
"""


class Command:
    """The command line of an agentws that knows Heron, in a workspace."""

    def __init__(self, script: Path, workspace: Workspace) -> None:
        self.script = script
        self.root = Path(workspace.root)

    def run(self, *words: str, said: str = "", codes: tuple[int, ...] = (0,), **variables: str) -> str:
        done = subprocess.run(
            [self.script, "-C", self.root, *words],
            input=said,
            capture_output=True,
            env={**os.environ, **variables},
            encoding="utf-8",
            check=False,
        )
        assert done.returncode in codes, done.stderr
        return done.stdout

    def fields(self, *words: str, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("--json", *words, **more))
        return found

    def hook(self, event: str, **said: str) -> str:
        """Call the hook as the settings of Heron say, by a shell."""
        settings = json.loads((self.root / ".heron/settings.json").read_text(encoding="utf-8"))
        line = settings["hooks"][event][0]["hooks"][0]["command"]
        call = json.dumps({"session_id": "s-7", "hook_event_name": event, **said})
        done = subprocess.run(
            line, shell=True, input=call, capture_output=True, encoding="utf-8", check=True, cwd=self.root
        )
        return done.stdout


@pytest.fixture
def agentws(workspace: Workspace, tmp_path: Path) -> Command:
    script = tmp_path / "bin/agentws"
    script.parent.mkdir()
    script.write_text(COMMAND, encoding="utf-8")
    script.chmod(0o755)
    return Command(script, workspace)


@pytest.fixture
def heron(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in the process of the test."""
    monkeypatch.setattr(hosts, "__path__", [*hosts.__path__, str(FOLDER)])
    monkeypatch.setitem(features.HOSTS, "heron", LINE)


def test_it_is_listed_and_found_by_its_signs(agentws: Command) -> None:
    def listed() -> list[dict[str, Any]]:
        return [row for row in agentws.fields("install")["hosts"] if row["host"] == "heron"]

    before = listed()
    (agentws.root / "HERON.md").write_text("Be quick.\n", encoding="utf-8")

    assert [(row["title"], row["found"]) for row in before] == [("Heron", False)]
    assert [row["found"] for row in listed()] == [True]


def test_it_is_installed_and_uninstalled(agentws: Command) -> None:
    installed = agentws.fields("install", "heron")
    wired = [row["wired"] for row in agentws.fields("install")["hosts"] if row["host"] == "heron"]
    removed = agentws.fields("uninstall", "heron")

    assert installed["events"] == ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"]
    assert installed["next_steps"][0] == "Start `heron`."
    assert wired != [[]]
    assert removed["changes"]
    assert not (agentws.root / ".heron").exists()


def test_its_hooks_bring_the_boot_and_record_the_session(agentws: Command) -> None:
    agentws.run("log", "The ferry leaves at six")
    agentws.run("install", "heron")

    start = json.loads(agentws.hook("SessionStart", source="startup"))
    agentws.hook("UserPromptSubmit", prompt="Book the ferry")

    assert "The ferry leaves at six" in start["hookSpecificOutput"]["additionalContext"]
    journal = "".join(path.read_text(encoding="utf-8") for path in agentws.root.glob("journal/*/*.jsonl"))
    assert '"Book the ferry"' in journal
    assert '"s-7"' in journal
    assert '"agent:heron"' in journal


def test_a_boot_for_it_leaves_out_what_it_loads_and_keeps_to_its_limit(agentws: Command) -> None:
    (agentws.root / "AGENTS.md").write_text("# Work\n\nThe ferry timetable hangs on the door.\n", encoding="utf-8")

    assert "The ferry timetable" in agentws.run("boot")
    text = agentws.run("boot", "--for", "heron")
    assert "The ferry timetable" not in text
    assert "in one text for Heron, at most 5,000 characters" in text
    assert len(text) <= 5_000


def test_doctor_says_that_its_hooks_are_switched_off(agentws: Command) -> None:
    agentws.run("install", "heron")
    settings = agentws.root / ".heron/settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}), encoding="utf-8")

    findings = agentws.fields("doctor", codes=(0, 1, 3))["findings"]

    assert [row for row in findings if "Heron" in row["says"] and "disableAllHooks" in row["says"]]


@pytest.mark.parametrize(
    ("verb", "names"),
    [
        ("install", "claude-desktop or heron; without"),
        ("uninstall", "claude-desktop or heron."),
        ("hook", "pi or heron."),
        ("boot", "pi, heron."),
    ],
)
def test_help_names_it(agentws: Command, verb: str, names: str) -> None:
    assert names in agentws.run(verb, "--help", COLUMNS="400")


@pytest.mark.usefixtures("heron")
def test_a_command_belongs_to_the_session_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERON_SESSION_ID", "s-7")

    assert (read_environment().hosted, read_environment().by_agent) == ("s-7", True)


@pytest.mark.usefixtures("heron")
def test_a_move_names_its_settings_as_what_could_run() -> None:
    tree = {path: TreeEntry(path, FILE, 0o644, 0, 0, "") for path in (".heron/settings.json", "HERON.md")}

    assert inventory.what_runs(tree, features.settings_that_run()) == [".heron/settings.json"]
