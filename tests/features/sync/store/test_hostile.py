"""What a remote may not send is refused whole: exit 14, and nothing here has changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentws.core.formats.git import objects
from agentws.core.states import object_store
from agentws.errors import DamagedError
from agentws.features.sync.store import check, contact, repo
from agentws.features.sync.store.remote import Remote
from tests.features.sync.store.machines import AGENT, WRITER, Machine, bare, git, key, machines

Row = tuple[str, str, str]


class There:
    """A remote in which somebody writes what agentws never would."""

    def __init__(self, place: Path) -> None:
        self.place = bare(place)
        self.remote = Remote(str(place))

    def put(self, kind: str, data: bytes) -> str:
        return git("hash-object", "--literally", "-t", kind, "-w", "--stdin", cwd=self.place, stdin=data)

    def tree(self, *rows: Row) -> str:
        data = b"".join(
            f"{mode} {name}\0".encode("utf-8", "surrogateescape") + bytes.fromhex(oid) for mode, name, oid in rows
        )
        return self.put("tree", data)

    def show(self, root: str, *, epoch: str = "00000001", parents: tuple[str, ...] = (), number: int = 1) -> str:
        """Let a commit of this tree be the newest state."""
        text = objects.commit(root, parents, author=f"a <a@b> {number} +0000", message=b"x")
        commit = self.put("commit", text)
        at = self.place / f"refs/agentws/sync/{AGENT}"
        at.mkdir(parents=True, exist_ok=True)
        (at / epoch).write_text(f"{commit}\n")
        return commit

    def state(self, machine: Machine, workspace: str, **words: object) -> str:
        told = replace(machine.told(), tree=workspace, **words)  # type: ignore[arg-type]
        if machine.key is not None and not told.signature:
            told = told.signed(machine.key.sign(told.message()))
        rows = (("100644", "told.json", self.put("blob", told.data())), ("40000", "workspace", workspace))
        return self.show(self.tree(*rows))


@pytest.fixture
def there(tmp_path: Path) -> There:
    return There(tmp_path / "there.git")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path / "desk")
    with machines(machine):
        yield machine


def refused(there: There, machine: Machine, words: str = "") -> None:
    before = {
        path: path.read_bytes() for path in machine.root.rglob("*") if ".agentws" not in path.parts and path.is_file()
    }
    with pytest.raises(DamagedError, match=re.escape(words) if words else None) as raised:
        there.remote.fetch(machine.repo, AGENT)
    assert raised.value.exit_code == 14
    assert {path: path.read_bytes() for path in before} == before


def test_a_state_made_by_hand_as_ours_are_is_taken(there: There, desk: Machine) -> None:
    # Else the tests below would be refused for another reason than theirs.
    blob = there.put("blob", b"- hi\n")
    commit = there.state(desk, there.tree(("100755", "MEMORY.md", blob)))
    tip = there.remote.fetch(desk.repo, AGENT)
    assert tip is not None
    assert desk.repo.tree(commit) == {"MEMORY.md": blob}
    assert check.signer(desk.repo, commit, lambda by, key: True) == check.NONE


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("120000", "MEMORY.md"), ("160000", "sub"), ("100600", "MEMORY.md"), ("100644", ".hidden"),
        ("100644", ".agentws"), ("100644", ".AGENTWS"), ("100644", "a\nb.md"), ("100644", "a\x1b.md"),
        ("100644", "a\\b.md"), ("100644", "\udcff.md"), ("100644", "x" * 256), ("100644", ".envrc"),
        ("100644", "CON/.."), ("100644", "../up.md"), ("100644", "/etc/x"),
    ],
)  # fmt: skip
def test_what_may_not_travel_is_refused(there: There, desk: Machine, mode: str, name: str) -> None:
    oid = there.put("blob", b"x") if mode != "160000" else "1" * 40
    there.state(desk, there.tree((mode, name, oid)))
    refused(there, desk)


@pytest.mark.parametrize("name", ["..", ".", ".git", ".GIT", "git~1"])
@pytest.mark.parametrize("mode", ["100644", "40000"])
def test_names_that_git_itself_refuses(there: There, desk: Machine, name: str, mode: str) -> None:
    blob = there.put("blob", b"x")
    oid = blob if mode == "100644" else there.tree(("100644", "hooks.md", blob))
    there.state(desk, there.tree((mode, name, oid)))
    refused(there, desk)


@pytest.mark.parametrize("folder", [".agentws", ".ssh", "memory/.agentws", ".claude"])
def test_a_folder_that_is_no_part_of_a_workspace(there: There, desk: Machine, folder: str) -> None:
    oid, mode = there.put("blob", b"x"), "100644"
    for name in ["x.md", *reversed(folder.split("/"))]:
        oid, mode = there.tree((mode, name, oid)), "40000"
    there.state(desk, oid)
    refused(there, desk, "a path that may not travel")


def test_the_tombstone_does_not_travel(there: There, desk: Machine) -> None:
    inner = there.tree(("100644", "moved.json", there.put("blob", b"{}")))
    there.state(desk, there.tree(("40000", "identity", inner)))
    refused(there, desk, "'identity/moved.json'")


def test_one_name_twice(there: There, desk: Machine) -> None:
    blob = there.put("blob", b"x")
    there.state(desk, there.tree(("100644", "MEMORY.md", blob), ("100644", "MEMORY.md", there.put("blob", b"y"))))
    refused(there, desk)


def test_a_file_and_a_folder_of_one_name(there: There, desk: Machine) -> None:
    blob = there.put("blob", b"x")
    folder = there.tree(("100644", "x.md", blob))
    there.state(
        desk, there.tree(("100644", "memory", blob), ("100644", "memory.md", blob), ("40000", "memory", folder))
    )
    refused(there, desk)


@pytest.mark.parametrize("extra", ["README.md", "hooks", "told.json2"])
def test_something_beside_the_workspace(there: There, desk: Machine, extra: str) -> None:
    workspace = there.tree(("100644", "MEMORY.md", there.put("blob", b"x")))
    told = there.put("blob", replace(desk.told(), tree=workspace).data())
    rows = [("100644", "told.json", told), ("40000", "workspace", workspace), ("100644", extra, told)]
    there.show(there.tree(*sorted(rows, key=lambda row: row[1] + "/" * (row[0] == "40000"))))
    refused(there, desk, "was not made by agentws")


def test_told_as_a_link(there: There, desk: Machine) -> None:
    workspace = there.tree(("100644", "MEMORY.md", there.put("blob", b"x")))
    there.show(
        there.tree(("120000", "told.json", there.put("blob", b"/etc/passwd")), ("40000", "workspace", workspace))
    )
    refused(there, desk, "was not made by agentws")


@pytest.mark.parametrize(
    "told",
    [
        b"", b"{", b"[]", b"null", b'{"agentws":2}', b"\xff", b"[" * 100_000, b'{"agentws":1,"agent":"../x"}',
        b" " * (1 << 17),
    ],
)  # fmt: skip
def test_told_that_cannot_be_read(there: There, desk: Machine, told: bytes) -> None:
    workspace = there.tree(("100644", "MEMORY.md", there.put("blob", b"x")))
    there.show(there.tree(("100644", "told.json", there.put("blob", told)), ("40000", "workspace", workspace)))
    refused(there, desk)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("agent", "another", "belongs to another agent"),
        ("epoch", 2, "in the wrong epoch"),
        ("parents", ("1" * 40,), "holds something else than it says"),
        ("tree", "1" * 40, "holds something else than it says"),
        ("by", "../x", "cannot be read"),
        ("renews", "HEAD", "cannot be read"),
        ("host", "x" * 300, "cannot be read"),
        ("host", "desk\nSynced with another.", "cannot be read"),
        ("host", "\x1b[2Jdesk", "cannot be read"),
        ("at", "now\r", "cannot be read"),
        ("signature", "x", "is invalid"),
        ("signature", "x" * 100_000, ""),
    ],
)
def test_told_that_is_not_so(there: There, desk: Machine, field: str, value: object, words: str) -> None:
    workspace = there.tree(("100644", "MEMORY.md", there.put("blob", b"x")))
    told = replace(desk.told(), **{"tree": workspace, field: value})  # type: ignore[arg-type]
    rows = (("100644", "told.json", there.put("blob", told.data())), ("40000", "workspace", workspace))
    there.show(there.tree(*rows))
    refused(there, desk, words)


def test_a_good_signature_is_told_from_a_bad_one(tmp_path: Path, there: There) -> None:
    desk = Machine(tmp_path / "desk", key=key(tmp_path / "key"))
    other = key(tmp_path / "other")
    with machines(desk):
        assert desk.key is not None
        workspace = there.tree(("100644", "MEMORY.md", there.put("blob", b"x")))
        commit = there.state(desk, workspace)
        there.remote.fetch(desk.repo, AGENT)
        asked: list[tuple[str, str]] = []

        def known(by: str, key: str) -> bool:
            asked.append((by, key))
            return len(asked) == 1

        assert check.signer(desk.repo, commit, known) == check.KNOWN
        assert check.signer(desk.repo, commit, known) == check.UNKNOWN
        assert asked == [(WRITER, desk.key.public)] * 2
        told = replace(desk.told(), tree=workspace)
        for bad in (
            told.signed(other.sign(told.message())),
            replace(told, at="later").signed(desk.key.sign(told.message())),
            replace(told, forgotten=True, renews="1" * 40).signed(desk.key.sign(told.message())),
        ):
            rows = (("100644", "told.json", there.put("blob", bad.data())), ("40000", "workspace", workspace))
            there.show(there.tree(*rows))
            refused(there, desk, "is invalid")


def test_a_tree_of_trees_without_end_is_not_walked(
    there: There, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repo, "MOST_FILES", 2_000)
    oid, mode = there.put("blob", b"x"), "100644"
    for _ in range(12):  # 10^12 files in twelve objects
        oid, mode = there.tree(*((mode, f"d{number}", oid) for number in range(10))), "40000"
    there.state(desk, oid)
    refused(there, desk, "more than 2,000 files")


def test_a_blob_that_is_larger_than_any_is_not_read(
    there: There, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "LARGEST_BYTES", 1 << 20)
    blob = there.put("blob", bytes(2 << 20))
    commit = there.state(desk, there.tree(("100644", "MEMORY.md", blob)))
    there.remote.fetch(desk.repo, AGENT)
    with pytest.raises(DamagedError, match="has 2 MiB"):
        list(desk.repo.objects.blobs([desk.repo.tree(commit)["MEMORY.md"]], 1 << 20))
    assert desk.repo.tree(commit)  # what reads goes on


def test_more_than_a_sync_may_send_is_cut_off(there: There, desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    blob = there.put("blob", os.urandom(3 << 20))
    there.state(desk, there.tree(("100644", "MEMORY.md", blob)))
    with monkeypatch.context() as patch:
        patch.setattr(contact, "_LARGEST_PACK_BYTES", 1 << 20)
        refused(there, desk, "GiB at once")
    desk.reopen()
    assert not [*Path(desk.repo.git_dir).rglob("tmp_*")]
    assert there.remote.fetch(desk.repo, AGENT) is not None


@pytest.mark.parametrize("name", ["1", "000000001", "00000000", "main", "0000000a"])
def test_a_ref_that_is_no_epoch_is_not_looked_at(there: There, desk: Machine, name: str) -> None:
    blob = there.put("blob", b"- hi\n")
    there.show(there.tree(("100644", "x", blob)), epoch=name)
    assert there.remote.fetch(desk.repo, AGENT) is None


def test_a_ref_that_names_no_commit(there: There, desk: Machine) -> None:
    at = there.place / f"refs/agentws/sync/{AGENT}"
    at.mkdir(parents=True)
    (at / "00000001").write_text(f"{there.put('blob', b'x')}\n")
    refused(there, desk, "is not a state of a sync")


@pytest.mark.parametrize(
    "message", [b"", b"{}", b'{"agentws":1,"holder":"../x","count":1}', b'{"agentws":1,"holder":"a","count":-1}']
)
def test_a_lease_that_cannot_be_read(there: There, desk: Machine, message: bytes) -> None:
    commit = there.put("commit", objects.commit(there.tree(), (), author="a <a@b> 1 +0000", message=message))
    at = there.place / "refs/agentws/lease"
    at.mkdir(parents=True)
    (at / AGENT).write_text(f"{commit}\n")
    with pytest.raises(DamagedError, match="the lease cannot be read"):
        there.remote.lease(desk.repo, AGENT)
