"""A call of agentws by its agent is told from work, however the agent's program writes it down."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.core.formats.journal import shell_call

OURS = (
    "agentws handoff --auto",
    "agentws handoff --auto\n",
    "/home/leo/.local/bin/agentws -C '/home/leo/my robin' handoff --doing 'Moving & sorting; see (2) | 3' --next x",
    'agentws --workspace=/home/leo/robin -q handoff --doing "First line\nand its second"',
    "agentws log 'no handoff yet'",
    "agentws -C handoff migrate sam@heron:robin",
)
MORE_THAN_OURS = (
    "agentws handoff --auto && rsync -a photos/ sam@heron:photos/",
    "agentws handoff --auto&&rsync -a photos/ sam@heron:photos/",
    "agentws handoff --auto; send-invoice kim",
    "agentws handoff --auto | mail -s handoff kim@example.org",
    "agentws handoff --auto & send-invoice kim",
    "agentws handoff --auto\nsend-invoice kim",
    'agentws handoff --doing "$(send-invoice kim)"',
    "agentws handoff --doing `send-invoice kim`",
    "agentws handoff --doing x > /mnt/new/handoff.md",
    "send-invoice kim --note agentws handoff",
    "send-invoice kim && agentws handoff --auto",
    "ssh sam@heron agentws handoff --auto",
    "agentws handoff --doing 'no end",
)


def verb(command: str) -> str:
    return shell_call.verb({"tool": "Bash", "input": {"command": command}})


def test_only_a_call_that_is_nothing_but_agentws_is_ours() -> None:
    assert [verb(command) for command in OURS] == ["handoff", "handoff", "handoff", "handoff", "log", "migrate"]
    assert {command: verb(command) for command in MORE_THAN_OURS} == dict.fromkeys(MORE_THAN_OURS, "")


@pytest.mark.parametrize(
    "command",
    [
        "cd /srv/robin && agentws log tea",
        "AGENTWS_SESSION=s1 agentws log tea",
        "cd '/srv/the robin' && TZ=UTC /opt/agentws -C /srv/robin log 'tea; and more'",
    ],
)
def test_a_folder_and_variables_may_precede_it(command: str) -> None:
    assert verb(command) == "log"


@pytest.mark.parametrize(
    "body",
    [
        {"tool": "exec_command", "input": {"cmd": "agentws log tea", "yield_time_ms": 1000}},
        {"tool": "shell", "input": {"command": ["bash", "-lc", "cd /srv && agentws log tea"]}},
        {"tool": "run_shell_command", "input": {"command": "agentws log tea", "is_background": False}},
    ],
)
def test_it_is_known_in_each_host(body: dict[str, Any]) -> None:
    assert shell_call.verb(body) == "log"


@pytest.mark.parametrize(
    "body", [None, {}, {"tool": "Bash"}, {"tool": "Bash", "input": 3}, {"input": {"command": "="}}]
)
def test_a_body_without_a_command_is_none(body: Any) -> None:
    assert shell_call.verb(body) == ""


@pytest.mark.parametrize(
    "body",
    [
        {"tool": "Task", "input": {"description": "agentws migration of billing"}},
        {"tool": "Write", "input": {"file_path": "bin/agentws log"}},
        {"tool": "WebSearch", "input": {"query": "agentws boot"}},
        {"tool": "deploy", "input": "agentws log tea"},
    ],
)
def test_another_tool_whose_input_looks_like_one_is_work(body: dict[str, Any]) -> None:
    assert shell_call.verb(body) == ""
