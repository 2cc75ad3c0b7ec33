"""The real Gemini CLI, offline against a scripted model: what its agent is told, and what a crash leaves of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import rig, yes
from tests.judges.gemini_mock import ScriptedModel
from tests.judges.loopback import Asked, Run, Say, serving

# A model of this name is asked as it is: for others the program first asks one which model to ask.
OPTIONS = ("--model", "gemini-2.5-pro", "--yolo")


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.gemini(judges_cache)


class Gemini(rig.Scene):
    """A scene with Gemini CLI in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ScriptedModel) -> None:
        super().__init__(root)
        self.command = str(command)
        self.model = model
        self.settings = self.home / ".gemini" / "settings.json"
        self.settings.parent.mkdir()
        self.settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n', encoding="utf-8")
        trusted = {str(folder): "TRUST_FOLDER" for folder in (self.workspace, self.project)}
        self.settings.with_name("trustedFolders.json").write_text(json.dumps(trusted), encoding="utf-8")
        self.variables = {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_CLI_NO_RELAUNCH": "1",
        }

    def session(self, prompt: str, *words: str, at: Path | None = None) -> str:
        """What is said on stderr in a session: it must end well, and every hook's answer must be JSON.

        What is none would be shown to the user as a message of the hook's.
        """
        words = (self.command, *words, "--prompt", prompt, *OPTIONS)
        said = rig.run(words, at or self.workspace, self.environment()).stderr
        assert "Hook system message" not in said
        assert not re.search(r"hook.*(fail|error|timed out)", said, re.IGNORECASE), said
        assert not self.events("hook.failed")
        return said

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.model.turns.append(Run(rig.BUSY))
        self.kill_in_a_call(self.command, "--prompt", prompt, *OPTIONS)


@pytest.fixture
def gemini(tmp_path: Path, command: Path) -> Iterator[Gemini]:
    model = ScriptedModel()
    with serving(model) as address:
        yield Gemini(tmp_path, command, address, model)


def told_by_hooks(asked: Asked) -> str:
    """What hooks added to a request: it is marked as theirs."""
    parts = (part.get("text", "") for one in asked.body["contents"] for part in one["parts"])
    return "\n".join(part.partition("</hook_context>")[0] for part in parts if part.startswith("<hook_context>"))


def test_a_boot_is_whole_in_the_first_request(gemini: Gemini) -> None:
    gemini.know_much()
    gemini.agentws("install", "gemini")
    booted = rig.MARK.findall(gemini.agentws("boot"))

    gemini.session("Count the herons")

    assert len(booted) > 200
    assert rig.MARK.findall(told_by_hooks(gemini.model.conversation[0]))[:200] == booted[:200]


def test_the_model_is_offered_the_skill(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")

    gemini.session("Count the herons")

    assert rig.SKILL in json.dumps(gemini.model.conversation[0].body)


def test_every_hook_is_called_at_its_event(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons")

    order = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"]
    assert [hook for hook in gemini.hooks if hook != "PreCompress"] == order


def test_what_is_only_looked_at_for_its_length_is_no_compaction(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons")

    assert not gemini.events("host.compacting", "host.compacted")


def test_a_session_is_recorded_with_what_was_said_and_without_the_boot(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")

    gemini.session("Count the herons")

    (started,), (ended,) = gemini.events("session.started"), gemini.events("session.ended")
    notes = gemini.events("note")
    assert [(one["src"], one["body"]["text"]) for one in notes] == [
        ("user", "Count the herons"),
        ("agent:gemini", "Done."),
    ]
    assert {one["session"] for one in notes} == {started["session"]} == {ended["session"]}


def test_a_call_of_a_tool_is_recorded_as_action_and_result(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons")

    (action,), (result,) = gemini.events("action"), gemini.events("result")
    assert (action["src"], action["body"]["input"]["command"]) == ("agent:gemini", "echo herons")
    assert result["src"] == "tool:run_shell_command"
    assert result["body"]["output"] == "herons"
    assert result["body"]["call"] == action["body"]["call"]


def test_the_shell_of_the_host_runs_hooks_by_the_launcher(gemini: Gemini) -> None:
    gemini.install_with_launcher("gemini", ".gemini/settings.json")
    gemini.model.turns = [Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons")

    assert len(gemini.events("action")) == len(gemini.events("result")) == 1
    assert gemini.events("session.started")


def test_the_same_call_twice_leaves_none_open(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons"), Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons")

    assert len(gemini.events("action")) == len(gemini.events("result")) == 2
    assert "in flight" not in gemini.agentws("boot").lower()


def test_a_session_that_is_resumed_is_told_its_boot_and_goes_on_under_its_id(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.session("Count the herons")
    gemini.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")

    gemini.session("Go on", "--resume", "latest")

    assert "heron-mark-1" in told_by_hooks(gemini.model.conversation[-1])
    assert gemini.model.conversation[-1].text.count(rig.BOOTED) == 1  # the program has dropped the earlier one
    first, second = gemini.events("session.started")
    assert first["session"] == second["session"]


def test_the_end_of_a_session_leaves_a_handoff_which_the_next_is_told(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons"), Say("There are some at the north shore.")]
    gemini.session("Count the herons")

    gemini.session("Where are they?")

    handoff, *_ = gemini.handoffs()
    told = told_by_hooks(gemini.model.conversation[-1])
    for said in ("echo herons", "There are some at the north shore."):
        assert said in handoff
        assert said in told.partition("## Handoff")[2].partition("## Recent activity")[0]


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    gemini.model.turns = [Run("echo herons")]
    gemini.killed_in_a_call("Count the herons")
    assert gemini.hooks[-1] == "BeforeTool"
    assert not gemini.handoffs()

    gemini.session("What happened?")

    told = told_by_hooks(gemini.model.conversation[-1])
    assert "in flight" in told.lower()
    assert "while test -e going-on" in told
    assert "Count the herons" in told


def test_hooks_of_the_user_serve_a_session_in_another_folder(gemini: Gemini) -> None:
    gemini.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    gemini.write("AGENTS.md", "# Rules\n\nheron-mark-2: no host reads this from another folder.\n")
    gemini.agentws("install", "gemini", "--user")
    gemini.model.turns = [Run("echo herons"), Say("There are some.")]

    gemini.session("Count the herons", at=gemini.project)

    told = rig.MARK.findall(told_by_hooks(gemini.model.conversation[0]))
    assert sorted(told) == ["heron-mark-1", "heron-mark-2"]
    assert len(gemini.events("action")) == len(gemini.events("result")) == 1
    assert gemini.hooks[-1] == "SessionEnd"


def test_uninstalled_nothing_is_left_and_no_hook_runs(gemini: Gemini) -> None:
    before = gemini.settings.read_bytes()
    gemini.agentws("install", "gemini", "--user")
    assert gemini.settings.read_bytes() != before

    gemini.agentws("uninstall", "gemini", "--user")
    gemini.session("Count the herons", at=gemini.project)

    assert gemini.settings.read_bytes() == before
    assert not gemini.hooks


@pytest.mark.parametrize("options", [("--allow",), ("--allow", "--user")])
def test_what_is_allowed_runs_without_being_asked_and_nothing_else(gemini: Gemini, options: tuple[str, ...]) -> None:
    gemini.agentws("install", "gemini", *options)
    own = f"{gemini.script} -C {gemini.workspace}"
    outside = gemini.home / "outside"
    may = [f"{gemini.script} log 'Five herons; two of them young'", f'{own} todo "Count the ducks"', f"{own} boot"]
    may_not = [
        f"{own} undo",
        f"{gemini.script} install codex",
        f"{own} boot > {outside}",
        f"{own} boot && touch {outside}",
        f'{own} log "$(touch {outside})"',
    ]
    gemini.model.turns = [*map(Run, may + may_not), Say("So it is.")]

    # Without --yolo, which would allow everything.
    words = [str(gemini.command), "--prompt", "Count the herons", *OPTIONS[:2]]
    done = rig.run(words, gemini.workspace, gemini.environment())

    assert ("deprecated" in done.stdout + done.stderr) == ("--user" not in options)
    said = str(gemini.model.conversation[-1].body)
    assert said.count("functionResponse") == len(may + may_not)
    assert said.count("denied by policy") + said.count("requires user confirmation") == len(may_not)
    assert not outside.exists()
    assert "Five herons; two of them young" in gemini.agentws("boot")
    assert "Count the ducks" in gemini.agentws("todo")


def test_a_tool_that_needs_a_yes_runs_once_after_it(gemini: Gemini) -> None:
    gemini.agentws("install", "gemini")
    yes.asks(gemini)

    def play() -> None:
        gemini.model.turns = [Run(yes.COMMAND), Say("I tried.")]
        gemini.session("Pay")

    yes.judge(gemini, play)
    yes.told(gemini.model.conversation[1].text)


def test_a_session_without_hooks_is_imported_whole(gemini: Gemini) -> None:
    gemini.model.turns += [Run("ls nowhere"), Say("There are three herons.")]
    gemini.session("Count the herons")
    gemini.pass_hours(2)

    imported = json.loads(gemini.agentws("import", "--from", "gemini", "--json"))

    assert (imported["read"], imported["sessions"], imported["rest"]) == (1, 1, [])
    entry = (gemini.workspace / imported["paths"][0]).read_text(encoding="utf-8")
    assert "Asked: Count the herons" in entry
    assert "Done: There are three herons." in entry
    assert "Failed: " in entry
    assert json.loads(gemini.agentws("import", "--from", "gemini", "--json"))["known"] == 1
