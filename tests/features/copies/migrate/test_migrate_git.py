"""migrate through a git repository that both machines reach: what it carries, who may take it, what a kill leaves."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentws import workspace as doors
from agentws.cli import main
from agentws.core.formats.travel import parcel
from agentws.core.states import plumbing, remote
from agentws.core.states.depot import Depot
from agentws.errors import (
    AgentwsError,
    DamagedError,
    DiskError,
    LockHeldError,
    MayNotWriteError,
    NeedsYouError,
    OutsideProgramError,
    UsageError,
)
from agentws.features.copies.migrate import command
from agentws.features.copies.migrate.store import unpack
from agentws.features.copies.transfer import copy_place, disk, temporary
from agentws.features.copies.transfer.tree import Tree
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.copies.transfer.receiving import holding

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)


@pytest.fixture(autouse=True)
def commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """Every git command of the test (P13): none but those of the lists, and none that forces."""
    from git.cmd import Git

    seen: list[list[str]] = []
    execute = Git.execute

    def watched(self: Any, command: list[str], *arguments: Any, **keywords: Any) -> Any:
        seen.append(list(command))
        return execute(self, command, *arguments, **keywords)

    monkeypatch.setattr(Git, "execute", watched)
    yield seen
    for argv in seen:
        assert set(argv) & {*plumbing.ALLOWED, *remote.COMMANDS}, argv
        if "push" in argv:
            assert "--force" not in argv
            assert "--atomic" in argv
            specs = argv[argv.index("--") + 2 :]
            assert all(":refs/agentws/migration/" in spec and not spec.startswith("+") for spec in specs), argv
            assert len([word for word in argv if word.startswith("--force-with-lease=refs/")]) == len(specs)


def machine(tmp_path: Path, name: str) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / f"state-{name}"), f"machine-{name}"))


@pytest.fixture
def home(tmp_path: Path) -> Environment:
    return machine(tmp_path, "home")


@pytest.fixture
def away(tmp_path: Path) -> Environment:
    return machine(tmp_path, "away")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "shared.git")], check=True)
    return tmp_path / "shared.git"


@pytest.fixture
def robin(tmp_path: Path, home: Environment) -> Workspace:
    made = Workspace.init(str(tmp_path / "robin"), environment=home, name="Robin", git=True)
    shutil.rmtree(tmp_path / "robin" / ".agentws" / "state", ignore_errors=True)
    made.event("note", "before")
    made.log("a line")
    root = tmp_path / "robin"
    (root / "checkpoints" / "x").mkdir(parents=True)
    (root / "checkpoints" / "x" / "1.json").write_text("{}")
    (root / "empty").mkdir(mode=0o711)
    (root / "mine").write_bytes(os.urandom(3000))
    (root / "mine").chmod(0o750)
    (root / os.fsdecode(b"odd \xff\nname")).symlink_to("/nowhere at all")
    os.utime(root / "mine", (1_500_000_000, 1_500_000_000))
    os.utime(root / "empty", (1_400_000_000, 1_400_000_000))
    return made


def again(root: str | Path, like: Environment) -> Workspace:
    return Workspace.open(str(root), environment=like)


def taken(tmp_path: Path, shared: Path, environment: Environment, name: str = "new", **more: Any) -> Any:
    return doors.take(str(tmp_path / name), str(shared), environment=environment, **more)


def refs(shared: Path) -> list[str]:
    words = ["git", "-C", str(shared), "for-each-ref", "--format=%(refname)"]
    found = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return [name.removeprefix(parcel.FOLDER).partition("/")[2] for name in found]


def held(root: Path) -> dict[str, tuple[Any, ...]]:
    """What a workspace holds that leaves a machine, but what grows by whom is signed in."""
    found = Tree(str(root)).scan()
    return {
        path: (entry.kind, entry.mode, entry.content, entry.mtime_ns // 10**9)
        for path, entry in found.items()
        if not path.startswith(("identity", "journal"))
    }


def test_everything_arrives_and_the_repository_holds_it_no_more(
    robin: Workspace, shared: Path, tmp_path: Path, home: Environment, away: Environment
) -> None:
    sent = robin.copies.migrate(str(shared), via="git")
    assert (sent.state, refs(shared)) == ("waiting", ["ready"])
    with pytest.raises(MayNotWriteError, match="was sent to"):
        again(robin.root, home).log("too late")

    done = taken(tmp_path, shared, away)

    assert (done.state, done.booted, done.notices) == ("arrived", True, ())
    assert refs(shared) == []
    assert held(tmp_path / "new") == held(Path(robin.root))
    new = again(tmp_path / "new", away)
    assert [event.body["text"] for event in new.journal.list() if event.kind == "note" and event.body] == ["before"]
    assert new.journal.verify().sound
    new.event("note", "on time")
    assert os.listdir(tmp_path / "new" / ".agentws").count("arrival.json") == 1
    assert not [name for name in os.listdir(tmp_path / "new" / ".agentws") if name.startswith(temporary.PARCEL)]
    assert not [name for name in os.listdir(Path(robin.root) / ".agentws") if name.startswith(temporary.PARCEL)]


def test_no_key_and_nothing_of_the_machine_is_ever_in_the_repository(
    robin: Workspace, shared: Path, tmp_path: Path
) -> None:
    (Path(robin.root) / ".agentws" / "mine").write_text("this machine alone")
    robin.journal.seal()
    robin.copies.migrate(str(shared), via="git")

    objects = subprocess.run(
        ["git", "-C", str(shared), "cat-file", "--batch", "--batch-all-objects"], check=True, capture_output=True
    ).stdout

    assert b"a line" in objects
    assert b"PRIVATE KEY" not in objects
    assert b"this machine alone" not in objects


def test_it_can_be_given_up_until_somebody_takes_it(
    robin: Workspace, shared: Path, tmp_path: Path, home: Environment, away: Environment
) -> None:
    robin.copies.migrate(str(shared), via="git")

    done = again(robin.root, home).copies.abort_migration()

    assert (done.state, refs(shared)) == ("aborted", [])
    again(robin.root, home).log("goes on")
    with pytest.raises(NeedsYouError, match="No agent waits"):
        taken(tmp_path, shared, away)
    again(robin.root, home).copies.migrate(str(shared), via="git")
    taken(tmp_path, shared, away)
    with pytest.raises(NeedsYouError):
        again(robin.root, home).copies.abort_migration()


def test_a_second_place_cannot_take_it(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.migrate(str(shared), via="git")

    def breaks(*_: object, **__: object) -> None:
        raise OutsideProgramError("killed here")

    with monkeypatch.context() as broken:
        broken.setattr("agentws.features.copies.transfer.transport.Local.activate", breaks)
        with pytest.raises(OutsideProgramError):
            taken(tmp_path, shared, away, "first")
    assert refs(shared) == ["taken"]

    with pytest.raises(MayNotWriteError, match="is being taken"):
        taken(tmp_path, shared, machine(tmp_path, "third"), "second")
    with pytest.raises(MayNotWriteError, match="too late"):
        again(robin.root, machine(tmp_path, "home")).copies.abort_migration()

    assert taken(tmp_path, shared, away, "first").state == "arrived"
    assert not (tmp_path / "second").exists()
    assert not list(tmp_path.glob(".*.incoming-*")), "what was not taken does not lie about"
    assert refs(shared) == []


def test_two_that_take_it_at_once_are_told_apart(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.migrate(str(shared), via="git")
    claim = doors_claim()

    def late(self: Any, secret: str) -> None:
        monkeypatch.undo()
        assert taken(tmp_path, shared, machine(tmp_path, "third"), "second").state == "arrived"
        claim(self, secret)

    monkeypatch.setattr("agentws.features.copies.migrate.store.unpack.Waiting.claim", late)

    with pytest.raises(NeedsYouError, match="no longer waits"):
        taken(tmp_path, shared, away, "first")

    assert not (tmp_path / "first").exists()
    assert not list(tmp_path.glob(".*.incoming-*"))
    again(tmp_path / "second", machine(tmp_path, "third")).log("the only one")


def doors_claim() -> Callable[[Any, str], None]:
    from agentws.features.copies.migrate.store.unpack import Waiting

    return Waiting.claim


def test_what_was_changed_in_the_repository_is_not_taken(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment
) -> None:
    robin.copies.migrate(str(shared), via="git")
    with doctored(tmp_path, shared) as clone:
        (path,) = (path for path in clone.glob("content/*/*") if b"a line" in path.read_bytes())
        path.write_bytes(path.read_bytes().replace(b"a line", b"A LINE"))

    with pytest.raises(DamagedError, match="does not match its digest"):
        taken(tmp_path, shared, away)

    assert not (tmp_path / "new").exists()


@contextmanager
def doctored(tmp_path: Path, shared: Path) -> Iterator[Path]:
    """The files of the parcel that waits, for somebody who may push to that repository to change them."""
    clone = tmp_path / "clone"
    sh = ["git", "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*sh, "init", "-q", str(clone)], check=True)
    (name,) = subprocess.run(
        ["git", "-C", str(shared), "for-each-ref", "--format=%(refname)"], check=True, capture_output=True, text=True
    ).stdout.split()
    subprocess.run([*sh, "-C", str(clone), "fetch", "-q", str(shared), f"{name}:work"], check=True)
    subprocess.run([*sh, "-C", str(clone), "checkout", "-q", "work"], check=True)
    yield clone
    subprocess.run([*sh, "-C", str(clone), "add", "-A"], check=True)
    subprocess.run([*sh, "-C", str(clone), "commit", "-qm", "x"], check=True)
    subprocess.run([*sh, "-C", str(clone), "push", "-qf", str(shared), f"work:{name}"], check=True)


@pytest.mark.parametrize("shape", ["{}/owned", "/{}/owned", "made/../../owned", "../owned"])
def test_whoever_may_push_to_the_repository_gets_nothing_written_outside(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, shape: str
) -> None:
    robin.copies.migrate(str(shared), via="git")
    path = shape.format(tmp_path)
    above = ["/".join(path.split("/")[:end]) for end in range(1, path.count("/") + 1)]
    with doctored(tmp_path, shared) as clone:
        data = b"echo owned\n"
        digest = hashlib.sha256(data).hexdigest()
        (clone / "content" / digest[:2]).mkdir(exist_ok=True)
        (clone / "content" / digest[:2] / f"{digest}-00000").write_bytes(data)
        told = [[folder, "d", 0o755, 0, 0, ""] for folder in above if folder]
        told.append([path, "f", 0o755, 0, len(data), digest])
        with (clone / parcel.INVENTORY).open("a") as file:
            file.writelines(json.dumps(each) + "\n" for each in told)
    before = sorted(os.listdir(tmp_path))

    with pytest.raises(DamagedError, match="not a path in a workspace"):
        taken(tmp_path, shared, away)

    assert sorted(os.listdir(tmp_path)) == before


OUTSIDE = ["../out", "link/out", ".agentws/x", "a/../../x", "/etc/x", "", "/", "/x", "//x", "a//b", ".", "..", "./x"]


@pytest.mark.parametrize("path", [*OUTSIDE, "a/", "a/./b", "a/..", "/a/x"])
@pytest.mark.parametrize("kind", ["f", "d", "l"])
def test_a_parcel_that_names_a_place_outside_is_refused(path: str, kind: str) -> None:
    told: list[list[Any]] = [["link", "l", 511, 0, 4, "/etc"], ["a", "d", 493, 0, 0, ""]]
    told.append([path, kind, 420, 0, 1, "0" * 64])
    lines = "".join(json.dumps(each) + "\n" for each in told).encode()

    with pytest.raises(ValueError, match=r"not a path in a workspace|must not be sent"):
        parcel.entries(lines)


ODD: list[list[Any]] = [
    ["x", "f", 1 << 20, 0, 1, "0" * 64],
    ["x", "f", -1, 0, 1, "0" * 64],
    ["x", "f", 0o644, 1 << 80, 1, "0" * 64],
    ["x", "f", 0o644, 0, 1 << 80, "0" * 64],
    ["x", "f", 0o644, 0, -1, "0" * 64],
    ["\ud800", "f", 0o644, 0, 1, "0" * 64],
    ["x", "l", 0o777, 0, 1, "a\0b"],
    ["x", "l", 0o777, 0, 1, "\ud800"],
    ["x", "l", 0o777, 0, 0, ""],
]


@pytest.mark.parametrize("told", ODD, ids=repr)
def test_a_parcel_with_what_no_disk_can_hold_is_refused(told: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"has impossible properties|no size"):
        parcel.entries(json.dumps(told).encode() + b"\n")


def test_what_is_written_until_the_last_moment_travels_and_large_files_go_in_pieces(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcel, "PIECE_BYTES", 1000)
    (Path(robin.root) / "exact").write_bytes(os.urandom(2000))
    (Path(robin.root) / "nothing").write_bytes(b"")
    from agentws.core.disk import tombstone

    bury, edits = tombstone.write, ["an edit"]

    def and_edit(*words: Any) -> None:
        bury(*words)
        if edits:
            (Path(robin.root) / "USER.md").write_text(edits.pop())

    monkeypatch.setattr(tombstone, "write", and_edit)

    robin.copies.migrate(str(shared), via="git")
    taken(tmp_path, shared, away)

    assert (tmp_path / "new" / "USER.md").read_text() == "an edit"
    assert held(tmp_path / "new") == held(Path(robin.root))


def test_it_comes_home_through_the_same_repository_and_the_older_copy_is_kept(
    robin: Workspace, shared: Path, tmp_path: Path, home: Environment, away: Environment
) -> None:
    robin.copies.migrate(str(shared), via="git")
    taken(tmp_path, shared, away)
    again(tmp_path / "new", away).event("note", "away")
    again(tmp_path / "new", away).copies.migrate(str(shared), via="git")

    done = taken(tmp_path, shared, home, "robin")

    assert Path(done.aside).is_dir()
    back = again(tmp_path / "robin", home)
    back.event("note", "home again")
    assert back.journal.verify().sound
    assert back.identity.verify().findings == []


def test_two_agents_in_one_repository_are_told_apart(
    robin: Workspace, shared: Path, tmp_path: Path, home: Environment, away: Environment
) -> None:
    other = Workspace.init(str(tmp_path / "ada"), environment=home, name="Ada", git=False)
    first, second = robin.copies.migrate(str(shared), via="git"), other.copies.migrate(str(shared), via="git")

    with pytest.raises(UsageError, match="2 agents wait") as error:
        taken(tmp_path, shared, away)
    assert first.migration in error.value.message
    doors.take(str(tmp_path / "new"), f"{shared}#{second.migration}", environment=away)

    assert again(tmp_path / "new", away).stores.manifest.name == "Ada"


@pytest.mark.parametrize("id_", ["aaaaaaaa/../victim", "..", "/x", "0A1B2C3D", "0a1b2c3", "0a1b2c3d4", "ready"])
def test_what_is_no_id_of_a_move_is_refused_and_nothing_is_removed(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, id_: str
) -> None:
    robin.copies.migrate(str(shared), via="git")
    (tmp_path / ".new.incoming-aaaaaaaa").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "mine").write_text("mine")
    before = sorted(str(path) for path in tmp_path.glob("*/*"))

    with pytest.raises(UsageError, match="not a migration id") as error:
        doors.take(str(tmp_path / "new"), f"{shared}#{id_}", environment=away)

    assert "#0a1b2c3d" in str(error.value.hint)
    assert sorted(str(path) for path in tmp_path.glob("*/*")) == before


def test_an_id_that_what_stands_there_has_made_up_is_not_believed(
    shared: Path, tmp_path: Path, away: Environment
) -> None:
    (tmp_path / ".new.incoming-x").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "new" / ".agentws").mkdir(parents=True)
    told = {"migration": "x/../victim", "through": str(shared)}
    (tmp_path / "new" / ".agentws" / "arrival.json").write_text(json.dumps(told))

    with pytest.raises(NeedsYouError, match="No agent waits"):
        taken(tmp_path, shared, away)

    assert (tmp_path / "victim").is_dir()


def test_a_repository_with_such_a_mark_in_its_name_can_be_named(
    robin: Workspace, tmp_path: Path, away: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd#name.git"
    subprocess.run(["git", "init", "-q", "--bare", str(odd)], check=True)
    assert main.run(["-C", robin.root, "migrate", str(odd), "--via", "git", "--yes"]) == 0
    assert f"--from {odd}# --code " in capsys.readouterr().out, "as it can be written there"
    depot = Depot(str(odd), str(tmp_path))
    (id_,) = (name.removeprefix(parcel.FOLDER).partition("/")[0] for name in depot.refs())

    with pytest.raises(UsageError, match="not a migration id"):
        doors.take(str(tmp_path / "new"), str(odd), environment=away)
    assert doors.take(str(tmp_path / "new"), f"{odd}#{id_}", environment=away, dry_run=True).state == "planned"
    assert doors.take(str(tmp_path / "new"), f"{odd}#", environment=away).state == "arrived"


def test_beside_one_that_is_at_work_a_second_one_does_nothing(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = robin.copies.migrate(str(shared), via="git")
    monkeypatch.setattr(copy_place, "_TRY_S", 0)

    with holding(tmp_path, sent.migration, "new") as holder:
        with pytest.raises(LockHeldError, match=rf"migrate --from.*process {holder.pid}"):
            taken(tmp_path, shared, away)

        assert list(tmp_path.glob(".new.incoming-*/.agentws"))
    assert refs(shared) == ["ready"]
    assert taken(tmp_path, shared, away).state == "arrived"


def test_the_ref_is_removed_only_once_the_name_is_durable_also_by_a_rerun(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.migrate(str(shared), via="git")
    done: list[str] = []
    sync, remove = disk.sync_folder, unpack.Waiting.remove

    def killed(place: str) -> None:
        if (tmp_path / "new").exists():
            raise KeyboardInterrupt
        sync(place)

    with monkeypatch.context() as broken:
        broken.setattr(disk, "sync_folder", killed)
        with pytest.raises(KeyboardInterrupt):
            taken(tmp_path, shared, away)
    assert refs(shared) == ["taken"]
    assert (tmp_path / "new" / ".agentws" / "incoming.lock").exists()

    def synced(place: str) -> None:
        sync(place)
        done.append(f"sync {place}")

    def removed(self: unpack.Waiting) -> None:
        done.append("remove")
        remove(self)

    monkeypatch.setattr(disk, "sync_folder", synced)
    monkeypatch.setattr(unpack.Waiting, "remove", removed)

    assert taken(tmp_path, shared, away).state == "already"

    assert done == [f"sync {tmp_path}", "remove"]
    assert refs(shared) == []
    assert not (tmp_path / "new" / ".agentws" / "incoming.lock").exists()


def test_a_rerun_that_cannot_make_the_name_durable_leaves_the_ref(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.migrate(str(shared), via="git")

    def fails(place: str) -> None:
        raise OSError(5, "Input/output error", place)

    with monkeypatch.context() as broken:
        broken.setattr("agentws.features.copies.migrate.take._Taking._remove", lambda self: None)
        taken(tmp_path, shared, away)
    monkeypatch.setattr(disk, "sync_folder", fails)

    with pytest.raises(DiskError):
        taken(tmp_path, shared, away)

    assert refs(shared) == ["taken"]


def test_the_other_places_that_will_not_do(robin: Workspace, shared: Path, tmp_path: Path, away: Environment) -> None:
    robin.copies.migrate(str(shared), via="git")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")

    with pytest.raises(UsageError, match="exists and is not this agent"):
        taken(tmp_path, shared, away, "full")
    with pytest.raises(AgentwsError, match="does not exist"):
        taken(tmp_path, shared, away, "no/such/folder")

    assert refs(shared) == ["ready"]
    assert taken(tmp_path, shared, away, dry_run=True).state == "planned"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% x",
        "-oProxyCommand=touch x",
        "ssh://-oProxyCommand=x/robin.git",
        "ssh://sam@-oProxyCommand=x/robin.git",
        "sam@-oProxyCommand=x:robin.git",
        "host:-x",
        "http://host/x.git",
        "git://host/x.git",
        "https://sam:word@host/x.git",
        "--upload-pack=touch x",
        "file::/x",
        "ext://x",
        "ssh://a b/x",
        "ssh:///x",
        "a\nb",
        "x" * 5000,
        "",
    ],
)
def test_what_is_no_url_or_would_run_something_is_refused(robin: Workspace, url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        robin.copies.migrate(url, via="git")
    with pytest.raises(UsageError):
        doors.take(str(tmp_path / "new"), url, environment=robin.stores.environment)
    robin.log("still here")


def test_a_repository_that_is_not_there_is_said_and_nothing_has_begun(robin: Workspace, tmp_path: Path) -> None:
    with pytest.raises(OutsideProgramError):
        robin.copies.migrate(str(tmp_path / "none.git"), via="git")

    robin.log("still here")
    with pytest.raises(UsageError, match="No migration"):
        robin.copies.abort_migration()


def test_a_disk_that_is_full_here_is_said_and_a_rerun_goes_on(
    robin: Workspace, shared: Path, home: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("agentws.core.states.plumbing.run", full)
        with pytest.raises(DiskError, match=r"No space|full"):
            robin.copies.migrate(str(shared), via="git")

    again(robin.root, home).log("still here")
    assert again(robin.root, home).copies.migrate(str(shared), via="git").state == "waiting"


# The command


def test_it_says_what_a_repository_will_hold_and_asks(
    robin: Workspace, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["-C", robin.root, "migrate", str(shared), "--via", "git"]) == 3
    told = capsys.readouterr().out
    assert "journal, checkpoints" in told
    assert refs(shared) == []

    assert main.run(["-C", robin.root, "migrate", str(shared), "--via", "git", "--yes"]) == 0
    assert f"--from {shared}" in capsys.readouterr().out
    assert main.run(["migrate", str(tmp_path / "new"), "--from", str(shared)]) == 3
    assert not (tmp_path / "new").exists()
    assert main.run(["migrate", str(tmp_path / "new"), "--from", str(shared), "--yes"]) == 0
    assert main.run(["migrate", str(tmp_path / "new"), "--from", str(shared), "--yes"]) == 0
    assert "already" in capsys.readouterr().out
    assert main.run(["migrate", "--from", str(shared), "--yes"]) == 2


# Killed at each step that speaks to the repository


def kills(act: Callable[[], object], at: int, *, before: bool) -> bool:
    """Do it in a child that is killed before or after its call number `at` of the other repository; was it killed?"""
    pid = os.fork()
    if not pid:
        calls, real = [0], remote.run

        def counted(*words: Any, **more: Any) -> bytes:
            calls[0] += 1
            if calls[0] == at and before:
                os._exit(137)
            done = real(*words, **more)
            if calls[0] == at:
                os._exit(137)
            return done

        remote.run = counted  # type: ignore[assignment]
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        try:
            act()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 137), code
    return code == 137


class World:
    """The agent, the repository and the place that it goes to, made anew each time."""

    def __init__(self, base: Path, home: Environment, away: Environment) -> None:
        self.kept, self.world = base / "kept", base / "world"
        self.home, self.away = home, away
        self.source, self.shared, self.new = self.world / "robin", self.world / "shared.git", self.world / "new"
        made = Workspace.init(str(self.source), environment=home, name="Robin", git=False)
        made.log("written before")
        subprocess.run(["git", "init", "-q", "--bare", str(self.shared)], check=True)
        os.rename(self.world, self.kept)

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)

    def send(self) -> Any:
        return again(self.source, self.home).copies.migrate(str(self.shared), via="git")

    def take(self) -> Any:
        return doors.take(str(self.new), str(self.shared), environment=self.away)

    def writable(self) -> list[Path]:
        return [root for root in (self.source, self.new) if root.exists() and self.may_write(root)]

    def may_write(self, root: Path) -> bool:
        try:
            again(root, self.away if root == self.new else self.home).stores.check_writable()
        except MayNotWriteError:
            return False
        return True

    def check(self) -> None:
        may = self.writable()
        assert len(may) <= 1
        assert "written before" in "".join(path.read_text() for path in self.source.glob("memory/*.md"))
        if set(refs(self.shared)) & {"ready", "taken"}:
            assert self.source not in may, "who may be taken elsewhere writes here no more"
        if self.new.exists():
            assert held(self.source) == held(self.new)


@pytest.fixture
def world(tmp_path: Path, home: Environment, away: Environment) -> World:
    return World(tmp_path, home, away)


@pytest.mark.parametrize("before", [True, False])
def test_a_source_that_is_killed_leaves_one_agent_and_a_rerun_finishes_it(world: World, before: bool) -> None:
    for at in range(1, 40):
        world.fresh()
        if not kills(world.send, at, before=before):
            assert at > 5
            break
        world.check()
        said = world.writable() == [world.source]
        if said:
            again(world.source, world.home).log("in between")

        assert world.send().state == "waiting", at
        assert refs(world.shared) == ["ready"], at
        world.check()
        world.take()

        assert world.writable() == [world.new]
        days = "".join(path.read_text() for path in world.new.glob("memory/*.md"))
        assert ("in between" in days) == said
        assert again(world.source, world.home).copies.migrate(str(world.shared), via="git").state == "already"


@pytest.mark.parametrize("before", [True, False])
def test_one_that_takes_it_and_is_killed_leaves_one_agent_and_a_rerun_finishes_it(world: World, before: bool) -> None:
    world.fresh()
    world.send()
    shutil.rmtree(world.kept)
    os.rename(world.world, world.kept)
    for at in range(1, 20):
        world.fresh()
        if not kills(world.take, at, before=before):
            assert at > 3
            break
        world.check()

        assert world.take().state in ("arrived", "already"), at

        world.check()
        assert world.writable() == [world.new]
        assert refs(world.shared) == []
        assert [name for name in os.listdir(world.world) if "incoming" in name] == []


@pytest.mark.parametrize("before", [True, False])
def test_giving_it_up_can_be_killed_too(world: World, before: bool) -> None:
    for at in range(1, 20):
        world.fresh()
        world.send()  # each time: it is bound to the folder's inode
        give_up: Callable[[], Any] = lambda: again(world.source, world.home).copies.abort_migration()  # noqa: E731
        if not kills(give_up, at, before=before):
            assert at > 2
            break
        world.check()

        give_up()

        assert world.writable() == [world.source]
        assert refs(world.shared) == []


def test_a_source_that_runs_again_once_it_was_taken_does_not_say_that_the_agent_is_in_the_repository(
    robin: Workspace, shared: Path, tmp_path: Path, away: Environment
) -> None:
    robin.copies.migrate(str(shared), via="git")
    taken(tmp_path, shared, away)

    done = again(robin.root, machine(tmp_path, "home")).copies.migrate(str(shared), via="git")

    said = [*command.migrated_lines(done), *done.notices]
    assert done.state == "already"
    assert any("no longer waits" in line for line in said)
    assert not any("is already at" in line for line in said)
