"""A writer is added at every start: what that costs grows with the number of writers, not with its square."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from agentws.core.formats.identity import writer
from agentws.core.formats.json import plainjson
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.identity.machines import writers

COUNT = 100


def start(root: Path, number: int) -> Workspace:
    """A container that has lost its state: whatever it writes, it writes as a new writer."""
    return Workspace.open(str(root), environment=start_environment(root, number))


def start_environment(root: Path, number: int) -> Environment:
    """Its surroundings."""
    return Environment(now=NOW, timezone="UTC", state=(str(root.parent / f"state-{number}"), None))


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    """A workspace whose first writer has written."""
    root = tmp_path / "robin"
    Workspace.init(str(root), environment=start_environment(root, 0), git=False)
    start(root, 0).event("note", "the first")
    return root


def lines(root: Path) -> list[writer.WriterLine]:
    return writer.lines((root / "identity/writers.jsonl").read_text())


def without_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted here is bytes; no disk has to take them."""
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda _fd: None)


def test_the_file_grows_by_as_much_for_the_last_writer_as_for_the_third(
    robin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sync(monkeypatch)
    # A key for each would take a process each.
    monkeypatch.setattr("agentws.core.installation.keys.ensure", lambda *_args, **_more: None)
    path = robin / "identity/writers.jsonl"
    sizes = [path.stat().st_size]
    for number in range(1, COUNT):
        start(robin, number).event("note", "begun")
        sizes.append(path.stat().st_size)
    grown = [after - before for before, after in itertools.pairwise(sizes)]
    assert len(writers(robin)) == COUNT == len(lines(robin))
    assert max(grown) <= 1.1 * grown[2]
    assert all(line.after for line in lines(robin)[1:]), "who names nobody is taken for the first"


def test_every_head_is_named_by_the_line_of_whoever_met_it_first(robin: Path) -> None:
    for number in range(1, 5):
        start(robin, number).event("note", "begun")
    start(robin, 0).event("note", "and on")
    start(robin, 9).event("note", "begun")
    by_age = [line.writer for line in lines(robin)]
    named = [sorted(line.after, key=by_age.index) for line in lines(robin)]
    assert named == [[], [by_age[0]], [by_age[1]], [by_age[2]], [by_age[3]], [by_age[0], by_age[4]]]
    known: dict[str, object] = {}
    for line in lines(robin):
        known.update(line.after)
    assert known[by_age[0]] == dict(lines(robin)[-1].after[by_age[0]]), "the newest word holds"


def test_who_brings_nothing_new_names_one_all_the_same(robin: Path) -> None:
    text = (robin / "identity/writers.jsonl").read_text()
    heads = {"a" * 16: {"seq": 1, "hash": "x"}, "b" * 16: {"seq": 2, "hash": "y"}}
    joined = writer.line(writer="c" * 16, key="", host="", at="", after=writer.news(heads, text))
    assert writer.news(heads, text) == heads
    assert writer.news(heads, f"{text}{joined}\n") == {"b" * 16: heads["b" * 16]}
    assert writer.news({}, text) == {}


@pytest.mark.parametrize("harm", ["none", "first line lost", "middle line lost", "vouch changed", "head changed"])
def test_the_verdict_is_that_of_lines_that_name_everybody(
    harm: str, robin: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "again" / "robin"
    Workspace.init(str(other), environment=start_environment(other, 0), git=False)
    start(other, 0).event("note", "the first")
    short = lived(robin, harm)
    monkeypatch.setattr(writer, "news", lambda heads, _text: {name: dict(heads[name]) for name in sorted(heads)})
    assert lived(other, harm) == short


def lived(root: Path, harm: str) -> tuple[list[str], list[str], bool]:
    """What `identity verify` and `show` say of four writers, by their age, after this harm; is the journal sound."""
    for number in (1, 2, 3):
        start(root, number).event("note", "begun")
    newest = lines(root)[-1]
    start(root, 0).identity.vouch(newest.writer, key=newest.key)
    known = [line.writer for line in lines(root)]
    harmed(root / "identity/writers.jsonl", harm)
    robin = start(root, 0)
    says = [f"{one.where}: {one.what.partition('SHA256:')[0]}" for one in robin.identity.verify().findings]
    shown = [f"{one.writer} {one.trusted_by}" for one in robin.identity.show().writers]
    for at, name in enumerate(known):
        says, shown = ([one.replace(name, f"writer {at}") for one in found] for found in (says, shown))
    return sorted(says), sorted(shown), robin.journal.verify().sound


def harmed(path: Path, harm: str) -> None:
    found = path.read_text().splitlines()
    told = plainjson.loads(found[-1])
    if harm == "vouch changed":
        told["vouched_by"]["signature"] = told["vouched_by"]["signature"].replace("U1NIU0lH", "U1NIU0lA")
    elif harm == "head changed":
        told["after"][max(told["after"])]["seq"] += 1
    found[-1] = plainjson.dumps(told, separators=(",", ":"))
    if harm.endswith("lost"):
        del found[0 if harm.startswith("first") else 2]
    path.write_text("\n".join(found) + "\n")
