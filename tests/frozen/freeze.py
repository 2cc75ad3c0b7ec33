"""Make a frozen workspace: play the story with the agentws that PYTHONPATH names, and keep what it leaves.

    PYTHONPATH=CHECKOUT python tests/frozen/freeze.py NAME

plays every step of story.txt that this agentws knows, and writes `NAME.tar.xz` beside this file: the workspace, and
`story.json` with what was acknowledged. A step that it does not know yet is left out and listed there. Run it once at
each landing that changes what is stored; an archive is never made again.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
_USAGE = 2
_LONG = {
    "LARGE": json.dumps({"rows": [f"bed {number}: watered, {number % 7} buds" for number in range(2500)]}),
    "BULK": "".join(
        json.dumps({"kind": "note", "text": f"Weather {number}: {'mild ' * 12_000}"}) + "\n" for number in range(170)
    ),
}
"""Words of the story that stand for more: an output beyond a line, and events enough for old segments."""
_PYTHON = "PYTHON"
_PROGRAMS = {
    "ORDER": """
import os
from agentws import Workspace
with Workspace.find().workflow("spring-order") as flow:
    flow.step("choose", lambda: {"tiles": "forty tiles, grey"})
    flow.step("pay", os._exit, 0)
""",
}
"""Programs of the story that call the library: a workflow of which one step is done, and nobody knows of the other."""
_CURSOR = "CURSOR:"


class Step:
    """A call of the story: `at` (the moment, ISO 8601), its words, standard input, the texts that exit 0 acknowledges.

    `session` names its session; `other` says that another installation of the agent makes it.
    """

    def __init__(self, line: str) -> None:
        said, _, keeps = line.partition(" => ")
        called, _, self.stdin = said.partition(" < ")
        self.at, *words = shlex.split(called)
        named = [word[1:] for word in words if word.startswith("@")]
        self.words = [_LONG.get(word, word) for word in words if not word.startswith("@")]
        self.stdin = _LONG.get(self.stdin, self.stdin)
        self.keeps = keeps.split(" ; ") if keeps else []
        self.other = "other" in named
        self.session = next((name for name in named if name != "other"), "")


def _steps() -> list[Step]:
    with open(os.path.join(HERE, "story.txt"), encoding="utf-8") as file:
        return [Step(line) for line in file.read().splitlines() if line]


def main(name: str) -> int:
    """Play the story into `NAME.tar.xz`; 1 where the workspace could not even be made."""
    with tempfile.TemporaryDirectory() as place:
        played = _play(os.path.join(place, "juniper"), place)
        if not played["kept"]:
            print(json.dumps(played, indent=1), file=sys.stderr)
            return 1
        _archive(os.path.join(HERE, f"{name}.tar.xz"), os.path.join(place, "juniper"), played)
    for words, code, said in played["refused"]:
        print(code, *words, "·", said, file=sys.stderr)
    return 0


def _play(root: str, place: str) -> dict[str, list[object]]:
    for folder in (root, os.path.join(place, "stick"), os.path.join(place, "hub")):
        os.mkdir(folder)
    for path, text in (("beds.csv", "bed,plant\n4,fig\n"), ("SOUL.md", "# Juniper\n\nI keep a garden. Calm, exact.\n")):
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    kept: list[object] = []
    refused: list[object] = []
    for step in _steps():
        words = [_known(root, place, word) for word in step.words]
        done = _run(root, place, step, words)
        if done.returncode == 0:
            kept += step.keeps
        else:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            refused.append([words[:3], done.returncode, said[-1] if said else ""])
    return {"kept": kept, "refused": refused}


def _run(root: str, place: str, step: Step, words: list[str]) -> subprocess.CompletedProcess[str]:
    home = os.path.join(place, "other" if step.other else "home")
    os.makedirs(home, exist_ok=True)
    known = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    known |= {
        "HOME": home,
        "AGENTWS_STATE_DIR": f"{home}/state",
        "AGENTWS_NOW": f"{step.at}:00+00:00",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
    }
    if step.session:
        known["AGENTWS_SESSION"] = step.session
    is_program = words[0] == _PYTHON
    command = [sys.executable, "-c", _PROGRAMS[words[1]]] if is_program else [sys.executable, "-m", "agentws", *words]
    return subprocess.run(command, cwd=root, env=known, input=step.stdin, capture_output=True, text=True, check=False)


def _known(root: str, place: str, word: str) -> str:
    """The word; where it stands for one, the cursor of an event: of that to purge, or with the words behind CURSOR."""
    if word != "PURGED" and not word.startswith(_CURSOR):
        return word
    wanted = "heliotrope" if word == "PURGED" else word.removeprefix(_CURSOR)
    return _cursor(root, place, wanted)


def _cursor(root: str, place: str, wanted: str) -> str:
    """The cursor of the event with these words; where the journal cannot be listed, words that are none."""
    listing = Step("2025-02-11T09:04 journal list --json --limit 200")
    done = _run(root, place, listing, listing.words)
    try:
        events = json.loads(done.stdout).get("events", [])
    except ValueError:
        return "none"
    return next((str(one.get("cursor") or one.get("seq")) for one in events if wanted in json.dumps(one)), "none")


def _archive(path: str, root: str, played: dict[str, list[object]]) -> None:
    shutil.rmtree(os.path.join(root, ".git", "hooks"), ignore_errors=True)
    told = (json.dumps(played, ensure_ascii=False, indent=1) + "\n").encode()
    with tarfile.open(path, "w:xz", preset=9) as archive:
        archive.add(root, "juniper", filter=_plain)
        entry = tarfile.TarInfo("story.json")
        entry.size = len(told)
        archive.addfile(entry, io.BytesIO(told))


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else _USAGE)
