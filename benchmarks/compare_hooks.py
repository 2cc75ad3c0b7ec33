"""What the hooks of memory programs cost in Claude Code, and what a session after a kill is given.

    python benchmarks/compare_hooks.py
    python benchmarks/compare_hooks.py --python python3.12     # some need a newer one
    python benchmarks/compare_hooks.py --only agentws,brigade

Each program is fetched with pip into an environment of its own, and connects itself to a project with its own commands.
The commands that it wrote into the settings are then run as the host runs them: a prompt, tool calls, and, without an
end of that session, the start of the next one. No model and no service is called. Printed are processor seconds
(median, with child processes), in seconds and as a multiple of `python -c pass`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compare import fetched, median, surroundings, version

if TYPE_CHECKING:
    from collections.abc import Sequence

REPEATS = 7
PATIENCE_S = 60.0
PROMPT = "Paint the gate of the heron house"


@dataclass(frozen=True)
class Program:
    """A program: its title, the package to fetch, the commands that connect it in a project, or why it has no hook."""

    title: str
    package: str
    connect: Sequence[Sequence[str]] = ()
    has_none: str = ""


PROGRAMS = {
    "agentws": Program("agentws", "", (("agentws", "init", "--yes"), ("agentws", "install", "claude-code"))),
    "agent-memory-git": Program(
        "agent-memory-git", "agent-memory-git", (("mem", "init", "../data"), ("mem", "install", "--no-codex"))
    ),
    "brigade": Program(
        "Brigade",
        "brigade-cli",
        (("brigade", "operator", "quickstart", "--target", ".", "--harnesses", "claude"),),
    ),
    "basic-memory": Program("Basic Memory", "basic-memory", (("basic-memory", "hook", "install"),)),
    "mem0": Program("Mem0", "mem0ai", has_none="no hook: a library that calls a model for each memory"),
    "langgraph": Program("LangGraph", "langgraph", has_none="no hook: its checkpoints are compared in compare.py"),
}


def main() -> None:
    """Print a row for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="makes the environments")
    parser.add_argument("--only", default=",".join(PROGRAMS), help=f"some of {','.join(PROGRAMS)}")
    asked = parser.parse_args()
    print(f"{'':<26}{'prompt':>16}{'tool call':>16}{'next start':>16}  the next session is given the request")
    for name in asked.only.split(","):
        program = PROGRAMS[name]
        with tempfile.TemporaryDirectory(prefix="agentws-hooks-", ignore_cleanup_errors=True) as folder:
            try:
                print(row(program, Path(folder), asked.python), flush=True)
            except subprocess.TimeoutExpired as error:
                print(f"{program.title:<26}NOT MEASURED: longer than {PATIENCE_S:.0f} s: {error.cmd}", flush=True)


def row(program: Program, folder: Path, python: str) -> str:
    """Return what a program costs, or why that was not measured."""
    if program.has_none:
        return f"{program.title:<26}{program.has_none}"
    own = fetched(folder / "venv", [program.package] if program.package else [], python=python)
    if own is None:
        return f"{program.title:<26}NOT MEASURED: {program.package} could not be installed with {python}"
    title = f"{program.title} {version(own, program.package or 'agentws')}"
    home, project = folder / "home", folder / "home" / "project"
    (home / ".claude").mkdir(parents=True)
    project.mkdir()
    named = {f"GIT_{who}_{what}": "sam@heron.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    variables = {
        **surroundings(), **named, "HOME": str(home), "PATH": f"{Path(own).parent}{os.pathsep}{os.environ['PATH']}"
    }  # fmt: skip
    for command in (("git", "init", "-q"), *program.connect):
        done = subprocess.run(command, cwd=project, env=variables, check=False, capture_output=True, text=True)
        if done.returncode:
            return f"{title:<26}NOT MEASURED: {' '.join(command)}: {(done.stderr or done.stdout).strip()[-200:]}"
    base = [ran((own, "-c", "pass"), "", project, variables)[0] for _ in range(REPEATS)]
    hooks = Hooks(home, project, variables)
    hooks.run("SessionStart", "first", source="startup")
    prompts = [hooks.run("UserPromptSubmit", "first", prompt=PROMPT)[0] for _ in range(REPEATS)]
    calls = []
    for number in range(REPEATS):
        call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": f"t{number}"}
        before = hooks.run("PreToolUse", "first", **call)[0]
        after = hooks.run("PostToolUse", "first", **call, tool_response={"stdout": "gate", "stderr": ""})[0]
        calls.append(before + after)
    starts = [hooks.run("SessionStart", f"next-{number}", source="startup") for number in range(REPEATS)]
    one = sorted(base)[REPEATS // 2]
    cells = "".join(cell(costs, one) for costs in (prompts, calls, [cost for cost, _ in starts]))
    return f"{title:<26}{cells}  {'yes' if PROMPT in starts[0][1] else 'no'}"


def cell(costs: list[float], one: float) -> str:
    """Return the median, in seconds and as a multiple of `one`; `none` where no hook was run."""
    middle = sorted(costs)[len(costs) // 2]
    return f"{f'{median(costs)} {middle / one:.1f} B' if middle else 'none':>16}"


class Hooks:
    """The hooks in the settings of Claude Code, of a home and of a project."""

    def __init__(self, home: Path, project: Path, variables: dict[str, str]) -> None:
        self._project = project
        self._variables = {**variables, "CLAUDE_PROJECT_DIR": str(project)}
        self._groups: dict[str, list[tuple[str, str]]] = {}
        for place in (home / ".claude/settings.json", project / ".claude/settings.json"):
            content = json.loads(place.read_text()) if place.exists() else {}
            for event, groups in content.get("hooks", {}).items():
                several = [(group.get("matcher") or "", hook["command"]) for group in groups for hook in group["hooks"]]
                self._groups.setdefault(event, []).extend(several)

    def run(self, event: str, session: str, **fields: object) -> tuple[float, str]:
        """Run the hooks of an event as the host does; return their processor seconds and what they printed."""
        given = {
            "session_id": session,
            "hook_event_name": event,
            "cwd": str(self._project),
            "transcript_path": str(self._project / f"{session}.jsonl"),
            **fields,
        }
        matched = str(fields.get("tool_name") or fields.get("source") or "")
        matches = [
            command
            for matcher, command in self._groups.get(event, ())
            if matcher in ("", "*") or re.fullmatch(matcher, matched)
        ]
        results = [ran(("sh", "-c", each), json.dumps(given), self._project, self._variables) for each in matches]
        return sum(cost for cost, _ in results), "".join(text for _, text in results)


def ran(command: Sequence[str], given: str, folder: Path, variables: dict[str, str]) -> tuple[float, str]:
    """Run a command; return its processor seconds with those of its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=folder, env=variables, input=given, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


if __name__ == "__main__":
    main()
