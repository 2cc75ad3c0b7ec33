"""What a session's end costs with a backup in a folder, counted: processes, syncs, processor time.

    PYTHONPATH=. python benchmarks/session_end.py

The same session of some calls of tools ends in two copies of one workspace: without a backup, and with one in a folder.
`strace -f` counts what the hook does before the host has its answer, and what the process aside does behind. Counts are
the same on every machine; times are not told by this program, but for the processor time as a ratio to an empty
interpreter (B).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.samples import AGENTWS, EMPTY, once, run, surroundings, workspace

CALLS = 20
ROUNDS = 5
_SYNC = re.compile(r"^(\d+) +(fsync|fdatasync|sync_file_range|syncfs)\(", re.MULTILINE)
_FORK = re.compile(
    r"^(\d+) +(?:clone|clone3|fork|vfork)\(.*= (\d+)$|^(\d+) +<\.\.\. (?:clone|clone3|fork|vfork) resumed.*= (\d+)$",
    re.MULTILINE,
)
_SETSID = re.compile(r"^(\d+) +setsid\(", re.MULTILINE)


def main() -> None:
    """Print a row for each."""
    if shutil.which("strace") is None:
        raise SystemExit("strace is needed to count.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = surroundings(folder)
        plain = workspace(folder / "plain", env, days=7, git=True)
        copied = workspace(folder / "copied", env, days=7, git=True)
        run([AGENTWS, "-C", str(copied), "backup", "create", str(folder / "disk"), "-q"], env)
        print(f"{'':<12}{'host waits: syncs':>20}{'processes':>11}{'cpu / B':>9}{'aside: syncs':>15}{'processes':>11}")
        for label, root in (("no backup", plain), ("a backup", copied)):
            told = [ended(root, env, f"{label}-{number}", folder) for number in range(ROUNDS)]
            syncs, processes, later, others = (sorted(one[at] for one in told)[ROUNDS // 2] for at in range(4))
            ratio = sorted(cost(root, env, f"{label}-cpu-{number}") for number in range(ROUNDS))[ROUNDS // 2]
            print(f"{label:<12}{syncs:>20}{processes:>11}{ratio:>9.1f}{later:>15}{others:>11}")


def begun(root: Path, env: dict[str, str], session: str) -> str:
    """Begin a session with some calls; returns what the host says at its end."""
    said = {"session_id": session, "cwd": str(root), "transcript_path": ""}
    hook(root, env, "SessionStart", said | {"source": "startup"})
    for number in range(CALLS):
        call = {"tool_name": "Read", "tool_input": {"path": f"bed-{number}.md"}, "tool_use_id": f"{session}-{number}"}
        hook(root, env, "PreToolUse", said | call)
        hook(root, env, "PostToolUse", said | call | {"tool_response": {"text": "leeks"}})
    run([AGENTWS, "-C", str(root), "log", f"Looked at the beds in {session}"], env)
    return json.dumps(said | {"reason": "exit"})


def hook(root: Path, env: dict[str, str], event: str, said: dict[str, object]) -> None:
    """Call a hook as the host does."""
    words = [AGENTWS, "-C", str(root), "hook", "claude-code", event]
    subprocess.run(words, input=json.dumps(said).encode(), env=env, check=True, capture_output=True)


def ended(root: Path, env: dict[str, str], session: str, folder: Path) -> tuple[int, int, int, int]:
    """Syncs and processes while the host waits, and of the process aside."""
    said, trace = begun(root, env, session.replace(" ", "-")), folder / "trace"
    words = ["strace", "-f", "-o", str(trace), "-e", "trace=process,fsync,fdatasync,sync_file_range,syncfs,setsid"]
    hooked = [AGENTWS, "-C", str(root), "hook", "claude-code", "SessionEnd"]
    subprocess.run([*words, *hooked], input=said.encode(), env=env, check=True, capture_output=True)
    text = trace.read_text()
    aside = descendants(text, {found[1] for found in _SETSID.finditer(text)})
    syncs = [found[1] in aside for found in _SYNC.finditer(text)]
    children = [(found[2] or found[4]) in aside for found in _FORK.finditer(text)]
    return syncs.count(False), children.count(False), syncs.count(True), children.count(True)


def descendants(text: str, first: set[str]) -> set[str]:
    """These processes and all that they began."""
    pairs = [(found[1] or found[3], found[2] or found[4]) for found in _FORK.finditer(text)]
    found = set(first)
    for parent, child in pairs:
        if parent in found:
            found.add(child)
    return found


def cost(root: Path, env: dict[str, str], session: str) -> float:
    """Processor time of the hook until the host has its answer, against an empty interpreter."""
    said = begun(root, env, session.replace(" ", "-"))
    before = os.times()
    words = [AGENTWS, "-C", str(root), "hook", "claude-code", "SessionEnd"]
    subprocess.run(words, input=said.encode(), env=env, check=True, capture_output=True)
    after = os.times()
    mark = root / ".agentws" / "seal-aside"
    while mark.exists():
        time.sleep(0.01)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used / once(EMPTY, env)[1]


if __name__ == "__main__":
    main()
