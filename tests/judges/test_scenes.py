"""The same scenes in eight real agent programs; among them kills at random moments: no call is repeated unasked."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.journal import thread
from tests.judges import (
    chat_mock,
    gemini_mock,
    messages_mock,
    opencode_rig,
    responses_mock,
    rig,
    terminal,
    test_claude_code as claude_code,
    test_codex as codex,
    test_copilot as copilot,
    test_droid as droid,
    test_gemini as gemini,
    test_pi as pi,
    test_qwen as qwen,
)
from tests.judges.loopback import Run, serving

MOMENTS = int(os.environ.get("AGENTWS_FENCE_MOMENTS", "50"))
_PAYS_S = 0.2
_PAY = "#!/bin/sh\necho begin $1 >> marks.txt\nsleep 0.3\necho paid $1 >> marks.txt\n"
_RUN_S, _END_S = 180, 15
HOSTS = ("claude-code", "codex", "gemini", "qwen", "copilot", "droid", "pi", "opencode")
TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"
_SAY_NOTHING = ("gemini",)
"""Programs that say nowhere why the model's service ended a turn."""
_WHY = {"copilot": "ended the session with an error"}
"""What other programs say instead of the reason that the service gave."""
_WINDOWS = {
    "gemini": "Type your message",
    "qwen": "Type your message",
    "pi": "agentws.js",
    "copilot": "❯",
    "droid": "for help",
    "opencode": "Ask anything",
}
"""Programs whose window is played, and what it shows when it takes a prompt."""
_BARE = ("droid", "opencode")
"""Programs whose window begins without words; their settings say the rest."""
_TWICE = ("copilot", "opencode")
"""Programs in which Escape is pressed twice."""
_SILENT = {"copilot": b"cancelled by user"}
"""Programs that call no hook after Escape until the next prompt, and what they show."""
_BROKEN_OFF = {
    "gemini": "Command was cancelled by user",
    "qwen": "The tool had already completed; its output was discarded. User intentionally cancelled",
    "pi": "Command aborted",
    "copilot": thread.UNREPORTED,
    "droid": "Error: Tool execution cancelled by user",
    "opencode": "User aborted the command",
}
"""What these programs say of a command that a person has broken off."""
_NO_PROMPTS = ("droid",)
"""Programs that do not report the prompt of a headless run."""
_BEFORE = ("PreToolUse", "BeforeTool", "tool_call", "tool.before")

Played = tuple[rig.Scene, Any, Callable[[str], Sequence[str]], Callable[[str], Any]]
"""A scene, its model, the command line for a prompt, and a turn of the model that runs a command."""


@contextmanager
def played(host: str, root: Path, cache: Path) -> Iterator[Played]:
    """A program with the hooks of agentws, and its model."""
    command = opencode_rig.program(cache) if host == "opencode" else getattr(rig, host.replace("-", "_"))(cache)
    kinds: dict[str, Any] = {
        "claude-code": (messages_mock.ScriptedModel, claude_code.ClaudeCode),
        "codex": (responses_mock.ScriptedModel, codex.Codex),
        "gemini": (gemini_mock.ScriptedModel, gemini.Gemini),
        "qwen": (chat_mock.ObedientModel, qwen.Qwen),
        "copilot": (chat_mock.ObedientModel, copilot.Copilot),
        "droid": (chat_mock.ObedientModel, droid.Droid),
        "pi": (chat_mock.ObedientModel, pi.Pi),
        "opencode": (chat_mock.ObedientModel, lambda root, *_: rig.Scene(root)),
    }
    model_kind, scene_kind = kinds[host]
    model = model_kind()
    with serving(model) as address:
        scene = scene_kind(root, command, address, model)
        scene.agentws("install", host)
        if host == "codex":
            scene.trust()
        opencode = opencode_rig.OpenCode(command, scene, address)
        if host == "opencode":
            scene.variables = opencode.variables(scene.workspace)
        lines: dict[str, Callable[[str], Sequence[str]]] = {
            "claude-code": lambda prompt: [str(command), "-p", prompt],
            "codex": lambda prompt: [str(command), "exec", *codex.OPTIONS, prompt],
            "gemini": lambda prompt: [str(command), "--prompt", prompt, *gemini.OPTIONS],
            "qwen": lambda prompt: [*scene._called(prompt), *qwen._AT_ONCE],
            "copilot": lambda prompt: [*scene._called(prompt), *copilot._ALL],
            "droid": lambda prompt: [*scene._called(prompt), *droid._ALL],
            "pi": lambda prompt: [*scene._called(prompt), *pi._TRUSTED],
            "opencode": opencode.words,
        }
        shells = {"qwen": qwen.shell, "copilot": copilot.shell, "droid": droid.shell, "pi": pi.shell, "opencode": _bash}
        turn: Callable[[str], Any] = shells.get(host, Run)
        yield scene, model, lines[host], turn


@pytest.mark.parametrize("host", [host for host in HOSTS if host not in _SAY_NOTHING])
def test_the_next_session_is_told_why_the_service_ended_the_last_one(
    host: str, tmp_path: Path, judges_cache: Path
) -> None:
    with played(host, tmp_path, judges_cache) as (scene, model, line, _):
        model.refuses = TOO_LONG
        _run(scene, line("Count the herons"))
        model.refuses = ""
        _run(scene, line("What happened?"))
        told = _newest(model, "What happened?")

    first, _ = scene.events("session.started")
    (error,) = scene.events("error")
    assert (error["session"], error["src"]) == (first["session"], "tool:model")
    # Claude Code writes the service's words, or its own with a capital.
    assert _WHY.get(host, "prompt is too long") in error["body"]["text"].lower()
    assert _WHY.get(host, "prompt is too long") in told.lower()
    assert not [note for note in scene.events("note") if note["session"] == first["session"] and note["src"] != "user"]


@pytest.mark.parametrize("host", HOSTS)
def test_two_sessions_at_once_are_recorded_apart(host: str, tmp_path: Path, judges_cache: Path) -> None:
    with played(host, tmp_path, judges_cache) as (scene, model, line, turn):
        running, going_on = scene.workspace / "running", scene.workspace / "going-on"
        going_on.touch()
        model.turns[:] = [turn(rig.BUSY)]
        with ThreadPoolExecutor() as pool:
            first = pool.submit(_run, scene, line("Count the herons"))
            rig.wait_until(running.exists)
            _run(scene, line("Count the ducks"))
            told = _newest(model, "Count the ducks")
            going_on.unlink()
            first.result()

    (one, two) = (event["session"] for event in scene.events("session.started"))
    assert one != two
    if host not in _NO_PROMPTS:
        said = [(event["session"], event["body"]["text"]) for event in scene.events("note") if event["src"] == "user"]
        assert said == [(one, "Count the herons"), (two, "Count the ducks")]
        assert "Count the herons" in told
    assert {event["session"] for event in scene.events("action", "result")} == {one}
    assert "In flight" not in scene.agentws("boot")


@pytest.mark.parametrize("host", HOSTS)
def test_the_next_day_begins_with_what_the_day_before_left(host: str, tmp_path: Path, judges_cache: Path) -> None:
    with played(host, tmp_path, judges_cache) as (scene, model, line, turn):
        model.turns[:] = [turn("echo three herons")]
        _run(scene, line("Count the herons"))
        scene.pass_hours(24)
        _run(scene, line("Count the ducks"))
        told = _newest(model, "Count the ducks")

    assert ", yesterday" in told or "ended without one at" in told  # `qwen -p` reports no end
    assert "echo three herons" in told
    assert "in flight" not in told.lower()
    assert len(scene.events("session.started")) == 2


@pytest.mark.parametrize("host", _WINDOWS)
def test_a_call_that_was_broken_off_by_escape_is_never_told_as_not_run(
    host: str, tmp_path: Path, judges_cache: Path
) -> None:
    pairs = 9 if host in _TWICE else 0
    told = _broken_off(
        host, tmp_path, judges_cache, terminal.ESCAPE, pairs, lambda scene: scene.events("result", "error")
    )

    assert f"{rig.BUSY} → {_BROKEN_OFF[host]}" in told


@pytest.mark.parametrize("host", _WINDOWS)
def test_a_call_in_which_the_program_was_left_by_ctrl_c_is_never_told_as_not_run(
    host: str, tmp_path: Path, judges_cache: Path
) -> None:
    told = _broken_off(host, tmp_path, judges_cache, terminal.INTERRUPT, 9, lambda scene: scene.events("session.ended"))

    assert f"{rig.BUSY} → {_BROKEN_OFF[host]}" in told or f"{rig.BUSY} → {thread.UNREPORTED}" in told


def _broken_off(host: str, root: Path, cache: Path, key: str, pairs: int, holds: Callable[[rig.Scene], object]) -> str:
    """The boot after a window in which this key was pressed while a command ran, then in pairs, until this holds."""
    with played(host, root, cache) as (scene, model, line, turn):
        (scene.workspace / "going-on").touch()
        model.turns[:] = [turn(rig.BUSY)]
        words = [word for word in line("X") if word not in ("X", "-p", "--print", "--prompt")]
        words = words[:1] if host in _BARE else words
        with terminal.before(words, scene.workspace, scene.environment(), _WINDOWS[host]) as person:
            person.type("Count the herons", until=(scene.workspace / "running").exists)

            is_silent = key == terminal.ESCAPE and host in _SILENT

            def is_over() -> bool:
                return _SILENT[host] in person.screen if is_silent else bool(holds(scene))

            person.press(key)
            for _ in range(pairs):
                time.sleep(1)
                if is_over():
                    break
                with suppress(OSError):  # it has left
                    person.press(key)
                    time.sleep(0.2)  # two within half a second leave Pi
                    person.press(key)
            rig.wait_until(is_over)
            if is_silent:
                person.type("Go on", until=lambda: len(scene.events("note")) > 1)
        return scene.agentws("boot")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_call_that_was_killed_is_not_repeated_unasked(
    host: str, how: signal.Signals, tmp_path: Path, judges_cache: Path
) -> None:
    """Each session repeats the call in which the one before was killed, then makes one of its own and is killed."""
    chance = random.Random(39)
    with played(host, tmp_path, judges_cache) as (scene, model, line, turn):
        scene.write("pay", _PAY)
        scene.workspace.joinpath("pay").chmod(0o755)
        model.turns[:] = [turn("./pay first")]
        span_s = _span_s(scene, line("Pay first"))
        begun = []
        for number in range(MOMENTS + 1):
            wanted = [f"./pay {one}" for one in (number - 1, number) if 0 <= one < MOMENTS]
            model.turns[:] = map(turn, wanted)
            # Every other kill falls into the call, however slow the hook before it is.
            mark = f"begin {number}" if number % 2 else ""
            delay_s = None if number == MOMENTS else chance.uniform(0, _PAYS_S if mark else span_s)
            _session(scene, line(f"Pay {number}"), len(wanted), delay_s, how, mark)
            begun.append(_marks(scene).count(f"begin {number}"))
        marks, ends = _marks(scene), _ends(scene)
        table = Counter(
            _fate(begun[one], marks.count(f"begin {one}"), ends.get(f"./pay {one}", [])) for one in range(MOMENTS)
        )

    print(f"\n{host}, {how.name}: {MOMENTS} moments: {dict(sorted(table.items()))}")
    assert not table["repeated unasked"]
    assert table["asked, begun"] or how != signal.SIGKILL, "a program that ends by itself may wait for its tool"


def _run(scene: rig.Scene, words: Sequence[str]) -> None:
    """Run a session to its end, whatever its exit code; no hook may fail."""
    environment = scene.environment()
    subprocess.run(
        words, cwd=scene.workspace, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_RUN_S
    )
    assert not scene.events("hook.failed")


def _newest(model: Any, prompt: str) -> str:
    """The longest request with this prompt: side questions of the program are shorter."""
    return max((text for asked in model.asked if prompt in (text := asked.text)), key=len)


def _session(
    scene: rig.Scene, words: Sequence[str], calls: int, delay_s: float | None, how: signal.Signals, mark: str
) -> None:
    """Run a session; with a delay send it a signal so long after the hook before the last of its calls, or its mark."""
    before = len(_hooks(scene))
    process = subprocess.Popen(
        words,
        cwd=scene.workspace,
        env=scene.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ends = time.monotonic() + _RUN_S
    try:
        while process.poll() is None and time.monotonic() < ends:
            if delay_s is not None and len(_hooks(scene)) - before >= calls and (not mark or mark in _marks(scene)):
                time.sleep(delay_s)
                break
            time.sleep(0.02)
    finally:
        if process.poll() is None and how != signal.SIGKILL:
            process.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_S)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _span_s(scene: rig.Scene, words: Sequence[str]) -> float:
    """The seconds from the hook before a call to the one behind it, in a session that nobody kills."""
    environment, silent = scene.environment(), subprocess.DEVNULL
    with subprocess.Popen(words, cwd=scene.workspace, env=environment, stdin=silent, stdout=silent, stderr=silent):
        rig.wait_until(lambda: bool(_hooks(scene)))
        began, hooks = time.monotonic(), len(scene.hooks)
        rig.wait_until(lambda: len(scene.hooks) > hooks)
        return time.monotonic() - began


def _bash(words: str) -> str:
    return chat_mock.calling("bash", command=words, description="do")


def _hooks(scene: rig.Scene) -> list[str]:
    return [hook for hook in scene.hooks if hook in _BEFORE]


def _marks(scene: rig.Scene) -> list[str]:
    path = scene.workspace / "marks.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _ends(scene: rig.Scene) -> dict[str, list[str]]:
    """How each call of a command ended, by the command, the oldest first."""
    found: dict[str, list[str]] = {}
    ends: dict[str, str] = {}
    for event in scene.events("action", "result", "error"):
        body = event["body"]
        if event["kind"] == "action":
            given = body.get("input") or {}
            command = given.get("command") or given.get("cmd") or ""
            call = f"{body.get('call')}@{event['seq']}"
            ends[str(body.get("call"))] = call
            found.setdefault(command, []).append(call)
            continue
        call = ends.get(str(body.get("call")), "")
        how = "refused" if body.get("refused") else "unknown" if "identical call" in str(body.get("text")) else "known"
        for calls in found.values():
            calls[:] = [how if one == call else one for one in calls]
    return found


def _fate(first: int, times: int, ends: list[str]) -> str:
    """How a call fared: `first` and `times` are how often it had begun before and after the repeat."""
    is_asked = "refused" in ends
    if not first:
        return "asked, not begun" if is_asked else "not begun"
    if is_asked:
        return "asked, begun" if times == first else "repeated in spite of the question"
    return "result known" if ends[:1] == ["known"] else "repeated unasked" if times > first else "not repeated"
