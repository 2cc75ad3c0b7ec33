"""journal seal, killed at any moment; what other verbs make of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain
from agentws.core.formats.json import plainjson
from agentws.core.installation import keys
from agentws.core.journal import head
from agentws.core.journal.sealing import seal as sealing
from agentws.core.journal.sealing.seal import Signers
from agentws.features.journal.seal import seal
from agentws.workspace import Workspace
from tests.crash import harness
from tests.features.journal.keeping import (
    check_chain,
    copies,
    elsewhere,
    events,
    here,
    needs_signing,
    note,
    of_kind,
    reopened,
    stored,
)
from tests.thorough import some

pytestmark = needs_signing


def check_seals(workspace: Workspace) -> int:
    """Judge every seal of this installation; how many there are."""
    lines, signers = stored(workspace), Signers.read(workspace.stores.files)
    found = of_kind(workspace, "seal")
    for each in found:
        assert each.body is not None
        hash_ = chain.hash_of(lines[each.body["seq"] - 1])
        assert sealing.judge(workspace.stores.manifest.agent_id, each, hash_, signers) == ""
    return len(found)


def identity(workspace: Workspace) -> list[list[str]]:
    return [path.read_text().splitlines() for path in sorted((Path(workspace.root) / "identity").glob("[!.]*"))]


def test_a_seal_says_what_it_covers_and_with_which_key(workspace: Workspace) -> None:
    note(workspace, "one", "two")

    done = seal(workspace.stores)

    public = Path(here(workspace).folder, "key.pub").read_text()
    assert (done.writer, done.seq, done.cursor) == (here(workspace).writer, 3, f"{here(workspace).writer}:4")
    assert public.startswith(f"{done.key} ")
    assert check_seals(workspace) == 1


def test_the_private_key_never_enters_the_workspace(workspace: Workspace, tmp_path: Path) -> None:
    other = elsewhere(workspace, tmp_path / "other")
    note(other, "one")

    seal(other.stores)

    private = Path(here(other).folder, "key").read_bytes().split(b"\n")[1:3]
    for path in Path(workspace.root).rglob("*"):
        assert not path.is_file() or not any(line in path.read_bytes() for line in private), path


def test_two_installations_seal_their_own_journals(workspace: Workspace, tmp_path: Path) -> None:
    other = elsewhere(workspace, tmp_path / "other")

    for each in (workspace, other, workspace):
        note(each, "one")
        seal(each.stores)

    assert (check_seals(workspace), check_seals(other)) == (2, 1)
    assert [len(lines) for lines in identity(workspace)] == [2, 2]


def test_the_joining_of_a_writer_goes_into_history(tmp_path: Path, workspace: Workspace) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not here: NOT TESTED")
    versioned = Workspace.init(str(tmp_path / "kim"), environment=workspace.stores.environment, name="Kim")
    note(versioned, "one")

    from agentws.core.states import versions

    history = versions.open_newest(versioned.stores.files, versioned.stores.manifest)
    newest = history and history.newest()
    assert newest
    assert newest[2].startswith("agentws identity")
    kept = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"], cwd=versioned.root, capture_output=True, check=True
    )
    assert {b"identity/allowed_signers", b"identity/writers.jsonl"} <= set(kept.stdout.split())
    assert seal(versioned.stores).notices == []


@pytest.mark.parametrize("only", ["the first", "a later"])
def test_killed_at_any_moment_the_next_seal_mends_what_is_missing(
    workspace: Workspace, tmp_path: Path, only: str
) -> None:
    note(workspace, "one")
    if only == "a later":
        seal(workspace.stores)
        note(workspace, "two")
    notes = len(of_kind(workspace, "note"))

    def act(root: str, ack: Callable[..., None]) -> None:
        ack(seal(reopened(workspace).stores).cursor)

    fresh = copies(workspace.root, tmp_path)
    next(fresh)
    whole = harness.run(act, workspace.root)
    assert whole.acks, whole.error
    for point in some(harness.kills(whole.changing, harness.HALF), 16):
        next(fresh)
        harness.run(act, workspace.root, point)
        again = reopened(workspace)
        check_chain(again)

        seal(again.stores)
        note(again, "and it goes on")
        done = seal(again.stores)

        where = (point, whole.changing[point.at])
        assert len(of_kind(again, "note")) == notes + 1, where
        assert check_seals(again) >= 2, where
        assert [len(lines) for lines in identity(again)] == [1, 1], where
        newest = events(again)[-1]
        assert done.cursor == newest.cursor, where
        assert head.own_seal(here(again)) == (newest.seq, newest.hash), where
        check_chain(again)


def test_whatever_is_lost_of_the_key_or_of_identity_a_seal_can_be_made(workspace: Workspace) -> None:
    note(workspace, "one")
    first = seal(workspace.stores)
    for path in (Path(here(workspace).folder, "key"), Path(here(workspace).folder, "key.pub")):
        path.unlink()
    note(workspace, "two")

    second = seal(workspace.stores)

    assert first.key != second.key
    assert check_seals(workspace) == 2
    told = [plainjson.loads(line)["key"] for line in identity(workspace)[1]]
    assert told == [first.key, second.key]


def test_the_key_can_be_made_by_one_program_and_used_by_the_other(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not keys._library() or keys._program() is None:
        pytest.skip("needs ssh-keygen and cryptography: NOT TESTED")
    note(workspace, "one")
    seal(workspace.stores)
    monkeypatch.setattr(keys, "_program", lambda: None)
    note(workspace, "two")

    seal(workspace.stores)
    monkeypatch.undo()
    monkeypatch.setattr(keys, "_library", lambda: False)

    assert check_seals(workspace) == 2
