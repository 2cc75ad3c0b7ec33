"""What every judge stands on: an agent program at a pinned version, and a scene of its own to run it in."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

CLAUDE_CODE = "claude-agent-sdk==0.2.189"
"""Its wheel has Claude Code 2.1.332 inside."""
CODEX = "@openai/codex@0.171.0"
GEMINI = "@google/gemini-cli@0.61.0"
QWEN = "@qwen-code/qwen-code@0.24.4"
COPILOT = "@github/copilot@1.0.102"
DROID = "droid@0.215.0"
PI, NODE = "@earendil-works/pi-coding-agent@1.6.0", "node@22.23.3"
"""Pi needs Node 22.19 or later."""
CONFORMANCE, INSPECTOR = "@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector@2.12.0"
"""The judges of `agentws mcp`; they need Node 22 too."""

MARK = re.compile(r"heron-mark-\d+")
"""What tests write into files, to find it again in a request."""
SKILL = "durable memory with the"
"""Words of the sentence by which our Agent Skill is offered to a model."""
BOOTED = "belong to agentws; everything else"
"""Words of the second line of a boot."""
BUSY = "touch running; while test -e going-on; do sleep 0.2; done"

_INSTALL_S, _RUN_S = 600, 180
_HOSTS = (
    "ANTHROPIC",
    "CLAUDE",
    "CODEX",
    "OPENAI",
    "GEMINI",
    "GOOGLE",
    "QWEN",
    "COPILOT",
    "FACTORY",
    "PI_",
    "GITHUB",
    "GH_",
    "AGENTWS",
    "XDG",
)


def claude_code(cache: Path) -> Path:
    """The command of Claude Code; it is installed into `cache` where it is not there yet."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", ".", CLAUDE_CODE]
    return installed(cache, CLAUDE_CODE, pip) / "claude_agent_sdk/_bundled/claude"


def codex(cache: Path) -> Path:
    """The command of Codex; it is installed into `cache` where it is not there yet."""
    return from_npm(cache, CODEX) / "node_modules/.bin/codex"


def gemini(cache: Path) -> Path:
    """The command of Gemini CLI; it is installed into `cache` where it is not there yet."""
    return from_npm(cache, GEMINI) / "node_modules/.bin/gemini"


def qwen(cache: Path) -> Path:
    """The command of Qwen Code; it is installed into `cache` where it is not there yet."""
    return from_npm(cache, QWEN) / "node_modules/.bin/qwen"


def copilot(cache: Path) -> Path:
    """The command of GitHub Copilot CLI; it is installed into `cache` where it is not there yet."""
    return from_npm(cache, COPILOT) / "node_modules/.bin/copilot"


def droid(cache: Path) -> Path:
    """The command of Droid; it is installed into `cache` where it is not there yet."""
    return from_npm(cache, DROID) / "node_modules/.bin/droid"


def pi(cache: Path) -> Path:
    """The command of Pi, with a Node beside it; they are installed into `cache` where they are not there yet."""
    return from_npm(cache, PI, NODE) / "node_modules/.bin/pi"


def from_npm(cache: Path, package: str, *options: str) -> Path:
    """The folder of a package from npm; it is installed into `cache` where it is not there yet."""
    if shutil.which("npm") is None:
        pytest.skip(f"{package} was NOT judged: there is no npm here")
    npm = ["npm", "install", "--loglevel=error", "--no-audit", "--no-fund", "--prefix", ".", *options, package]
    return installed(cache, package, npm)


def installed(cache: Path, package: str, command: Sequence[str]) -> Path:
    """The folder that `command` fills: made whole under another name, so that it is never there by half."""
    folder = cache / package.replace("/", "-").replace("==", "-").strip("@")
    if folder.is_dir():
        return folder
    making = folder.with_name(f"{folder.name}.{os.getpid()}")
    making.mkdir(parents=True)
    done = subprocess.run(command, cwd=making, capture_output=True, text=True, timeout=_INSTALL_S)
    if done.returncode:
        shutil.rmtree(making)
        pytest.skip(f"{package} was NOT judged: it could not be installed: {done.stderr.strip()[-300:]}")
    making.rename(folder)
    return folder


class Scene:
    """A home, a workspace and another project; and a console script of agentws that counts the calls of hooks."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.workspace = root / "robin"
        self.project = root / "another project"
        for folder in (self.home, self.project):
            folder.mkdir(parents=True)
        self.variables: dict[str, str] = {}
        """What the host is told by its environment."""
        self._calls = root / "calls.txt"
        self.script = _counting_script(root / "bin", self._calls)
        self._tools = _counting_sync(root / "tools", self._calls)
        self.agentws("init", str(self.workspace), "--name", "Robin", "--no-git", at=root)

    def environment(self) -> dict[str, str]:
        """The variables that a program is started with: of any host's none but those of this scene."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_HOSTS)}
        path = f"{self._tools}:{kept['PATH']}"
        return {**kept, "HOME": str(self.home), "PATH": path, **self.variables}

    def agentws(self, *words: str, at: Path | None = None) -> str:
        """What `agentws` prints; it is called in the workspace, or in the folder `at`."""
        return run([str(self.script), *words], at or self.workspace, self.environment()).stdout

    def pass_hours(self, hours: int) -> None:
        """For agentws, what comes now happens these hours later."""
        now = datetime.now(tz=UTC) + timedelta(hours=hours)
        self.variables["AGENTWS_NOW"] = now.isoformat(timespec="seconds")

    def doctor(self) -> str:
        """What `doctor` finds."""
        words = [str(self.script), "doctor"]
        return subprocess.run(words, cwd=self.workspace, env=self.environment(), capture_output=True, text=True).stdout

    def install_with_launcher(self, host: str, settings: str) -> None:
        """Wire the host so that its hooks run by the launcher alone: the script behind it is not to be found.

        The script that counts has no launcher, since one that somebody has changed is to be run itself.
        """
        script = Path(sys.executable).with_name("agentws")
        run([str(script), "install", host], self.workspace, self.environment())
        assert (self.workspace / settings).exists()
        hook = self.workspace / ".agentws/hook"
        before = hook.read_text(encoding="utf-8")
        assert " -IS " in before
        hook.write_text(before.replace(f"\n{script} --version", "\n/nowhere/agentws --version"), encoding="utf-8")
        assert hook.read_text(encoding="utf-8") != before

    def write(self, path: str, text: str) -> None:
        """Write a file of the workspace."""
        (self.workspace / path).write_text(text, encoding="utf-8")

    def know_much(self) -> None:
        """Give the agent so much to know (see MARK) that the usual size of a text cannot hold its boot."""
        told = "what the herons of this year did, as they were seen."
        lines = (f"- heron-mark-{number:03}: {told}" for number in range(250))
        self.write("USER.md", "# User\n\n" + "\n".join(lines) + "\n")

    def kill_in_a_call(self, *words: str) -> None:
        """Run the program until the model's command BUSY runs, which is not over before the program is killed."""
        running, going_on = self.workspace / "running", self.workspace / "going-on"
        going_on.touch()
        try:
            run_and_kill(words, self.workspace, self.environment(), once=running.exists)
        finally:
            going_on.unlink()

    @property
    def hooks(self) -> list[str]:
        """The event of each call of a hook, in their order; a part of a boot is `SessionStart --part K`."""
        return self._calls.read_text(encoding="utf-8").splitlines() if self._calls.exists() else []

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """The events of the journal that are of these kinds, the oldest first."""
        printed = json.loads(self.agentws("journal", "list", "--limit", "10000", "--json"))
        return [event for event in printed["events"] if event["kind"] in kinds]

    def handoffs(self) -> list[str]:
        """The texts of the handoffs that were written, the oldest first."""
        texts = {path.name: path.read_text(encoding="utf-8") for path in (self.workspace / "handoffs").glob("*.md")}
        # A name tells the second: of two in the same one, the later says which it follows.
        return [texts[name] for name in sorted(texts, key=lambda one: (one[:17], "\nfollows:" in texts[one], one))]


def _counting_script(folder: Path, calls: Path) -> Path:
    """A console script as pip makes them, with one line more."""
    folder.mkdir()
    script = folder / "agentws"
    lines = (
        f"#!{sys.executable}",
        "import sys",
        'if "hook" in sys.argv:',
        f'    print(*sys.argv[sys.argv.index("hook") + 2 :], file=open({str(calls)!r}, "a"), flush=True)',
        "from agentws.cli.main import main",
        "sys.exit(main())",
    )
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script.chmod(0o755)
    return script


def _counting_sync(folder: Path, calls: Path) -> Path:
    """A folder with a program `sync` that counts the calls of hooks that start nothing else."""
    folder.mkdir()
    script = folder / "sync"
    counts = f'case $1 in --*) ;; *) echo "${{1##*-}}" >>"{calls}" ;; esac'
    script.write_text(f'#!/bin/sh\n{counts}\nexec {shutil.which("sync")} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return folder


def run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], *, said: str = ""
) -> subprocess.CompletedProcess[str]:
    """The finished program, to which `said` was said on its standard input; it must have ended well."""
    done = subprocess.run(
        words, cwd=folder, env=environment, input=said, capture_output=True, text=True, timeout=_RUN_S
    )
    assert done.returncode == 0, f"{words[0]} left with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done


def run_and_kill(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], *, once: Callable[[], bool]
) -> None:
    """Start the program, wait until `once` holds, and take the whole of it away with SIGKILL."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(once)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(holds: Callable[[], bool]) -> None:
    """Return as soon as it holds; it has to within the time that a run may take."""
    ends = time.monotonic() + _RUN_S
    while not holds():
        assert time.monotonic() < ends, "this never came to be"
        time.sleep(0.1)
