"""The real Claude Code, offline against a scripted model: what its agent is told, and what a crash leaves of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.journal import thread
from tests.judges import rig, stories, terminal, yes
from tests.judges.loopback import Asked, Call, Run, Say, serving
from tests.judges.messages_mock import ScriptedModel


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.claude_code(judges_cache)


class ClaudeCode(rig.Scene):
    """A scene with Claude Code in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ScriptedModel) -> None:
        super().__init__(root)
        self._command = str(command)
        self.model = model
        self.settings = self.home / ".claude" / "settings.json"
        self.settings.parent.mkdir()
        self.settings.write_text('{"permissions": {"allow": ["Bash"]}}\n', encoding="utf-8")
        self.variables = {
            "CLAUDE_CONFIG_DIR": str(self.settings.parent),
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def run(self, *words: str, at: Path | None = None, said: str = "") -> str:
        """What it prints, in the workspace or in the folder `at`; it must end well."""
        return rig.run([self._command, *words], at or self.workspace, self.environment(), said=said).stdout

    def session(self, *words: str, at: Path | None = None, said: str = "") -> list[dict[str, Any]]:
        """What happened in a session, where every hook must have been taken as it was meant."""
        options = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        happened = [json.loads(line) for line in self.run(*words, *options, at=at, said=said).splitlines()]
        for one in happened:
            if one.get("subtype") == "hook_response":
                assert (one["outcome"], one["exit_code"]) == ("success", 0), one
                assert "validation failed" not in one["stderr"], one
        assert not self.events("hook.failed")
        return happened

    def conversation(self, *prompts: str) -> None:
        """A session in which all of this is said, one after another, to the same process."""
        said = ({"type": "user", "message": {"role": "user", "content": prompt}} for prompt in prompts)
        self.session("-p", "--input-format", "stream-json", said="\n".join(map(json.dumps, said)) + "\n")

    @contextmanager
    def window(self) -> Iterator[terminal.Terminal]:
        """Its window, in a folder that is trusted, after the questions of a first start."""
        asked = {
            "hasCompletedOnboarding": True,
            "projects": {str(self.workspace): {"hasTrustDialogAccepted": True}},
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        }
        (self.settings.parent / ".claude.json").write_text(json.dumps(asked), encoding="utf-8")
        with terminal.before([self._command], self.workspace, self.environment(), "❯") as person:
            yield person

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.model.turns.append(Run(rig.BUSY))
        self.kill_in_a_call(self._command, "-p", prompt)


@pytest.fixture
def claude(tmp_path: Path, command: Path) -> Iterator[ClaudeCode]:
    model = ScriptedModel()
    with serving(model) as address:
        yield ClaudeCode(tmp_path, command, address, model)


def told_by_hooks(asked: Asked) -> str:
    """What hooks added to a request: it stands under a role of its own."""
    return "\n".join(
        text for one in asked.body["messages"] if one["role"] == "system" for text in _texts(one["content"])
    )


def _texts(content: Any) -> list[str]:
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def boot(claude: ClaudeCode) -> list[str]:
    """The texts of its boot."""
    parts = (claude.agentws("boot", "--for", "claude-code", "--part", str(number)) for number in count(1))
    return list(takewhile(bool, parts))


def test_a_boot_of_several_parts_is_whole_in_the_first_request(claude: ClaudeCode) -> None:
    claude.know_much()
    claude.agentws("install", "claude-code")

    parts = boot(claude)

    claude.session("-p", "Count the herons")

    told = told_by_hooks(claude.model.conversation[0])
    marks = rig.MARK.findall("".join(parts))
    assert len(parts) >= 2
    assert len(marks) > 200
    assert sorted(rig.MARK.findall(told)) == sorted(marks)
    assert "persisted-output" not in told
    # Its hooks run at once, and their texts stand in the order in which they were done.
    assert f"part {len(parts)} of {len(parts)}" in told


def test_the_model_is_offered_the_skill(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")

    claude.session("-p", "Count the herons")

    assert rig.SKILL in json.dumps(claude.model.conversation[0].body)
    claude.agentws("uninstall", "claude-code")
    claude.session("-p", "Count the herons")
    assert rig.SKILL not in json.dumps(claude.model.conversation[-1].body)


def test_each_part_of_the_boot_is_asked_for_by_a_hook_of_its_own(claude: ClaudeCode) -> None:
    claude.know_much()
    claude.agentws("install", "claude-code")

    claude.session("-p", "Count the herons")

    needed = {f"SessionStart --part {number}" for number in range(1, len(boot(claude)) + 1)}
    starts = [hook for hook in claude.hooks if hook.startswith("SessionStart")]
    assert len(needed) >= 2
    assert needed <= set(starts)
    assert len(set(starts)) == len(starts)
    assert [hook for hook in claude.hooks if hook not in starts] == ["UserPromptSubmit", "Stop", "SessionEnd"]


def test_hooks_that_would_bring_nothing_start_nothing_of_ours(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.session("-p", "Count the herons")
    before = len(claude.hooks)

    claude.session("-p", "Count them again")

    starts = [hook for hook in claude.hooks[before:] if hook.startswith("SessionStart")]
    assert starts == ["SessionStart --part 1"], "the boot is short"


def test_a_session_is_recorded_once_though_several_hooks_begin_it(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")

    claude.session("-p", "Count the herons")

    (started,), (ended,) = claude.events("session.started"), claude.events("session.ended")
    said = claude.events("note")
    assert [(one["src"], one["body"]["text"]) for one in said] == [
        ("user", "Count the herons"),
        ("agent:claude-code", "Done."),
    ]
    assert {one["session"] for one in said} == {started["session"]} == {ended["session"]}


def test_a_call_of_a_tool_is_recorded_as_action_and_result(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo herons"), Say("There are some.")]

    claude.session("-p", "Count the herons")

    (action,), (result,) = claude.events("action"), claude.events("result")
    assert action["body"]["tool"] == "Bash"
    assert action["body"]["input"]["command"] == "echo herons"
    assert action["src"] == "agent:claude-code"
    assert result["body"]["call"] == action["body"]["call"]
    assert result["body"]["output"]["stdout"] == "herons"
    assert result["src"] == "tool:Bash"


def test_the_shell_of_the_host_runs_hooks_by_the_launcher(claude: ClaudeCode) -> None:
    claude.install_with_launcher("claude-code", ".claude/settings.json")
    claude.model.turns = [Run("echo herons"), Say("There are some.")]

    claude.session("-p", "Count the herons")

    assert len(claude.events("action")) == len(claude.events("result")) == 1
    assert claude.events("session.started")


def test_a_call_that_fails_is_recorded_as_an_error_and_is_not_left_open(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo none; exit 3"), Say("There are none.")]

    claude.session("-p", "Count the herons")

    (action,), (error,) = claude.events("action"), claude.events("error")
    assert error["body"]["call"] == action["body"]["call"]
    assert "Exit code 3" in error["body"]["text"]
    assert not claude.events("result")
    assert "in flight" not in claude.agentws("boot")


def test_a_call_that_is_refused_is_an_error_and_is_not_in_flight(claude: ClaudeCode) -> None:
    claude.settings.write_text('{"permissions": {"allow": ["Bash(echo:*)"]}}\n', encoding="utf-8")
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("curl -s http://herons.invalid/herons.txt -o herons.txt"), Say("I may not do that.")]

    claude.session("-p", "Fetch the herons")
    claude.session("-p", "What happened?")

    (action,), (error,) = claude.events("action"), claude.events("error")
    assert (error["body"]["call"], error["body"]["text"]) == (action["body"]["call"], "This command requires approval")
    told = told_by_hooks(claude.model.conversation[-1])
    assert "in flight" not in told.lower()
    lines = [line for line in told.split("\n") if "Bash curl -s http://herons.invalid" in line]
    assert lines, told
    for line in lines:
        assert line.startswith("> (tool:Bash) ")
        assert "→ This command requires approval" in line


def test_a_memory_that_answers_a_prompt_reaches_the_model_once(claude: ClaudeCode) -> None:
    fact = "Gravel sinks into heavy clay without a membrane, so Sam ordered one from the mill"
    done = ("oiled", "mended", "swept", "measured", "painted")
    for day in range(200):
        name = f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}"
        lines = [f"- 09:1{at} Sam {done[(day + at) % 5]} the gate by the mill, {day}-{at} clay pots" for at in range(8)]
        lines += [f"- 10:00 {fact}"] * (day == 60)
        claude.write(f"memory/{name}.md", "\n".join([f"# {name}", "", *lines]) + "\n")
    claude.agentws("config", "recall.prompt", "true")
    claude.agentws("install", "claude-code")

    asked = "Does gravel sink into heavy clay without a membrane?"
    claude.conversation(asked, f"{asked} Once more.")

    told = told_by_hooks(claude.model.conversation[-1])
    assert told.count(fact) == 1
    assert "memory/2026-03-05.md:11" in told
    assert fact not in "".join(boot(claude))
    assert len(claude.events("memory.recalled")) == 1


def test_what_the_agent_calls_belongs_to_its_session(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run(f"{claude.script} event decision 'They nest in the north'"), Say("It is noted.")]
    claude.agentws("session", "start", "--session", "another")

    claude.session("-p", "Where do they nest?")

    (decision,) = claude.events("decision")
    (asked, *_) = claude.events("note")
    assert decision["session"] == asked["session"] != "another"


def test_a_compaction_is_given_hints_and_followed_by_a_boot(claude: ClaudeCode) -> None:
    claude.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo herons"), Say("There are some.")]
    claude.session("-p", "Count the herons")
    claude.agentws("log", "The blind stands at the north shore", "--kind", "decision")

    claude.session("-p", "/compact keep the birds", "--continue")
    claude.session("-p", "Go on", "--continue")

    (summarizing,) = claude.model.summarizing
    assert "keep the birds" in summarizing.text
    assert "Say in your summary" in summarizing.text
    asked = claude.model.conversation[-1]
    assert "They spoke about herons." in asked.text
    assert "heron-mark-1" in told_by_hooks(asked)
    assert "hook output validation" not in asked.text.lower()
    assert claude.hooks.count("PreCompact") == claude.hooks.count("PostCompact") == 1


def test_what_is_forgotten_in_one_process_is_told_again_once(claude: ClaudeCode) -> None:
    claude.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    claude.agentws("install", "claude-code")

    claude.conversation("Count the herons", "/compact", "Go on", "/clear", "Count the ducks")

    first, compacted, cleared = claude.model.conversation
    assert [one.text.count("heron-mark-1") for one in (first, compacted, cleared)] == [1, 1, 1]
    old, new = claude.events("session.started")
    assert old["session"] != new["session"]
    assert [one["session"] for one in claude.events("session.ended")] == [old["session"], new["session"]]
    assert "Count the ducks" in cleared.text
    assert len(claude.events("host.compacted")) == 1


def test_a_session_that_is_resumed_is_told_what_is_new_beside_its_boot_and_goes_on_under_its_id(
    claude: ClaudeCode,
) -> None:
    claude.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    claude.agentws("install", "claude-code")
    first = claude.session("-p", "Count the herons")
    claude.agentws("log", "heron-mark-2 came")

    claude.session("-p", "Go on", "--resume", first[0]["session_id"])

    assert rig.MARK.findall(told_by_hooks(claude.model.conversation[-1])) == ["heron-mark-1", "heron-mark-2"]
    started = claude.events("session.started")
    assert [one["session"] for one in started] == [first[0]["session_id"]] * 2
    assert len(claude.events("session.ended")) == 2


def test_the_end_of_a_session_leaves_a_handoff_which_the_next_is_told(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo herons"), Say("There are some at the north shore.")]
    claude.session("-p", "Count the herons")

    claude.session("-p", "Where are they?")

    handoff, *_ = claude.handoffs()
    told = told_by_hooks(claude.model.conversation[-1])
    for said in ("echo herons", "There are some at the north shore."):
        assert said in handoff
        assert said in told.partition("## Handoff")[2].partition("## Recent activity")[0]


def test_a_turn_that_the_service_refused_is_recorded_with_the_reason(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.refuses = "heron limit reached"

    with claude.window() as person:
        person.type("Count", until=lambda: "UserPromptSubmit" in claude.hooks)
        rig.wait_until(lambda: bool(claude.events("error", "hook.failed")))  # it does not wait for this hook

    (error,) = claude.events("error")
    assert error["src"] == "tool:model"
    assert "heron limit reached" in error["body"]["text"]
    assert "heron limit reached" in claude.agentws("boot")


def test_doctor_counts_the_calls_that_no_hook_recorded(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo herons"), Say("There are some."), Run("echo ducks"), Say("There are some.")]
    claude.session("-p", "Count the herons")
    assert "not in the journal" not in claude.doctor()

    settings = claude.workspace / ".claude/settings.json"
    hooks = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    kept = {event: groups for event, groups in hooks.items() if "Tool" not in event}
    settings.write_text(json.dumps({"hooks": kept}), encoding="utf-8")
    claude.session("-p", "Count the ducks")

    assert claude.doctor().count("1 tool call of session") == 1


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run("echo herons")]
    claude.killed_in_a_call("Count the herons")
    assert claude.hooks[-1] == "PreToolUse"
    assert not claude.handoffs()

    claude.session("-p", "What happened?")

    told = told_by_hooks(claude.model.conversation[-1])
    assert "in flight" in told.lower()
    assert "while test -e going-on" in told
    assert "Count the herons" in told


def test_a_call_that_was_broken_off_by_escape_may_have_run(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run(rig.BUSY), Say("I shall look first.")]
    (claude.workspace / "going-on").touch()

    with claude.window() as person:
        person.type("Count the herons", until=(claude.workspace / "running").exists)
        person.press(terminal.ESCAPE)
        rig.wait_until(lambda: b"Interrupted" in person.screen)
        person.type("Go on", until=lambda: claude.hooks.count("UserPromptSubmit") == 2)
        rig.wait_until(lambda: claude.hooks[-1] == "Stop")

    assert f"while test -e going-on; do sleep 0.2; done → {thread.UNREPORTED}" in claude.agentws("boot")


def test_a_call_in_which_the_program_was_left_by_ctrl_c_may_have_run(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    claude.model.turns = [Run(rig.BUSY)]
    (claude.workspace / "going-on").touch()

    with claude.window() as person:
        person.type("Count the herons", until=(claude.workspace / "running").exists)
        for _ in range(3):  # the first breaks off the call, two more leave
            person.press(terminal.INTERRUPT)
            time.sleep(0.5)
        rig.wait_until(lambda: bool(claude.events("session.ended")))

    assert f"while test -e going-on; do sleep 0.2; done → {thread.UNREPORTED}" in claude.agentws("boot")


def test_hooks_of_the_user_serve_a_session_in_another_folder(claude: ClaudeCode) -> None:
    claude.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    claude.write("AGENTS.md", "# Rules\n\nheron-mark-2: no host reads this from another folder.\n")
    claude.agentws("install", "claude-code", "--user")
    claude.model.turns = [Run("echo herons"), Say("There are some.")]

    claude.session("-p", "Count the herons", at=claude.project)

    told = rig.MARK.findall(told_by_hooks(claude.model.conversation[0]))
    assert sorted(told) == ["heron-mark-1", "heron-mark-2"]
    assert len(claude.events("action")) == len(claude.events("result")) == 1
    assert claude.hooks[-1] == "SessionEnd"
    assert not list(claude.project.iterdir())


def test_without_its_workspace_the_host_works_on(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code", "--user")
    claude.workspace.rename(claude.workspace.with_name("gone"))
    claude.model.turns = [Run("echo herons"), Say("There are some.")]

    said = claude.run("-p", "Count the herons", at=claude.project)

    assert said.strip() == "There are some."
    assert not claude.hooks


def test_uninstalled_nothing_is_left_and_no_hook_runs(claude: ClaudeCode) -> None:
    before = claude.settings.read_bytes()
    claude.agentws("install", "claude-code", "--user")
    assert claude.settings.read_bytes() != before

    claude.agentws("uninstall", "claude-code", "--user")
    claude.session("-p", "Count the herons", at=claude.project)

    assert claude.settings.read_bytes() == before
    assert not claude.hooks


def test_what_the_host_loads_itself_is_told_once(claude: ClaudeCode) -> None:
    for number, path in enumerate(("AGENTS.md", "SOUL.md", "MEMORY.md")):
        claude.write(path, f"# Page\n\nheron-mark-{number}: patient.\n")
    claude.agentws("install", "claude-code")

    claude.session("-p", "Count the herons")

    assert sorted(rig.MARK.findall(claude.model.conversation[0].text)) == [
        "heron-mark-0",
        "heron-mark-1",
        "heron-mark-2",
    ]


def test_the_memory_of_the_host_lies_in_the_workspace_where_that_is_asked(claude: ClaudeCode) -> None:
    claude.write("MEMORY.md", "# Memory\n\n- heron-mark-0: patient.\n")
    claude.agentws("install", "claude-code", "--user", "--auto-memory")

    claude.session("-p", "Count the herons", at=claude.project)

    asked = claude.model.conversation[0]
    assert str(claude.workspace) in "\n".join(block["text"] for block in asked.body["system"])
    assert rig.MARK.findall(asked.text) == ["heron-mark-0"]


def test_what_is_allowed_runs_without_being_asked_and_nothing_else(claude: ClaudeCode) -> None:
    claude.settings.write_text("{}\n", encoding="utf-8")
    claude.agentws("install", "claude-code", "--allow")
    own = f"{claude.script} -C {claude.workspace}"
    outside = claude.home / "outside"
    may = [f"{claude.script} log 'Five herons; two of them young'", f'{own} todo "Count the ducks"', f"{own} boot"]
    may_not = [
        f"{own} undo",
        f"{claude.script} install codex",
        f"{own} boot > {outside}",
        f"{own} boot && touch {outside}",
        f'{own} log "$(touch {outside})"',
    ]
    claude.model.turns = [*map(Run, may + may_not), Say("So it is.")]

    claude.session("-p", "Count the herons")

    said = claude.model.conversation[-1].body["messages"]
    blocks = [block for one in said if isinstance(one["content"], list) for block in one["content"]]
    failed = [block.get("is_error", False) for block in blocks if block["type"] == "tool_result"]
    assert failed == [False] * len(may) + [True] * len(may_not)
    assert not outside.exists()
    assert "Five herons; two of them young" in claude.agentws("boot")
    assert "Count the ducks" in claude.agentws("todo")


def test_settings_with_a_comment_are_passed_over_by_the_host(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    settings = claude.workspace / ".claude/settings.json"
    settings.write_text("// mine\n" + settings.read_text(encoding="utf-8"), encoding="utf-8")

    claude.run("-p", "Count the herons")

    assert not claude.hooks


def test_in_another_project_the_command_that_the_boot_names_runs_without_being_asked(claude: ClaudeCode) -> None:
    claude.settings.write_text("{}\n", encoding="utf-8")
    claude.agentws("install", "claude-code", "--user", "--allow")
    own = f"{claude.script} -C {claude.workspace}"
    claude.model.turns = [Run(f'{own} log "Five herons"'), Run(f"{own} undo"), Say("So it is.")]

    claude.session("-p", "Count the herons", at=claude.project)

    assert own in told_by_hooks(claude.model.conversation[0])
    told = claude.events("result", "error")
    assert [one["kind"] for one in told] == ["result", "error"]
    assert "Five herons" in claude.agentws("boot")


def test_a_tool_that_needs_a_yes_runs_once_after_it(claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")
    yes.asks(claude)

    def play() -> None:
        claude.model.turns = [Run(yes.COMMAND), Say("I tried.")]
        claude.session("-p", "Pay")

    yes.judge(claude, play)
    yes.told(claude.model.conversation[1].text)


def test_a_yes_is_a_permission_and_a_confirmation_is_asked_of_its_user(claude: ClaudeCode) -> None:
    claude.settings.write_text("{}\n", encoding="utf-8")
    claude.agentws("install", "claude-code")

    def play() -> None:
        claude.model.turns = [Run(yes.COMMAND), Say("I tried.")]
        claude.session("-p", "Pay")

    yes.judge_permission(claude, play)
    claude.settings.write_text('{"permissions": {"allow": ["Bash"]}}\n', encoding="utf-8")
    yes.judge_confirm(claude, play)


@pytest.mark.parametrize("story", stories.ALL)
def test_work_that_waits_goes_on_in_the_next_session(story: Callable[..., None], claude: ClaudeCode) -> None:
    claude.agentws("install", "claude-code")

    def play(*commands: str) -> str:
        claude.model.turns = [*map(Run, commands), Say("So it is.")]
        claude.session("-p", "Go on")
        return claude.model.conversation[-1].text

    story(claude, play)


def test_a_session_without_hooks_is_imported_whole(claude: ClaudeCode) -> None:
    claude.model.turns += [Run("ls nowhere"), Say("There are three herons.")]
    claude.session("-p", "Count the herons")
    claude.pass_hours(2)

    imported = json.loads(claude.agentws("import", "--from", "claude-code", "--json"))

    assert (imported["read"], imported["sessions"], imported["rest"]) == (1, 1, [])
    entry = (claude.workspace / imported["paths"][0]).read_text(encoding="utf-8")
    assert "Asked: Count the herons" in entry
    assert "Done: There are three herons." in entry
    assert "Failed: Bash ls nowhere: " in entry
    assert json.loads(claude.agentws("import", "--from", "claude-code", "--json"))["known"] == 1


def test_after_one_command_the_first_session_knows_the_work_of_before(claude: ClaudeCode) -> None:
    claude.model.turns += [Say("There are three herons.")]
    claude.session("-p", "Count the herons")
    claude.pass_hours(2)

    started = json.loads(claude.agentws("start", "--import", "claude-code", "--json"))
    claude.session("-p", "Go on")

    assert [row["sessions"] for row in started["imported"]] == [1]
    told = told_by_hooks(claude.model.conversation[-1])
    assert "(import:claude-code, " in told
    assert "Asked: Count the herons" in told
    assert "Done: There are three herons." in told


def test_a_run_writes_by_mcp_and_is_asked_nothing(claude: ClaudeCode) -> None:
    claude.agentws("install", "mcp-json", "--allow")
    claude.variables["ENABLE_TOOL_SEARCH"] = "false"
    claude.model.turns = [Call("mcp__agentws__log", {"text": "Counted the herons"})]

    claude.session("-p", "Count the herons")

    (started,) = claude.events("session.started")
    assert started["src"] == "agent:mcp:claude-code"
    assert "Counted the herons" in claude.agentws("boot")
