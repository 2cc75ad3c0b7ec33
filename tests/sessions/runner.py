"""Plays console sessions: documents that show what a person types and sees, and that are true because this runs.

Within a block fenced as `console`

- a line `$ command` is run by bash; lines `> …` below it continue it, as in a shell;
- `# exit 3` at the end of the command says which exit code it has to have, 0 where nothing is said;
- the other lines are what it prints, stdout and stderr together. `…` alone on a line stands for any number of lines,
  `…` within a line for any text; blanks at the end of a line do not matter.

All blocks of a document are one session in one folder: what a command does, the next one finds.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

NOW = "2026-11-20T07:15:00+01:00"
_MARK = "\x1e"
_EXIT = re.compile(r"\s# exit (\d+)$")


@dataclass
class Step:
    """One command of a session: where it stands, what it is, what it prints, how it exits."""

    line: int
    command: str
    expected: list[str] = field(default_factory=list)
    code: int = 0


class SessionFailedError(AssertionError):
    """A command did something else than its document says."""


def steps(text: str) -> list[Step]:
    """The steps of all console blocks in a Markdown text."""
    found: list[Step] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            code = _EXIT.search(line)
            found.append(Step(number, line[2:], code=int(code.group(1)) if code else 0))
        elif inside and line.startswith("> ") and not found[-1].expected:
            found[-1].command += "\n" + line[2:]
        elif inside and line == ">" and not found[-1].expected:
            found[-1].command += "\n"
        elif inside:
            found[-1].expected.append(line)
    return found


def matches(expected: list[str], printed: str) -> bool:
    """Whether `printed` is what `expected` says, with `…` for anything."""
    pattern = ""
    for line in _trimmed(expected):
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"\n"
    lines = _trimmed(printed.split("\n"))
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in lines)) is not None


def play(document: Path, folder: Path) -> int:
    """Run the session of `document` in the empty `folder` and return how many steps it had.

    SessionFailedError shows the first step that differs.
    """
    session = steps(document.read_text(encoding="utf-8"))
    # A script of its own, not standard input: a command that reads must not eat the commands after it.
    script = folder.parent / f"{folder.name}.sh"
    # One group of its lines each, so that stderr and stdout arrive in the order in which they were written.
    script.write_text("".join(f"{{\n{step.command}\n}} 2>&1\nprintf '{_MARK}%s{_MARK}' $?\n" for step in session))
    done = subprocess.run(
        ["bash", str(script)], cwd=folder, env=surroundings(folder), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=300, check=False,
    )  # fmt: skip
    parts = done.stdout.decode("utf-8", "replace").split(_MARK)
    if len(parts) != 2 * len(session) + 1:
        raise SessionFailedError(f"{document}: bash did not come to the end.\n{done.stderr.decode()}\n{parts[-1]}")
    for step, printed, code in zip(session, parts[0::2], parts[1::2], strict=False):
        if not matches(step.expected, printed) or int(code) != step.code:
            raise SessionFailedError(_report(document, step, printed, int(code)))
    return len(session)


def surroundings(folder: Path) -> dict[str, str]:
    """The environment of a session: its own home, a clock that stands still, nothing of ours."""
    xdg = {f"XDG_{kind}_HOME": str(folder / ".xdg" / kind.lower()) for kind in ("CONFIG", "STATE", "CACHE", "DATA")}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    here = {"PATH": path, "HOME": str(folder), "AGENTWS_NOW": NOW, "TZ": "Europe/Berlin", "NO_COLOR": "1"}
    return {**here, **xdg, "LANG": "C.UTF-8", "TERM": "dumb"}


def _trimmed(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _report(document: Path, step: Step, printed: str, code: int) -> str:
    wanted, got = _trimmed(step.expected), [line.rstrip() for line in _trimmed(printed.split("\n"))]
    diff = "\n".join(difflib.unified_diff(wanted, got, "the document says", "it printed", lineterm="", n=99))
    exits = "" if code == step.code else f"\nexit code {code}, not {step.code}"
    return f"{document}:{step.line}\n$ {step.command}{exits}\n{diff or '(what it printed is right)'}"
