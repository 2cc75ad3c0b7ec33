"""The real Codex, offline against a scripted model: what its agent is told, and what a crash leaves of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.features.hosts.crash_test import programs
from tests.judges import rig, terminal, yes
from tests.judges.loopback import Asked, Run, Say, serving
from tests.judges.responses_mock import ScriptedModel

OPTIONS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.codex(judges_cache)


class Codex(rig.Scene):
    """A scene with Codex in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ScriptedModel) -> None:
        super().__init__(root)
        self.command = str(command)
        self._address = address
        self.model = model
        self.settings = self.home / ".codex"
        self.settings.mkdir()
        self.variables = {"CODEX_HOME": str(self.settings), "PLAYED_KEY": "dummy"}
        self.configure()

    def configure(self, more: str = "") -> None:
        """Write its configuration anew, with these lines more; what it was told to trust stays."""
        page = self.settings / "config.toml"
        before = page.read_text(encoding="utf-8") if page.exists() else ""
        _, heading, trust = before.partition("[hooks.state]")
        words = f"{more}\n{programs.codex_config(str(self.workspace), self._address)}"
        page.write_text(words + heading + trust, encoding="utf-8")

    def session(self, *words: str, at: Path | None = None) -> str:
        """What is said on stderr in a session: it must end well, and no hook's answer may fail its closed schema."""
        done = rig.run([self.command, "exec", *OPTIONS, *words], at or self.workspace, self.environment())
        assert not re.findall(r"^hook: .* Failed.*$", done.stderr, re.MULTILINE), done.stderr
        assert not self.events("hook.failed")
        return done.stderr

    def end(self) -> None:
        """End the processes that Codex's window leaves behind."""
        for page in (self.settings / "app-server-daemon").glob("*.pid"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(json.loads(page.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.model.turns.append(Run(rig.BUSY))
        self.kill_in_a_call(self.command, "exec", *OPTIONS, prompt)

    def trust(self, at: Path | None = None) -> list[str]:
        """Trust every hook that counts in a folder, as a person does with /hooks; returns their names."""
        folder = at or self.workspace
        listed = programs.trust_codex(self.command, str(folder), self.environment())
        assert not listed["errors"], listed
        assert not listed["warnings"], listed
        return [hook["eventName"] for hook in listed["hooks"]]


@pytest.fixture
def codex(tmp_path: Path, command: Path) -> Iterator[Codex]:
    model = ScriptedModel()
    with serving(model) as address:
        scene = Codex(tmp_path, command, address, model)
        yield scene
        scene.end()


def told_by_hooks(asked: Asked) -> str:
    """What developers, hooks among them, added to a request."""
    said = (one for one in asked.body["input"] if one.get("role") == "developer")
    return "\n".join(block["text"] for one in said for block in one["content"])


def test_hooks_that_nobody_trusted_do_not_run(codex: Codex) -> None:
    codex.agentws("install", "codex")

    codex.session("Count the herons")

    assert not codex.hooks


def test_hooks_that_a_person_trusts_in_the_window_run_and_after_quit_the_next_boot_shows_the_work(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.model.turns = [Run("echo herons"), Say("There are some.")]
    config = codex.settings / "config.toml"

    words = [codex.command, OPTIONS[1]]
    with terminal.before(words, codex.workspace, codex.environment(), "need review") as person:
        person.type("2", until=lambda: "trusted_hash" in config.read_text(encoding="utf-8"))
    with terminal.before(words, codex.workspace, codex.environment(), "›") as person:
        person.type("Count the herons", until=lambda: "UserPromptSubmit" in codex.hooks)
        rig.wait_until(lambda: codex.hooks[-1] == "Stop")
        person.type("/quit", until=lambda: b"codex resume" in person.screen)
        boot = codex.agentws("boot")

    _, _, work = boot.partition("## Recent activity")
    assert "Count the herons" in work
    assert "There are some." in work


def test_every_hook_is_known_to_codex_and_can_be_trusted(codex: Codex) -> None:
    codex.agentws("install", "codex")

    trusted = codex.trust()

    events = {"sessionStart", "userPromptSubmit", "preToolUse", "postToolUse", "preCompact", "postCompact", "stop"}
    assert set(trusted) == events | {"subagentStop", "interrupt", "sessionEnd"}


def test_a_boot_is_whole_in_the_first_request(codex: Codex) -> None:
    codex.know_much()
    codex.agentws("install", "codex")
    codex.trust()
    booted = rig.MARK.findall(codex.agentws("boot"))

    codex.session("Count the herons")

    told = told_by_hooks(codex.model.conversation[0])
    assert len(booted) > 200
    assert rig.MARK.findall(told)[:200] == booted[:200]
    assert "truncated output" not in told
    assert codex.hooks[-3:] == ["UserPromptSubmit", "Stop", "SessionEnd"]


def test_the_model_is_offered_the_skill(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()

    codex.session("Count the herons")

    assert rig.SKILL in json.dumps(codex.model.conversation[0].body)


def test_the_skill_of_the_user_is_offered_in_another_project(codex: Codex) -> None:
    codex.agentws("install", "codex", "--user")

    codex.session("Count the herons", at=codex.project)

    assert rig.SKILL in json.dumps(codex.model.conversation[0].body)


def test_a_session_is_recorded_once(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()

    said = codex.session("Count the herons")

    (started,), (ended,) = codex.events("session.started"), codex.events("session.ended")
    notes = codex.events("note")
    assert f"session id: {started['session']}" in said
    assert [(one["src"], one["body"]["text"]) for one in notes] == [
        ("user", "Count the herons"),
        ("agent:codex", "Done."),
    ]
    assert {one["session"] for one in notes} == {started["session"]} == {ended["session"]}


def test_a_call_of_a_tool_is_recorded_as_action_and_result(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    codex.model.turns = [Run("echo herons"), Say("There are some.")]

    codex.session("Count the herons")

    (action,), (result,) = codex.events("action"), codex.events("result")
    assert (action["src"], action["body"]["input"]) == ("agent:codex", {"command": "echo herons"})
    assert (result["src"], result["body"]["output"]) == ("tool:Bash", "herons\n")
    assert result["body"]["call"] == action["body"]["call"]


def test_the_shell_of_the_host_runs_hooks_by_the_launcher(codex: Codex) -> None:
    codex.install_with_launcher("codex", ".codex/hooks.json")
    codex.trust()
    codex.model.turns = [Run("echo herons"), Say("There are some.")]

    codex.session("Count the herons")

    assert len(codex.events("action")) == len(codex.events("result")) == 1
    assert codex.events("session.started")


def test_after_a_compaction_the_agent_is_told_its_boot_once(codex: Codex) -> None:
    codex.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    codex.agentws("install", "codex")
    codex.trust()
    codex.configure("model_auto_compact_token_limit = 1010")
    codex.model.turns = [Run("echo herons"), Say("There are some.")]

    codex.session("Count the herons")

    assert codex.model.summarizing
    asked = next(one for one in codex.model.conversation if "They spoke about herons." in one.text)
    assert rig.MARK.findall(told_by_hooks(asked)) == ["heron-mark-1"]
    assert codex.hooks.count("PreCompact") == codex.hooks.count("PostCompact") >= 1


def test_a_session_that_is_resumed_is_told_what_is_new_beside_its_boot_and_goes_on_under_its_id(codex: Codex) -> None:
    codex.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    codex.agentws("install", "codex")
    codex.trust()
    codex.session("Count the herons")
    codex.agentws("log", "heron-mark-2 came")

    codex.session("resume", "--last", "Go on")

    assert rig.MARK.findall(told_by_hooks(codex.model.conversation[-1])) == ["heron-mark-1", "heron-mark-2"]
    first, second = codex.events("session.started")
    assert first["session"] == second["session"]


def test_the_end_of_a_session_leaves_a_handoff_which_the_next_is_told(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    codex.model.turns = [Run("echo herons"), Say("There are some at the north shore.")]
    codex.session("Count the herons")

    codex.session("Where are they?")

    handoff, *_ = codex.handoffs()
    told = told_by_hooks(codex.model.conversation[-1])
    for said in ("echo herons", "There are some at the north shore."):
        assert said in handoff
        assert said in told.partition("## Handoff")[2].partition("## Recent activity")[0]


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    codex.model.turns = [Run("echo herons")]
    codex.killed_in_a_call("Count the herons")
    assert codex.hooks[-1] == "PreToolUse"
    assert not codex.handoffs()

    codex.session("What happened?")

    told = told_by_hooks(codex.model.conversation[-1])
    assert "in flight" in told.lower()
    assert "while test -e going-on" in told
    assert "Count the herons" in told


def test_a_command_that_runs_on_after_escape_is_in_flight_and_its_repeat_is_asked_about_once(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    paid, going_on = codex.workspace / "paid", codex.workspace / "going-on"
    going_on.touch()
    pay = f"sleep 1; {rig.BUSY}; echo once >> paid"  # in its first moments Codex would kill it
    codex.model.turns = [Run(pay), Run(pay), Say("I shall look first.")]

    words = [codex.command, OPTIONS[1]]
    with terminal.before(words, codex.workspace, codex.environment(), "›") as person:
        person.type("Pay the rent", until=lambda: "UserPromptSubmit" in codex.hooks)
        rig.wait_until((codex.workspace / "running").exists)
        person.press(terminal.ESCAPE)
        rig.wait_until(lambda: "Interrupt" in codex.hooks)
        person.type("Go on", until=lambda: codex.hooks.count("UserPromptSubmit") == 2)
        rig.wait_until(lambda: codex.hooks[-1] == "Stop")
        going_on.unlink()
        rig.wait_until(paid.exists)
        boot = codex.agentws("boot")

    assert "may still run or have run" in boot.partition("## In flight: 1 action")[2].partition("\n## ")[0]
    (refused,) = codex.events("error")
    assert "was interrupted by the user" in refused["body"]["text"]
    assert paid.read_text(encoding="utf-8") == "once\n"
    call = next(event["body"]["call"] for event in codex.events("action"))
    codex.agentws("done", "--call", call, "-m", "It was paid")
    assert "In flight" not in codex.agentws("boot")


def test_a_call_in_which_the_program_was_left_by_ctrl_c_may_have_run(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    (codex.workspace / "going-on").touch()
    codex.model.turns = [Run(rig.BUSY)]

    with terminal.before([codex.command, OPTIONS[1]], codex.workspace, codex.environment(), "›") as person:
        person.type("Count the herons", until=(codex.workspace / "running").exists)
        person.press(terminal.INTERRUPT)
        rig.wait_until(lambda: b"still running" in person.screen)
        person.type("3", until=lambda: b"codex resume" in person.screen)  # it asks what becomes of the task

    assert rig.BUSY in codex.agentws("boot")
    assert "not run" not in codex.agentws("boot")


def test_doctor_counts_the_calls_that_no_hook_recorded(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    codex.model.turns = [Run("echo herons"), Say("There are some."), Run("echo ducks"), Say("There are some.")]
    codex.session("Count the herons")
    assert "not in the journal" not in codex.doctor()

    settings = codex.workspace / ".codex/hooks.json"
    hooks = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    kept = {event: groups for event, groups in hooks.items() if "Tool" not in event}
    settings.write_text(json.dumps({"hooks": kept}), encoding="utf-8")
    codex.session("Count the ducks")

    assert codex.doctor().count("1 tool call of session") == 1


def test_hooks_of_the_user_serve_a_session_in_another_folder(codex: Codex) -> None:
    codex.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    codex.write("AGENTS.md", "# Rules\n\nheron-mark-2: no host reads this from another folder.\n")
    codex.agentws("install", "codex", "--user")
    codex.trust(codex.project)
    codex.model.turns = [Run("echo herons"), Say("There are some.")]

    codex.session("Count the herons", at=codex.project)

    told = rig.MARK.findall(told_by_hooks(codex.model.conversation[0]))
    assert sorted(told) == ["heron-mark-1", "heron-mark-2"]
    assert len(codex.events("action")) == len(codex.events("result")) == 1
    assert codex.hooks[-1] == "SessionEnd"


def test_installed_again_the_hooks_are_trusted_still(codex: Codex) -> None:
    codex.agentws("install", "codex", "--user")
    codex.trust(codex.project)

    codex.agentws("install", "codex", "--user")
    codex.session("Count the herons", at=codex.project)

    assert codex.hooks[-1] == "SessionEnd"


def test_uninstalled_nothing_is_left_and_no_hook_runs(codex: Codex) -> None:
    codex.agentws("install", "codex", "--user")
    assert (codex.settings / "hooks.json").exists()

    codex.agentws("uninstall", "codex", "--user")
    codex.session("Count the herons", at=codex.project)

    assert not (codex.settings / "hooks.json").exists()
    assert not codex.hooks


def test_what_is_allowed_runs_outside_of_the_sandbox_and_nothing_else(codex: Codex) -> None:
    codex.agentws("install", "codex", "--allow")
    own = f"{codex.script} -C {codex.workspace}"
    outside = codex.home / "outside"
    may = [f"{codex.script} log 'Five herons; two of them young'", f'{own} todo "Count the ducks"', f"{own} boot"]
    may_not = [
        f"{own} undo",
        f"{codex.script} install gemini",
        f"{own} boot > {outside}",
        f"{own} boot && touch {outside}",
        f'{own} log "$(touch {outside})"',
    ]
    codex.model.turns = [*map(Run, may + may_not), Say("So it is.")]

    # A sandbox that may write nowhere: what is written all the same was written outside of it.
    words = [codex.command, "exec", *OPTIONS[:1], "--sandbox", "read-only", "Count the herons"]
    rig.run(words, codex.workspace, codex.environment())

    outputs = [one["output"] for one in codex.model.conversation[-1].body["input"] if "output" in one]
    failed = [at for at, output in enumerate(outputs) if "exited with code 0" not in output]
    assert len(outputs) == len(may + may_not)
    assert failed == list(range(len(may), len(may + may_not)))
    assert not outside.exists()
    assert not (codex.workspace / ".gemini").exists()
    assert "Five herons; two of them young" in codex.agentws("boot")
    assert "Count the ducks" in codex.agentws("todo")


def test_with_the_permission_the_sandbox_of_another_project_may_write_to_the_workspace(codex: Codex) -> None:
    page = codex.settings / "config.toml"
    # The folders of this test lie in one for scratch, to which it may write by itself.
    no_scratch = "[sandbox_workspace_write] # strict\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n"
    mine = f"{page.read_text()}\n{no_scratch}"
    page.write_text(mine)
    before, after = (codex.workspace / name for name in ("before.md", "after.md"))
    words = [codex.command, "exec", *OPTIONS[:1], "--sandbox", "workspace-write", "Count the herons"]

    codex.model.turns = [Run(f"touch '{before}'"), Say("So it is.")]
    rig.run(words, codex.project, codex.environment())
    codex.agentws("install", "codex", "--user", "--allow")
    codex.model.turns = [Run(f"touch '{after}'"), Say("So it is.")]
    rig.run(words, codex.project, codex.environment())

    assert (before.exists(), after.exists()) == (False, True)
    codex.agentws("uninstall", "codex", "--user")
    assert no_scratch in page.read_text()
    assert "agentws" not in page.read_text()


def test_a_tool_that_needs_a_yes_runs_once_after_it(codex: Codex) -> None:
    codex.agentws("install", "codex")
    codex.trust()
    yes.asks(codex)

    def play() -> None:
        codex.model.turns = [Run(yes.COMMAND), Say("I tried.")]
        codex.session("Pay")

    yes.judge(codex, play)
    yes.told(codex.model.conversation[1].text)


def test_a_session_without_hooks_is_imported_whole(codex: Codex) -> None:
    codex.model.turns += [Run("ls nowhere"), Say("There are three herons.")]
    codex.session("Count the herons")
    codex.pass_hours(2)

    imported = json.loads(codex.agentws("import", "--from", "codex", "--json"))

    assert (imported["read"], imported["sessions"], imported["rest"]) == (1, 1, [])
    entry = (codex.workspace / imported["paths"][0]).read_text(encoding="utf-8")
    assert "Asked: Count the herons" in entry
    assert "Done: There are three herons." in entry
    assert "Failed: " in entry
    assert json.loads(codex.agentws("import", "--from", "codex", "--json"))["known"] == 1
