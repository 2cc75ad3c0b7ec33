"""Backups in a git repository: what is sent, lines that die, others that push too, and what a hostile one may do."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.travel import backup
from agentws.core.states.depot import Depot
from agentws.errors import AgentwsError, ChangedUnderneathError, DamagedError, OutsideProgramError, UsageError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import git as git_store, reach
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests import forked
from tests.conftest import NOW
from tests.features.copies.backup.trees import held


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")), cache=str(tmp_path / "cache"))


@pytest.fixture
def there(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "there.git"))
    return tmp_path / "there.git"


def git(where: Path, *words: str, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(where), *words], input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def refs(there: Path) -> dict[str, str]:
    lines = [line.split(" ") for line in git(there, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")]
    return {line[0]: line[1] for line in lines if len(line) == 2}


def size(place: Path) -> int:
    return sum(path.stat().st_size for path in (place / "objects").rglob("*") if path.is_file())


def whole(there: Path) -> str:
    """The ref of the newest backup."""
    return max(ref for ref in refs(there) if ref.startswith(backup.WHOLE))


def test_only_what_is_new_is_sent_and_of_a_file_that_grows_its_end(robin: Workspace, there: Path) -> None:
    (Path(robin.root) / "large.bin").write_bytes(os.urandom(5 << 20))
    robin.copies.create(str(there))
    first = size(there)
    with (Path(robin.root) / "large.bin").open("ab") as file:
        file.write(b"more")
    robin.log("Another line")

    robin.copies.create()

    assert first > 5 << 20
    assert size(there) - first < 100_000
    assert verify_backup(str(there)).well


def test_what_came_back_before_is_not_fetched_again(robin: Workspace, there: Path, tmp_path: Path) -> None:
    (Path(robin.root) / "large.bin").write_bytes(os.urandom(5 << 20))
    robin.copies.create(str(there))
    (cached,) = (tmp_path / "cache").rglob("repository/.git")
    first = size(cached)
    robin.log("Another line")

    robin.copies.create()

    assert first > 5 << 20
    assert size(cached) - first < 100_000


@pytest.mark.parametrize("harm", ["gone", "cut"])
def test_the_cache_may_be_thrown_away_or_damaged(robin: Workspace, there: Path, tmp_path: Path, harm: str) -> None:
    robin.copies.create(str(there))
    if harm == "gone":
        shutil.rmtree(tmp_path / "cache")
    else:
        for path in (tmp_path / "cache").rglob("*.pack"):
            path.chmod(0o600)
            path.write_bytes(path.read_bytes()[:40])
    robin.log("Another line")

    (made,) = robin.copies.create()

    assert (made.copied_files, made.previous[:4]) == (1, "0001")
    assert verify_backup(str(there)).well


def test_a_line_that_dies_leaves_no_backup_and_what_has_arrived_is_not_sent_again(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(there))
    (Path(robin.root) / "large.bin").write_bytes(os.urandom(5 << 20))
    monkeypatch.setattr(git_store, "_BATCH_BYTES", 2 << 20)
    real, pushed = Depot.push, []

    def push(self: Depot, moves: Any) -> None:
        pushed.append(1)
        if len(pushed) > 2:
            raise OutsideProgramError("git push failed: the line is down")
        real(self, moves)

    with monkeypatch.context() as line:
        line.setattr(Depot, "push", push)
        with pytest.raises(OutsideProgramError):
            robin.copies.create()
    assert [one.name[:4] for one in list_backups(str(there))] == ["0001"]
    assert robin.copies.list()[0].failed
    stored: list[int] = []
    keeping = Depot.store
    monkeypatch.setattr(Depot, "store", lambda self, blobs: stored.extend(map(len, blobs)) or keeping(self, blobs))

    robin.copies.create()

    assert stored.count(backup.PIECE_BYTES) == 4, "16 of the 20 pieces had arrived"
    assert [one.name[:4] for one in list_backups(str(there))] == ["0001", "0002"]
    assert verify_backup(str(there)).well
    assert not [ref for ref in refs(there) if ref.startswith(backup.PART)], "nothing is left behind"


@pytest.mark.parametrize("call", ["store", "push", "folder"])
def test_the_first_backup_that_fails_shows_until_one_succeeds(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def states() -> list[str]:
        return [one.says for one in robin.doctor().findings if one.name == "backup-failing"]

    def fail(*_: object, **__: object) -> None:
        raise OutsideProgramError("the line is down.")

    with monkeypatch.context() as line:
        line.setattr(Depot, call, fail)
        with pytest.raises(OutsideProgramError):
            robin.copies.create(str(there))

    (says,) = states()
    assert "the line is down" in says
    assert [one.ok for one in robin.status().checks if one.name == "backup"] == [False]
    robin.copies.create()
    assert states() == []


@pytest.mark.parametrize("at", range(2))
def test_each_push_may_be_the_last(
    robin: Workspace, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Before the parts, and before the name: what was whole stays the newest, and the next run is whole."""
    robin.copies.create(str(there))
    before = held(robin.root)
    robin.log("Another line")
    real, pushed = Depot.push, []

    def push(self: Depot, moves: Any) -> None:
        pushed.append(1)
        if len(pushed) > at:
            raise OutsideProgramError("git push failed: the line is down")
        real(self, moves)

    with monkeypatch.context() as line:
        line.setattr(Depot, "push", push)
        with pytest.raises(OutsideProgramError):
            robin.copies.create()

    restore_backup(str(there), str(tmp_path / "back"))
    assert held(tmp_path / "back") == before
    robin.copies.create()
    restore_backup(str(there), str(tmp_path / "later"))
    assert held(tmp_path / "later") == held(robin.root)


def test_what_does_not_come_back_as_it_was_sent_is_no_backup(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Depot, "verified", lambda self, tree, entries: ((entry, False) for entry in entries))

    with pytest.raises(OutsideProgramError, match="other data than was sent"):
        robin.copies.create(str(there))

    assert not [ref for ref in refs(there) if ref.startswith(backup.WHOLE)]


def test_another_machine_may_take_the_number(robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robin.copies.create(str(there))
    taken = refs(there)[whole(there)]
    real, asked = Depot.refs, []

    def stale(self: Depot) -> dict[str, str]:
        found = real(self)
        asked.append(1)
        if len(asked) == 2:  # as the name is given
            name = whole(there).rpartition("/")[2].replace("0001", "0002")
            git(there, "update-ref", f"{backup.WHOLE}{robin.stores.manifest.agent_id}/{name}", taken)
        return found

    monkeypatch.setattr(Depot, "refs", stale)
    (made,) = robin.copies.create()

    assert made.name[:4] == "0003"
    assert verify_backup(str(there)).name == made.name


def test_nothing_is_forced_over_what_another_has_pushed(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(there))
    other = refs(there)[whole(there)]

    def refuse(self: Depot, moves: Any) -> None:
        raise ChangedUnderneathError("moved")

    with monkeypatch.context() as line:
        line.setattr(Depot, "push", refuse)
        with pytest.raises(ChangedUnderneathError):
            robin.copies.create()
    assert refs(there)[whole(there)] == other


def test_one_that_another_has_replaced_is_not_removed(robin: Workspace, there: Path, tmp_path: Path) -> None:
    robin.copies.create(str(there))
    robin.log("Another line")
    robin.copies.create()
    first = min(ref for ref in refs(there) if ref.startswith(backup.WHOLE))
    with closing(reach.at(reach.named(str(there)), robin.stores.manifest.agent_id, "Robin", known=True)) as place:
        git(there, "update-ref", first, refs(there)[whole(there)])
        with pytest.raises(ChangedUnderneathError):
            place.remove(first.rpartition("/")[2])

    assert first in refs(there)
    assert first.replace(backup.WHOLE, backup.HEADER) in refs(there), "all of it or nothing"


def test_a_full_one_fetches_and_compares_all_of_it(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = robin.copies.create(str(there))
    compared: list[int] = []
    real = Depot.verified
    monkeypatch.setattr(
        Depot, "verified", lambda self, tree, entries: compared.append(len(entries)) or real(self, tree, entries)
    )

    (made,) = robin.copies.create(full=True)

    assert made.copied_files == first.copied_files
    assert compared == [made.copied_files]


def test_a_full_one_is_made_beside_a_newest_that_cannot_be_fetched(
    robin: Workspace, there: Path, tmp_path: Path
) -> None:
    robin.copies.create(str(there))
    for pack in (there / "objects/pack").glob("*.pack"):
        data = pack.read_bytes()
        for path in (pack, pack.with_suffix(".idx")):
            path.unlink()
        git(there, "unpack-objects", "-q", stdin=data)
    blob = git(there, "rev-parse", f"{whole(there)}:manifest.jsonl")
    (there / "objects" / blob[:2] / blob[2:]).unlink()
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(OutsideProgramError):
        robin.copies.create()

    (made,) = robin.copies.create(full=True)

    assert made.name[:4] == "0002"
    assert verify_backup(str(there)).well


def test_a_repository_that_is_down_hides_no_other_list(robin: Workspace, there: Path, stick: Path) -> None:
    assert forked.run_text("-C", robin.root, "backup", "create", str(there)).returncode == 0
    assert forked.run_text("-C", robin.root, "backup", "create", str(stick)).returncode == 0
    shutil.rmtree(there)

    done = forked.run_text("-C", robin.root, "backup", "list")

    assert done.returncode == 0
    assert "0001-" in done.stdout
    assert "git init --bare" in done.stderr


def test_the_readme_restores_it_without_agentws(robin: Workspace, there: Path, tmp_path: Path) -> None:
    (Path(robin.root) / "large.bin").write_bytes(os.urandom(3 << 20))
    robin.copies.create(str(there))
    out = tmp_path / "out"
    git(tmp_path, "clone", "-q", str(there), str(out))
    git(out, "fetch", "-q", "origin", whole(there))
    git(out, "checkout", "-q", "FETCH_HEAD")
    program = re.search(r"(    import .*\n(?:    .*\n)+)", (out / "README.txt").read_text())
    assert program
    text = "\n".join(line[4:] for line in program[1].split("\n"))

    subprocess.run([sys.executable, "-c", f"import os\nos.makedirs('restored')\n{text}"], cwd=out, check=True)

    there_, here = held(out / "restored"), held(robin.root)
    assert {path: told[2] for path, told in there_.items()} == {path: told[2] for path, told in here.items()}


def test_forgetting_clears_what_the_repository_gave(robin: Workspace, there: Path, tmp_path: Path) -> None:
    robin.copies.create(str(there))
    assert list((tmp_path / "cache").rglob("repository"))

    robin.memory.forget(subjects=["tiles"], confirm=True)

    assert not list((tmp_path / "cache").rglob("repository"))


def test_it_is_written_as_a_path_with_a_prefix_or_without(robin: Workspace, there: Path, tmp_path: Path) -> None:
    robin.copies.create(str(there))
    for written in (f"git:{there}", f"file://{there}", str(there)):
        assert len(list_backups(written)) == 1
    (listed,) = list_backups(str(there))
    assert verify_backup(listed.place).well

    done = forked.run_text("-C", robin.root, "backup", "list", "there.git", cwd=str(tmp_path))

    assert done.returncode == 0
    assert listed.name in done.stdout


def test_a_repository_that_is_not_there_or_in_the_workspace_is_refused(robin: Workspace, tmp_path: Path) -> None:
    with pytest.raises(OutsideProgramError) as refused:
        robin.copies.create(f"git:{tmp_path}/nowhere.git")
    assert "git init --bare" in (refused.value.hint or "")
    with pytest.raises(UsageError, match="inside the workspace"):
        robin.copies.create(f"git:{robin.root}")
    assert robin.copies.list() == []


# A hostile repository


def rewrite(there: Path, change: Callable[[bytes], bytes]) -> None:
    """Put another manifest into the newest backup, as somebody who may push there can."""
    ref = whole(there)
    blob = git(there, "hash-object", "-w", "--stdin", stdin=change(subprocess.run(
        ["git", "-C", str(there), "cat-file", "blob", f"{ref}:manifest.jsonl"], capture_output=True, check=True
    ).stdout))  # fmt: skip
    tree = git(there, "ls-tree", ref)
    lines = [re.sub(r"blob \w+\tmanifest", f"blob {blob}\tmanifest", line) for line in tree.split("\n")]
    made = git(there, "mktree", stdin="\n".join(lines).encode() + b"\n")
    commit = git(there, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", made)
    git(there, "update-ref", ref, commit)


def test_nothing_of_a_repository_at_a_path_is_run(robin: Workspace, there: Path, tmp_path: Path) -> None:
    for name in ("pre-receive", "update", "post-receive", "reference-transaction"):
        (there / "hooks" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
        (there / "hooks" / name).chmod(0o755)
    git(there, "config", "core.fsmonitor", f"touch {tmp_path}/fired")
    git(there, "config", "uploadpack.packObjectsHook", f"touch {tmp_path}/fired")

    robin.copies.create(str(there))
    list_backups(f"file://{there}")
    restore_backup(str(there), str(tmp_path / "back"))

    assert not (tmp_path / "fired").exists()


@pytest.mark.parametrize("path", ["../../outside", "/etc/passwd", "plans/../../x", ".", "plans//x"])
def test_a_path_that_leads_elsewhere_is_refused(robin: Workspace, there: Path, tmp_path: Path, path: str) -> None:
    robin.copies.create(str(there))
    rewrite(there, lambda data: data.replace(b'"SOUL.md"', json.dumps(path).encode()))

    with pytest.raises(DamagedError):
        restore_backup(str(there), str(tmp_path / "back"))

    assert not (tmp_path / "back").exists()
    assert not (tmp_path / "outside").exists()


def test_a_file_that_is_said_to_be_endless_fills_nothing(robin: Workspace, there: Path, tmp_path: Path) -> None:
    robin.copies.create(str(there))
    soul = re.compile(rb'(\["SOUL.md", "f", \d+, \d+, )\d+')
    rewrite(there, lambda data: soul.sub(rb"\g<1>4611686018427387904", data))

    with pytest.raises(AgentwsError):
        restore_backup(str(there), str(tmp_path / "back"))
    rewrite(there, lambda data: data.replace(b"4611686018427387904", str(1 << 30).encode()))
    assert not verify_backup(str(there)).well
    with pytest.raises(AgentwsError):
        restore_backup(str(there), str(tmp_path / "back"))

    assert not (tmp_path / "back").exists()


def test_a_bomb_is_not_unpacked(robin: Workspace, there: Path, tmp_path: Path) -> None:
    robin.copies.create(str(there))
    rewrite(there, lambda data: b" " * (200 << 20))

    with pytest.raises(AgentwsError, match="200 MiB"):
        restore_backup(str(there), str(tmp_path / "back"))


def test_the_backup_of_another_agent_is_refused(
    robin: Workspace, there: Path, tmp_path: Path, environment: Environment
) -> None:
    wren = Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren")
    wren.copies.create(str(there))
    name = whole(there).rpartition("/")[2]
    for kind in (backup.WHOLE, backup.HEADER):
        other = refs(there)[f"{kind}{wren.stores.manifest.agent_id}/{name}"]
        git(there, "update-ref", f"{kind}{robin.stores.manifest.agent_id}/{name}", other)
        git(there, "update-ref", "-d", f"{kind}{wren.stores.manifest.agent_id}/{name}")

    with pytest.raises(DamagedError, match="another agent"):
        restore_backup(str(there), str(tmp_path / "back"))
    assert list_backups(str(there))[0].wrong

    (made,) = robin.copies.create(str(there))

    assert made.previous == "", "it is not gone on from"


def test_no_more_of_a_file_is_written_than_the_manifest_tells(
    robin: Workspace, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(there))
    monkeypatch.setattr(
        Depot, "content", lambda _, tree, entries: ((one, repeat(b"x" * (1 << 20), 8)) for one in entries)
    )

    with destinations.one_backup(str(there), None) as (place, name), place.tree(name) as tree:
        for entry in place.manifest(name).entries.values():
            if entry.kind == "f":
                assert os.lstat(f"{tree}/{entry.path}").st_size <= entry.size
