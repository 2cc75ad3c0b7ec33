"""A book of what was acknowledged, kept outside of all workspaces, and what must be true of them in the end."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.sync_real.machine import Machine

LOG, FACT, EVENT, TASK, HANDOFF = "log", "fact", "event", "task", "handoff"
_DAY = re.compile(r"(?:memory|memory/archive/\d{4})/\d{4}-\d{2}-\d{2}[^/]*\.md")
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: |$)", re.MULTILINE)
_ONE_MACHINE = ("identity/moved.json",)


@dataclass
class Thing:
    """Something that was said once, by a name that is its own; or by several, in the same words, `least` to `most`."""

    kind: str
    name: str
    machine: str
    least: int = 0
    most: int = 0
    gone: str = ""
    """How it went: "removed" or "forgotten", and with a question mark where nobody acknowledged that."""
    place: str = ""
    statuses: list[tuple[str, str, bool]] = field(default_factory=list)
    """Of a task: (machine, status, acknowledged), as they were asked for."""


class Oracle:
    """All that was said and taken away."""

    def __init__(self) -> None:
        self.things: dict[str, Thing] = {}

    def said(self, kind: str, name: str, machine: str, *, acknowledged: bool, place: str = "") -> None:
        """Note that something was written, or was about to be when its writer was killed."""
        thing = self.things.setdefault(name, Thing(kind, name, machine))
        thing.most += 1
        thing.least += acknowledged
        thing.place = place or thing.place

    def took(self, name: str, how: str, *, acknowledged: bool) -> None:
        """Note that it was removed or forgotten, or was about to be."""
        thing = self.things[name]
        if acknowledged or not thing.gone:
            thing.gone = how if acknowledged else f"{how}?"

    def kept(self, names: list[str]) -> None:
        """Note that a person has kept what another machine had removed."""
        for name in names:
            if self.things[name].gone == "removed":
                self.things[name].gone = "removed?"

    def wrong(self, machine: Machine) -> list[str]:
        """Return what of it is not true in this machine's workspace."""
        files = travelling(machine.root)
        texts = {path: content.decode(errors="replace") for path, content in files.items()}
        found = [f"{path} holds a marker" for path, text in texts.items() if _MARKER.search(text)]
        # Where each kind stands: what else quotes it (a digest, a derived handoff, a conflict) does not count.
        where = {
            LOG: _counted(text for path, text in texts.items() if _DAY.fullmatch(path)),
            FACT: _counted([texts.get("MEMORY.md", "")]),
            EVENT: _counted(text for path, text in texts.items() if path.startswith("journal/")),
            TASK: _counted(_title(text) for path, text in texts.items() if path.startswith("tasks/")),
            HANDOFF: _counted(text for path, text in texts.items() if path.startswith("handoffs/")),
        }
        everything = _counted(texts.values())
        for thing in self.things.values():
            found += _judged(thing, where[thing.kind][thing.name], everything[thing.name])
        return found

    def forgotten(self) -> set[str]:
        """The names that must stand nowhere, neither in a file nor in a state of the remote."""
        return {name for name, thing in self.things.items() if thing.gone == "forgotten"}


NAME = re.compile(r"(?:plum|same)-\d{4}-\d{4}")
"""How things are named: no name is part of another one."""


def _counted(texts: object) -> Counter[str]:
    return Counter(name for text in texts for name in NAME.findall(text))  # type: ignore[attr-defined]


def _title(task: str) -> str:
    return "\n".join(line for line in task.split("\n") if line.startswith("# "))


def _judged(thing: Thing, count: int, everywhere: int) -> list[str]:
    what = f"{thing.kind} {thing.name} of {thing.machine}"
    if thing.gone == "forgotten":
        return [f"{what} was forgotten and stands {everywhere} times"] * bool(everywhere)
    if thing.gone == "removed":
        return [f"{what} was removed and stands {count} times"] * bool(count)
    least = 0 if thing.gone else thing.least
    most = min(thing.most, 1) if thing.kind == FACT else thing.most
    least = min(least, most)
    return [] if least <= count <= most else [f"{what} stands {count} times, not {least} to {most}"]


def travelling(root: Path) -> dict[str, bytes]:
    """What a workspace holds that is the same on all machines; compressed segments as the text that they are."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        is_hidden = any(part.startswith(".") and part not in (".gitignore", ".gitattributes") for part in path.parts)
        if path.is_symlink() or not path.is_file() or is_hidden or name in _ONE_MACHINE or name.startswith("mine/"):
            continue
        found[name] = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    return found


def differing(machines: list[Machine]) -> list[str]:
    """Return which files are not the same on all machines."""
    held = {machine.name: travelling(machine.root) for machine in machines}
    paths = sorted(set().union(*held.values()))
    found = []
    for path in paths:
        by = defaultdict(list)
        for name, files in held.items():
            by[files.get(path)].append(name)
        if len(by) > 1:
            sizes = {",".join(names): None if content is None else len(content) for content, names in by.items()}
            found.append(f"{path}: bytes {sizes}")
    return found


def conflicts(root: Path) -> dict[str, dict[str, object]]:
    """The records of conflicts by their ids."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((root / "conflicts").glob("*.json"))}


def still_in(repository: Path, names: set[str]) -> set[str]:
    """Return which names stand in an object that a ref of the repository leads to."""
    if not names or not repository.exists():
        return set()
    words = ["git", f"--git-dir={repository}"]
    ids = subprocess.run([*words, "rev-list", "--objects", "--all"], capture_output=True, text=True, check=True).stdout
    given = "".join(f"{line.split()[0]}\n" for line in ids.splitlines())
    batch = subprocess.run(
        [*words, "cat-file", "--batch"], input=given.encode(), capture_output=True, check=True
    ).stdout
    # What was compressed before it came into git is not looked into here: `Oracle.wrong` reads it.
    return {name for name in names if name.encode() in batch}
