from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.hosts import plan
from agentws.features.hosts.opencode.settings import SETTINGS
from tests.features.hosts import node_rig

pytestmark = node_rig.needs_node

CREATED, COMPACTED, FAILED = "session.created", "session.compacted", "message.part.updated"
BOOT = """case $event in *ed) echo '{"context": "boot"}';; compacting) echo '{"context": "keep this"}';; esac"""
DRIVER = """
const hooks = await ours({ client: undefined, directory: "/project", worktree: "/" })
const thrown = []
for (const [name, input, output] of steps) {
  await hooks[name]?.(input, output)?.catch((error) => thrown.push(error.message))
}
console.log(JSON.stringify([...steps.map(([name, input, output]) => output), ...thrown]))
"""

Step = list[Any]


def played(tmp_path: Path, steps: list[Step], answer: str = BOOT) -> tuple[list[Any], node_rig.Command]:
    """What became of the output of each step, and how the command was called."""
    command = node_rig.Command(tmp_path, answer)
    (text,) = SETTINGS.install({}, command.wiring(tmp_path)).values()
    module = tmp_path / "plugin.mjs"
    module.write_text(str(text))
    return node_rig.run(module, DRIVER, steps), command


@pytest.mark.parametrize("there", [True, False])
def test_the_launcher_is_called_where_it_is_there_and_the_script_where_not(tmp_path: Path, there: bool) -> None:
    (tmp_path / "quick").mkdir()
    script, quick = node_rig.Command(tmp_path, BOOT), node_rig.Command(tmp_path / "quick", BOOT)
    words = (str(quick.path), "-IS", str(quick.path if there else tmp_path / "gone"))
    wiring = plan.Wiring(str(script.path), str(tmp_path), level=plan.PROJECT, parts=1, launcher=words)
    (text,) = SETTINGS.install({}, wiring).values()
    module = tmp_path / "plugin.mjs"
    module.write_text(str(text))

    outputs = node_rig.run(module, DRIVER, [created("s"), spoken("s"), request("s")])

    assert outputs[2]["system"] == ["You are an agent.", "boot"]
    called, other = (quick, script) if there else (script, quick)
    assert called.events
    assert not other.events
    (wired,) = SETTINGS.wired({SETTINGS.places(plan.PROJECT)[0]: str(text)}, plan.PROJECT)
    assert (wired.script, wired.workspace, wired.launcher) == (str(script.path), str(tmp_path), words[2])


def event(kind: str, **properties: object) -> Step:
    return ["event", {"event": {"type": kind, "properties": properties}}, None]


def created(session: str, parent: str | None = None) -> Step:
    return event(CREATED, info={"id": session, **({"parentID": parent} if parent else {})})


def spoken(session: str, text: str = "hello") -> Step:
    return ["chat.message", {"sessionID": session, "messageID": "m"}, {"parts": [{"type": "text", "text": text}]}]


def request(session: str, system: str = "You are an agent.") -> Step:
    return ["experimental.chat.system.transform", {"sessionID": session}, {"system": [system]}]


def before(session: str, call: str = "call_1") -> Step:
    return ["tool.execute.before", {"sessionID": session, "callID": call, "tool": "bash"}, {"args": {"command": "ls"}}]


def after(session: str, call: str = "call_1", **result: object) -> Step:
    return ["tool.execute.after", {"sessionID": session, "callID": call, "tool": "bash"}, result]


def test_the_boot_is_asked_for_once_and_stands_in_each_request(tmp_path: Path) -> None:
    outputs, command = played(tmp_path, [created("s"), spoken("s"), request("s"), spoken("s"), request("s")])

    assert [output["system"] for output in (outputs[2], outputs[4])] == [["You are an agent.", "boot"]] * 2
    assert command.events == ["session.started", "chat.message", "chat.message"]
    assert command.calls[0][1]["source"] == "startup"
    assert command.calls[1][1]["prompt"] == "hello"


def test_ctrl_c_in_the_terminal_of_the_host_does_not_reach_a_hook(tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    own = f"{sys.executable} -c 'import os; print(os.getpgrp())'"

    played(tmp_path, [created("s"), spoken("s")], answer=f"echo $$ $({own}) >> {groups}; echo '{{}}'")

    process, group = groups.read_text().split()[:2]
    assert process == group


def test_a_session_of_before_is_resumed(tmp_path: Path) -> None:
    _, command = played(tmp_path, [spoken("s")])

    assert command.calls[0][1]["source"] == "resume"


def test_who_finds_a_title_is_told_nothing(tmp_path: Path) -> None:
    outputs, command = played(tmp_path, [request("s", "You are a title generator. You output a title.")])

    assert len(outputs[0]["system"]) == 1
    assert command.events == []


def test_a_subagent_is_told_nothing_and_its_tools_are_those_of_its_session(tmp_path: Path) -> None:
    steps = [created("s"), created("child", "s"), created("grandchild", "child")]

    outputs, command = played(tmp_path, [*steps, spoken("grandchild"), request("grandchild"), before("grandchild")])

    assert len(outputs[4]["system"]) == 1
    assert [(event, said["session_id"]) for event, said in command.calls] == [("tool.before", "s")]


def test_a_tool_has_a_result_with_its_arguments_and_its_exit_code(tmp_path: Path) -> None:
    _, command = played(tmp_path, [before("s"), after("s", output="a\nb", metadata={"exit": 3})])

    (_, action), (_, result) = command.calls
    assert result == {**action, "output": "a\nb", "exit": 3}


def test_calls_of_the_same_name_in_two_sessions_are_kept_apart(tmp_path: Path) -> None:
    _, command = played(tmp_path, [before("s"), before("t"), after("s", output="one"), after("t", output="two")])

    results = [(said["session_id"], said["output"]) for event, said in command.calls if event == "tool.after"]
    assert results == [("s", "one"), ("t", "two")]


def test_a_tool_that_fails_has_an_error_once(tmp_path: Path) -> None:
    part = {"type": "tool", "sessionID": "s", "callID": "call_1", "state": {"status": "error", "error": "refused"}}

    _, command = played(tmp_path, [before("s"), event(FAILED, part=part), event(FAILED, part=part), ["dispose", 0, 0]])

    assert command.events == ["tool.before", "tool.after"]
    assert command.calls[1][1]["error"] == "refused"


def test_compaction_hears_hints_and_what_comes_after_is_booted_anew(tmp_path: Path) -> None:
    compacting = ["experimental.session.compacting", {"sessionID": "s"}, {"context": []}]
    steps = [spoken("s"), compacting, request("s"), event(COMPACTED, sessionID="s"), request("s")]

    outputs, command = played(tmp_path, steps)

    assert outputs[1]["context"] == ["keep this"]
    assert len(outputs[2]["system"]) == 1, "the boot is not to be summarized"
    assert outputs[4]["system"][1:] == ["boot"]
    assert command.events == ["session.started", "chat.message", "compacting", "compacted"]


def test_a_session_ends_with_the_program_or_when_it_is_deleted(tmp_path: Path) -> None:
    deleted = event("session.deleted", info={"id": "t"})

    _, command = played(tmp_path, [spoken("s"), spoken("t"), deleted, ["dispose", None, None]])

    ended = [(said["session_id"], said["reason"]) for event, said in command.calls if event == "session.ended"]
    assert ended == [("t", "deleted"), ("s", "exit")]


@pytest.mark.parametrize("answer", ["exit 1", "echo oh", "echo '[]'", "echo null", "echo '{\"context\": 5}'", "rm $0"])
def test_an_answer_that_is_none_changes_nothing(tmp_path: Path, answer: str) -> None:
    outputs, _ = played(tmp_path, [spoken("s"), request("s"), before("s"), after("s", output="")], answer)

    assert outputs[1] == {"system": ["You are an agent."]}


def test_a_command_that_fails_again_and_again_is_left_alone(tmp_path: Path) -> None:
    _, command = played(tmp_path, [before("s", str(number)) for number in range(9)], "exit 1")

    assert len(command.calls) == 3


def test_words_of_opencode_that_it_does_not_know_are_passed_over(tmp_path: Path) -> None:
    odd = [event("server.connected"), event(CREATED), event(FAILED, part={"type": "text"}), spoken("s")]

    _, command = played(tmp_path, odd)

    assert command.events == ["session.started", "chat.message"]


# What it allows

CONFIGURED = """
const hooks = await ours({ client: undefined, directory: "/project", worktree: "/" })
const made = []
for (const permission of steps) {
  const config = { permission }
  await hooks.config(config)
  made.push(config.permission)
}
console.log(JSON.stringify(made))
"""
LOGGED, REDIRECTED, OTHER = "agentws log hello", "agentws log hello > /etc/motd", "git push"


def answers(tmp_path: Path, permission: dict[str, Any]) -> list[str]:
    """What OpenCode does with each command then: of the rules that match, the last counts."""
    wiring = plan.Wiring("/opt/agentws", "/w", level=plan.PROJECT, parts=1, allows=True, is_named=True)
    (text,) = SETTINGS.install({}, wiring).values()
    module = tmp_path / "plugin.mjs"
    module.write_text(str(text))
    (made,) = node_rig.run(module, CONFIGURED, [permission])
    rules = []
    for name, told in made.items():
        if fnmatch.fnmatchcase("bash", name):
            rules += [("*", told)] if isinstance(told, str) else list(told.items())
    return [
        next(action for pattern, action in reversed(rules) if fnmatch.fnmatchcase(command, pattern))
        for command in (LOGGED, REDIRECTED, OTHER)
    ]


@pytest.mark.parametrize(
    ("permission", "wanted"),
    [
        ({"bash": "ask"}, ["allow", "ask", "ask"]),
        ({"*": "ask"}, ["allow", "ask", "ask"]),
        ({"bash": {"*": "ask", "git *": "allow"}}, ["allow", "ask", "allow"]),
        ({"*": "ask", "bash": {"git *": "deny"}}, ["allow", "ask", "deny"]),
        ({"bash": {"*": "ask", "*>*": "deny"}}, ["allow", "deny", "ask"]),
        ({"bash": {"*": "ask", "agentws *": "deny"}}, ["deny", "deny", "ask"]),
        ({"bash": {"*": "ask", "*log*": "deny"}}, ["deny", "deny", "ask"]),
        ({"bash": {"*": "ask", "agentws *": "ask"}}, ["ask", "ask", "ask"]),
        # Denied before the rule for everything: what OpenCode makes of that stays as it is.
        ({"bash": {"*log*": "deny", "*": "ask"}}, ["ask", "ask", "ask"]),
        ({"bash": {"*": "deny", "agentws *": "ask"}}, ["ask", "ask", "deny"]),
        ({"bash": {"*": "allow", "agentws *": "ask"}}, ["ask", "ask", "allow"]),
        ({"*": "ask", "ba*": "deny"}, ["deny", "deny", "deny"]),
        ({"bash": {"git *": "allow"}, "*": "ask"}, ["ask", "ask", "ask"]),
        ({"*": "deny", "bash": {"agentws log *": "ask"}}, ["ask", "ask", "deny"]),
    ],
)
def test_what_a_person_says_of_some_commands_counts_and_what_is_denied_stays_so(
    tmp_path: Path, permission: dict[str, Any], wanted: list[str]
) -> None:
    assert answers(tmp_path, permission) == wanted


def test_a_tool_that_is_denied_is_stopped_with_the_reason_and_nothing_is_told_after_it(tmp_path: Path) -> None:
    failed = event(FAILED, part={"type": "tool", "sessionID": "s", "callID": "call_1", "state": {"status": "error"}})

    outputs, command = played(
        tmp_path, [created("s"), before("s"), failed, after("s")], """echo '{"deny": "Not now."}'"""
    )

    assert outputs[4:] == ["Not now."]
    assert command.events == ["tool.before"]


@pytest.mark.parametrize("answer", ["echo '{}'", "exit 1", "echo nonsense", """echo '{"deny": 1}'"""])
def test_any_other_answer_lets_a_tool_run(tmp_path: Path, answer: str) -> None:
    outputs, command = played(tmp_path, [created("s"), before("s")], answer)

    assert len(outputs) == 2
    assert command.events == ["tool.before"]


def test_why_the_service_ended_a_turn_is_reported_once_and_an_interruption_by_the_user_never(tmp_path: Path) -> None:
    def error(name: str, **data: str) -> Step:
        return event("session.error", sessionID="s", error={"name": name, "data": data})

    long, stopped = error("APIError", message="prompt is too long"), error("MessageAbortedError", message="Aborted")

    _, command = played(tmp_path, [created("s"), spoken("s"), long, long, spoken("s"), stopped, long])

    assert [said["failure"] for event, said in command.calls if event == "session.error"] == ["prompt is too long"] * 2


ASKS = """case $event in *ed) echo '{"context": "boot"}';; session.idle) echo '{"context": "Hand over."}';; esac"""
ASKED_DRIVER = """
const prompts = []
const client = { session: { prompt: async (said) => prompts.push(said) } }
const hooks = await ours({ client, directory: "/project", worktree: "/" })
for (const [name, input, output] of steps) await hooks[name]?.(input, output)
console.log(JSON.stringify(prompts))
"""


def asked(tmp_path: Path, steps: list[Step], *words: str) -> tuple[list[Any], node_rig.Command]:
    """The prompts that the plugin sent, and how the command was called; `words` are those OpenCode was started with."""
    command = node_rig.Command(tmp_path, ASKS)
    (text,) = SETTINGS.install({}, command.wiring(tmp_path)).values()
    module = tmp_path / "plugin.mjs"
    module.write_text(str(text))
    started = f"process.argv.push(...{list(words)!r})\n" if words else ""
    return node_rig.run(module, started + ASKED_DRIVER, steps), command


def idle(session: str) -> Step:
    return event("session.idle", sessionID=session)


def test_at_the_end_of_a_turn_the_agent_is_asked_by_a_prompt_that_nobody_typed(tmp_path: Path) -> None:
    by = {"agent": "build", "model": {"providerID": "mock", "modelID": "big"}}
    message = ["chat.message", {"sessionID": "s", "messageID": "m", **by}, {"parts": [{"type": "text", "text": "hi"}]}]

    prompts, command = asked(tmp_path, [created("s"), message, idle("s"), idle("s")])

    part = {"type": "text", "text": "Hand over.", "synthetic": True}
    assert prompts[0] == {"path": {"id": "s"}, "body": {**by, "parts": [part]}}
    goes_on = [said["stop_hook_active"] for event, said in command.calls if event == "session.idle"]
    assert goes_on == [False, True], "the second turn answered the question"


@pytest.mark.parametrize(("steps", "words"), [([created("s"), spoken("s"), idle("s")], ("run",)), ([idle("s")], ())])
def test_nobody_is_asked_in_a_run_of_one_answer_nor_in_a_session_that_was_told_nothing(
    tmp_path: Path, steps: list[Step], words: tuple[str, ...]
) -> None:
    prompts, command = asked(tmp_path, steps, *words)

    assert prompts == []
    assert "session.idle" not in command.events


def test_an_agent_within_the_agent_is_not_asked(tmp_path: Path) -> None:
    prompts, _ = asked(tmp_path, [created("s"), spoken("s"), created("t", "s"), request("t"), idle("t")])

    assert prompts == []
