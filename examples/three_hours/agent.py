"""An agent that maps a folder of files one by one, and goes on after a crash as if nothing had happened.

    python agent.py FOLDER MAP

For each file it appends one line to MAP. That is its effect on the world, and doing it twice would do harm: think of a
mail that is sent, or a payment. Kill it whenever you like and start it again: no finished step is repeated, and where
it cannot know whether a step was done, it asks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from agentws import Workspace
from agentws.features.journal.session import Session

TOOL = "map_file"


def main() -> None:
    """Map every file of the folder."""
    folder, atlas = Path(sys.argv[1]), Path(sys.argv[2])
    workspace = opened(atlas.with_name("memory-of-the-agent"))
    done, unknown = what_happened(workspace)
    with workspace.session(f"Map {folder}") as session:
        for name in unknown:
            settle(session, folder / name, atlas)
        for path in sorted(folder.iterdir()):
            if path.name not in done and path.name not in unknown:
                with session.action(TOOL, {"file": path.name}, call=f"map:{path.name}") as call:
                    call.result(map_file(path, atlas))
        session.decision(f"The map of {folder} is complete.")
    print("complete")


def opened(root: Path) -> Workspace:
    """The workspace of this agent, made at its first start."""
    return Workspace.open(str(root)) if (root / "agentws.toml").exists() else Workspace.init(str(root), git=False)


def what_happened(workspace: Workspace) -> tuple[set[str], list[str]]:
    """The files that are done, and those of which nobody knows: an action began and no result was recorded."""
    began: dict[str, str] = {}
    for event in workspace.journal.list(kinds=("action", "result", "error")):
        call = event.call or ""
        if event.kind == "action":
            began[call] = (event.body or {})["input"]["file"]
        else:
            began[call] = ""
    files = {call: file for call, file in began.items() if file}
    return {call.removeprefix("map:") for call in began.keys() - files.keys()}, sorted(files.values())


def settle(session: Session, path: Path, atlas: Path) -> None:
    """Find out what became of a step that a crash has cut short, and do it only if it was not done."""
    print(f"Is {path.name} in the map already? [y/n] ", end="", flush=True)
    answer = sys.stdin.readline().strip()
    if answer not in ("y", "n"):
        sys.exit("Somebody has to look: start me again where I can ask.")
    output = {"asked": "it was done"} if answer == "y" else map_file(path, atlas)
    session.event("result", tool=TOOL, call=f"map:{path.name}", output=output)


def map_file(path: Path, atlas: Path) -> dict[str, int]:
    """The effect on the world: one line more in the map."""
    words = len(path.read_text(encoding="utf-8").split())
    fd = os.open(atlas, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(fd, f"{path.name}: {words} words\n".encode())
        os.fsync(fd)
    finally:
        os.close(fd)
    return {"words": words}


if __name__ == "__main__":
    main()
