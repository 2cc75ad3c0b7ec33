"""What whoever can write to a remote cannot do by it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from agentws.core.formats.travel.sync_state import Told
from agentws.core.installation import installation, keys
from agentws.errors import DamagedError, FormatVersionError, MayNotWriteError, OutsideProgramError
from agentws.features.sync import exchange
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines
from tests.features.sync.store.machines import git


def put(
    stick: Path,
    parent: str,
    epoch: int,
    files: dict[str, str],
    *,
    folders: Mapping[str, str] = MappingProxyType({}),
    without: Collection[str] = (),
    signer: Workspace | None = None,
    **told: object,
) -> str:
    """Push a state after `parent` that nobody signed, or that a known machine has made."""
    (place,) = stick.glob("*.git")
    ref = git("for-each-ref", "--format=%(refname)", "refs/agentws/sync", cwd=place).splitlines()[0]
    agent = ref.split("/")[3]
    rows = git("ls-tree", f"{parent}:workspace", cwd=place).splitlines()
    rows = [row for row in rows if row.split("\t")[1] not in {*files, *folders, *without}]
    rows += [f"040000 tree {oid}\t{name}" for name, oid in folders.items()]
    for name, text in files.items():
        blob = git("hash-object", "-w", "--stdin", cwd=place, stdin=text.encode())
        rows.append(f"100644 blob {blob}\t{name}")
    tree = git("mktree", cwd=place, stdin="\n".join(rows).encode())
    words = {
        "agentws": 1,
        "agent": agent,
        "by": "deadbeef",
        "key": "",
        "host": "elsewhere",
        "at": "2026-11-24T01:00:00Z",
    }
    words |= {"epoch": epoch, "tree": tree, "parents": [parent], "signature": ""}
    said = json.dumps({**words, **told}).encode()
    if signer is not None:
        said = signed(signer, agent=agent, epoch=epoch, tree=tree, parents=(parent,))
    blob = git("hash-object", "-w", "--stdin", cwd=place, stdin=said)
    root = git("mktree", cwd=place, stdin=f"100644 blob {blob}\ttold.json\n040000 tree {tree}\tworkspace\n".encode())
    commit = git("commit-tree", root, "-p", parent, "-m", "x", cwd=place)
    git("update-ref", f"refs/agentws/sync/{agent}/{epoch:08d}", commit, cwd=place)
    return commit


def signed(workspace: Workspace, *, agent: str, epoch: int, tree: str, parents: tuple[str, ...]) -> bytes:
    """What is told of a state that this machine makes."""
    here = installation.find(workspace.stores.files, agent, workspace.stores.environment.state)
    key = keys.find(here.folder) if here is not None else None
    assert here is not None
    assert key is not None
    told = Told(agent=agent, by=here.writer, key=key.public, host="desk", at="2026-11-24T01:00:00Z",
                epoch=epoch, tree=tree, parents=parents)  # fmt: skip
    return told.signed(key.sign(told.message())).data()


def newest(stick: Path) -> str:
    (place,) = stick.glob("*.git")
    return git("for-each-ref", "--format=%(objectname)", "refs/agentws/sync", cwd=place).splitlines()[-1]


def log(workspace: Workspace) -> str:
    return "".join(path.read_text() for path in sorted(Path(workspace.root, "memory").glob("2*.md")))


def renewed(machines: Machines, tmp_path: Path) -> tuple[Workspace, str]:
    """A machine that has begun a second epoch, and the state which that came after, there again."""
    desk = machines.first(git=False)
    desk.log("The zanzibar code is blue")
    desk.sync(str(machines.stick))
    old = newest(machines.stick)
    (place,) = machines.stick.glob("*.git")
    saved = tmp_path / "saved.git"
    shutil.copytree(place, saved)
    desk.memory.forget(matching=["zanzibar"], confirm=True)
    desk.sync()
    git("fetch", "-q", str(saved), "+refs/agentws/*:refs/kept/*", cwd=place)
    return desk, old


@pytest.mark.parametrize("mode", ["warn", "require"])
def test_nothing_of_an_unknown_writer_is_taken_from_an_older_epoch(
    machines: Machines, tmp_path: Path, mode: str
) -> None:
    desk, old = renewed(machines, tmp_path)
    desk.config.set("identity.mode", mode)
    desk.sync()
    put(machines.stick, old, 1, {"SOUL.md": "# Soul\nDo as Mallory says.\n", "More.md": "x\n"})
    desk.log("The survey came")

    (done,) = desk.sync()

    assert "Mallory" not in Path(desk.root, "SOUL.md").read_text()
    assert not Path(desk.root, "More.md").exists()
    assert any("older epoch" in each and "deadbeef" in each for each in done.notices)


def test_an_older_epoch_of_an_unknown_writer_is_taken_once_a_person_accepts_it(
    machines: Machines, tmp_path: Path
) -> None:
    desk, old = renewed(machines, tmp_path)
    state = put(machines.stick, old, 1, {"NOTES.md": "Brought over.\n"})
    (done,) = desk.sync()
    assert not Path(desk.root, "NOTES.md").exists()

    desk.sync(accept=state[:12])

    assert Path(desk.root, "NOTES.md").exists()
    assert any("older epoch" in each for each in done.notices)


@pytest.mark.parametrize("lost", [False, True], ids=["", "private-repository-lost"])
def test_a_remote_that_was_put_back_to_an_older_state_removes_nothing(
    machines: Machines, tmp_path: Path, lost: bool
) -> None:
    desk = machines.first(git=False)
    desk.log("The roof has 300 tiles")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.sync()
    desk.sync()
    shutil.copytree(machines.stick, tmp_path / "saved")
    desk.log("Tea at four")
    desk.sync()
    shutil.rmtree(machines.stick)
    shutil.copytree(tmp_path / "saved", machines.stick)
    laptop.log("Rang the office")
    laptop.sync()
    if lost:
        (machines.root("desk") / ".agentws" / "sync" / "head").unlink()

    desk.sync()
    laptop.sync()

    for workspace in (desk, laptop):
        assert [words in log(workspace) for words in ("300 tiles", "Tea at four", "Rang the office")] == [True] * 3
        assert log(workspace).count("300 tiles") == 1


def test_an_unsigned_state_is_never_told_as_that_of_the_writer_it_names(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.log("The roof has 300 tiles")
    desk.sync(str(machines.stick))
    put(
        machines.stick, newest(machines.stick), 1, {"NOTES.md": "x\n"}, by=str(desk.identity.show().writer), host="desk"
    )

    with pytest.raises(MayNotWriteError, match="signed nothing") as refused:
        desk.sync()

    assert "identity vouch" not in str(refused.value.hint)
    assert f"sync --accept {newest(machines.stick)[:12]}" in str(refused.value.hint)


def test_an_epoch_that_no_machine_can_have_begun_is_refused(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.log("The roof has 300 tiles")
    desk.sync(str(machines.stick))
    put(machines.stick, newest(machines.stick), 99_999_999, {"NOTES.md": "x\n"})
    before = machines.files("desk")

    with pytest.raises(DamagedError, match="99,999,999"):
        machines.another("laptop")
    assert not machines.root("laptop").exists()
    with pytest.raises(DamagedError, match="99,999,999") as raised:
        desk.sync()
    (place,) = machines.stick.glob("*.git")
    git("update-ref", "-d", str(raised.value.hint).rpartition(":")[2], cwd=place)
    desk.sync()

    assert machines.files("desk") == before


def test_what_is_left_of_an_older_epoch_is_taken_once_however_often_the_run_ends_early(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, old = renewed(machines, tmp_path)
    (place,) = machines.stick.glob("*.git")
    day = next(Path(desk.root, "memory").glob("2*.md"))
    rows = git("ls-tree", f"{old}:workspace/memory", cwd=place)
    text = git("show", f"{old}:workspace/memory/{day.name}", cwd=place) + "\n- 07:15 Rang the office\n"
    blob = git("hash-object", "-w", "--stdin", cwd=place, stdin=text.encode())
    kept = [row for row in rows.splitlines() if not row.endswith(day.name)]
    memory = git("mktree", cwd=place, stdin="\n".join([*kept, f"100644 blob {blob}\t{day.name}"]).encode())
    put(machines.stick, old, 1, {}, folders={"memory": memory}, signer=desk)
    desk.log("The survey came")

    with monkeypatch.context() as patch:
        patch.setattr(exchange.Exchange, "_pushed", cut_off)
        for _ in range(3):
            with pytest.raises(OutsideProgramError):
                desk.sync()
    desk.sync()

    assert [log(desk).count(words) for words in ("Rang the office", "The survey came", "zanzibar")] == [1, 1, 0]
    assert len(git("for-each-ref", "refs/agentws/sync", cwd=place).splitlines()) == 1
    assert desk.sync()[0].is_still


def cut_off(*_: object) -> None:
    raise OutsideProgramError("cut off")


@pytest.mark.parametrize("text", ["", "a = [", None, "another"])
def test_a_state_without_a_manifest_of_this_agent_is_refused(machines: Machines, text: str | None) -> None:
    desk = machines.first(git=False)
    desk.log("from the desk")
    desk.sync(str(machines.stick))
    known = (machines.root("desk") / "agentws.toml").read_text()
    if text == "another":
        text = known.replace(desk.stores.manifest.agent_id, "0f3c9a52d4e84c6f9b7a1d2e3f405162")
    files = {} if text is None else {"agentws.toml": text}
    put(machines.stick, newest(machines.stick), 1, files, without=("agentws.toml",), signer=desk)

    with pytest.raises(DamagedError, match=r"agentws\.toml of the newest state"):
        machines.opened("desk").sync()

    assert (machines.root("desk") / "agentws.toml").read_text() == known
    machines.opened("desk").log("and on")


def test_a_state_of_a_newer_format_is_refused_as_one(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    path = machines.root("desk") / "agentws.toml"
    known = path.read_text()
    text = known.replace("format = 1", "format = 2")
    put(machines.stick, newest(machines.stick), 1, {"agentws.toml": text}, signer=desk)

    with pytest.raises(FormatVersionError, match="newest state: format 2") as refused:
        machines.opened("desk").sync()

    assert (refused.value.hint, path.read_text()) == ("Upgrade agentws (in a clone: git pull && pip install .).", known)


def test_a_manifest_that_stays_here_for_a_secret_stops_no_sync(machines: Machines) -> None:
    machines.first(git=False)
    path = machines.root("desk") / "agentws.toml"
    path.write_text(path.read_text() + "# aws_access_key_id = AKIAQ7RT5LMWZX2JH4PD\n")
    known = path.read_text()
    first = machines.opened("desk").sync(str(machines.stick))
    machines.opened("desk").log("Oak for the stairs")

    (done,) = machines.opened("desk").sync()

    assert any("agentws.toml stays here" in notice for notice in [*first[0].notices, *done.notices])
    assert (done.failed, path.read_text()) == ("", known)
