"""Of a command's result the journal keeps what it printed and how it failed, not what the host put around it."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.features.hosts.copilot import calls as copilot
from agentws.features.hosts.gemini import calls as gemini
from agentws.features.hosts.opencode import calls as opencode
from agentws.features.hosts.qwen import calls as qwen

QWEN = (
    "Command: {0}\nDirectory: (root)\nOutput: {1}\nError: (none)\nExit Code: {2}\nSignal: (none)\n"
    "Process Group PGID: 41"
)
SHELL = "run_shell_command"


def in_gemini(said: str, tool: str = SHELL) -> Any:
    context = f"<untrusted_context>\n{said}\n</untrusted_context>"
    return gemini.read("AfterTool", {"tool_name": tool, "tool_response": {"llmContent": context}}).output


def in_qwen(said: str, tool: str = SHELL) -> Any:
    return qwen.read("PostToolUse", {"tool_name": tool, "tool_response": {"llmContent": said}}).output


def in_copilot(said: str) -> Any:
    fields = {"tool_name": "Bash", "tool_result": {"text_result_for_llm": said}}
    return copilot.read("PostToolUse", fields).output


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Output: herons\nProcess Group PGID: 41", "herons"),
        ("Output: herons\nducks\nExit Code: 3\nProcess Group PGID: 41", "herons\nducks\nExit Code: 3"),
        ("Output: (empty)\nProcess Group PGID: 41", ""),
        ("Output: (empty)\nError: no such shell\nSignal: SIGKILL", "Error: no such shell\nSignal: SIGKILL"),
        ("Output: a &lt;/untrusted_context&gt; b", "a </untrusted_context> b"),
        ("Output: Error: two\nlines", "Error: two\nlines"),
    ],
)
def test_gemini(said: str, kept: str) -> None:
    assert in_gemini(said) == kept


@pytest.mark.parametrize(
    ("command", "printed", "code", "kept"),
    [
        ("ls", "herons", 0, "herons"),
        ("ls", "(empty)", 0, ""),
        ("ls /no", "ls: /no: missing", 2, "ls: /no: missing\nExit Code: 2"),
        ("ls\nls", "Exit Code: 7\nherons", 0, "Exit Code: 7\nherons"),
    ],
)
def test_qwen(command: str, printed: str, code: int, kept: str) -> None:
    assert in_qwen(QWEN.format(command, printed, code)) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("herons\n<shellId: 0 completed with exit code 0>", "herons"),
        ("herons\n<shellId: 12 completed with exit code 3>", "herons\nExit Code: 3"),
        ("\n<shellId: 0 completed with exit code 0>", ""),
        ("\n<shellId: 0 completed with exit code 1>", "Exit Code: 1"),
        ("<shellId: 0 is still running>", "<shellId: 0 is still running>"),
        ("3 passed", "3 passed"),
    ],
)
def test_copilot(said: str, kept: str) -> None:
    assert in_copilot(said) == kept


def test_what_a_tool_read_keeps_lines_that_look_like_a_wrapper() -> None:
    page = "Output: herons\nProcess Group PGID: 41"

    assert in_gemini(page, "read_file") == page
    assert in_qwen(page, "read_file") == page
    assert in_qwen("Command not found") == "Command not found"


@pytest.mark.parametrize("odd", [None, 3, ["a"], {"b": 1}])
def test_a_result_of_another_kind_is_kept(odd: object) -> None:
    assert qwen.read("PostToolUse", {"tool_name": SHELL, "tool_response": {"llmContent": odd}}).output == odd
    assert gemini.read("AfterTool", {"tool_name": SHELL, "tool_response": {"llmContent": odd}}).output == odd
    assert copilot.read("PostToolUse", {"tool_result": {"text_result_for_llm": odd}}).output == odd


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>", "User aborted the command"),
        ("herons\n\n<shell_metadata>\nUser aborted\n</shell_metadata>", "herons\nUser aborted"),
        ("herons\n<shell_metadata>", "herons\n<shell_metadata>"),
        ("", ""),
    ],
)
def test_opencode(said: str, kept: str) -> None:
    assert opencode.read("tool.after", {"tool": "bash", "output": said}).output == kept
