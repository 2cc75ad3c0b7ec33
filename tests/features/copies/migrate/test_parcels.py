"""Parcels that somebody has tampered with, or made to hurt: what is refused, and what is left of them where they go."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws import workspace as doors
from agentws.cli import main
from agentws.core.formats.travel import parcel
from agentws.core.installation import keys
from agentws.errors import AgentwsError, DamagedError, NeedsYouError, UsageError
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW

pytestmark = pytest.mark.skipif(not (shutil.which("git") and keys.is_possible()), reason="git or keys are not here")

EVIL = b"[core]\n\tbare = false\n\tfsmonitor = evil\n\thooksPath = evil\n[alias]\n\tst = !evil\n"
GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@y")


class Post:
    """A parcel of Robin that waits in `url`; `folder` holds what it holds, to be changed and sent again."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.url = base / "shared.git"
        self.folder = base / "parcel"
        self._run("git", "init", "-q", "--bare", str(self.url))
        self.home = Environment(now=NOW, timezone="UTC", state=(None, str(base / "state-home"), "machine-home"))
        self.away = Environment(now=NOW, timezone="UTC", state=(None, str(base / "state-away"), "machine-away"))
        robin = Workspace.init(str(base / "robin"), environment=self.home, name="Robin", git=False)
        shutil.rmtree(base / "robin" / ".agentws" / "state", ignore_errors=True)
        robin.log("a line")
        self.sent = robin.copies.migrate(str(self.url), via="git")
        self.ref = parcel.ref(self.sent.migration, parcel.READY)
        self._run("git", "init", "-q", str(self.folder))
        self._git("fetch", "-q", str(self.url), f"{self.ref}:kept")
        (folder,) = (base / "state-home").rglob("key")
        key = keys.find(str(folder.parent))
        assert key is not None
        self.key = key

    def fresh(self) -> None:
        """The parcel as it was sent."""
        self._git("checkout", "-q", "-f", "-B", "work", "kept")
        self._git("clean", "-qfd")
        for name in ("told.json", "inventory.jsonl"):
            assert (self.folder / name).exists()

    def told(self, **more: Any) -> dict[str, Any]:
        place = self.folder / parcel.TOLD
        told: dict[str, Any] = json.loads(place.read_text())
        told = {name: value for name, value in (told | more).items() if value is not None}
        place.write_text(json.dumps(told) + "\n")
        return told

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """One more file, or another content for it, rightly told of in the inventory."""
        found = hashlib.sha256(data).hexdigest()
        (self.folder / "content" / found[:2]).mkdir(exist_ok=True)
        (self.folder / "content" / found[:2] / f"{found}-00000").write_bytes(data)
        place = self.folder / parcel.INVENTORY
        lines = [json.loads(line) for line in place.read_text().splitlines()]
        above = ["/".join(path.split("/")[:end]) for end in range(1, path.count("/") + 1)]
        known = {line[0] for line in lines}
        lines = [line for line in lines if line[0] != path]
        lines += [[folder, "d", 0o2777, 0, 0, ""] for folder in above if folder not in known]
        lines.append([path, "f", mode, 0, len(data), found])
        place.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def sign(self, key: keys.Key, **more: Any) -> None:
        """Sign what it holds now, as whoever sends it would."""
        told = self.told(**more)
        by = told["parcel"]["by"]
        entries = parcel.entries((self.folder / parcel.INVENTORY).read_bytes())
        signed = parcel.of(entries, told, by=by, key=key.public)
        signed.signature = key.sign(signed.message(told["agent"], told["migration"]))
        self.told(parcel=signed.plain())

    def send(self) -> None:
        self._git("add", "-A", "-f")
        self._git("commit", "-q", "--allow-empty", "-m", "x")
        self._git("push", "-q", "-f", str(self.url), f"work:{self.ref}")

    def take(self, name: str = "new", **more: Any) -> Any:
        return doors.take(str(self.base / name), str(self.url), environment=self.away, **more)

    def stranger(self) -> keys.Key:
        folder = self.base / "stranger"
        folder.mkdir(exist_ok=True)
        found = keys.ensure(str(folder), comment="stranger")
        assert found is not None
        return found

    def _git(self, *words: str) -> None:
        self._run(*GIT, "-C", str(self.folder), *words)

    def _run(self, *words: str) -> None:
        subprocess.run(words, check=True, capture_output=True)


@pytest.fixture
def post(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Post:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Post(tmp_path)


def signers(post: Post) -> None:
    """Let the key of a stranger sign in the name of the one that was there."""
    (own,) = {
        line.split(" ")[0] for line in (post.base / "robin" / "identity/allowed_signers").read_text().splitlines()
    }
    post.put("identity/allowed_signers", f'{own} namespaces="agentws" {post.stranger().public}\n'.encode())


def stranger_signs(post: Post, *, known: bool, token: bool) -> None:
    if known:
        signers(post)
    post.sign(post.stranger(), **({} if token else {"token": None}))


def half(post: Post) -> None:
    told = post.told()
    post.told(parcel=told["parcel"] | {"signature": ""})


def borrowed(post: Post) -> None:
    told = post.told()
    post.told(parcel=told["parcel"] | {"signature": told["token"]["signature"]})


HOSTILE: dict[str, tuple[Callable[[Post], Any], type[AgentwsError], str]] = {
    "it is unsigned": (lambda post: post.told(parcel=None), NeedsYouError, "The copy has no signature"),
    "its signature was taken away": (half, DamagedError, "differs from what was sent"),
    "its signature is for something else": (borrowed, DamagedError, "signature of the copy is invalid"),
    "its signature is nothing": (lambda post: post.told(parcel=[1]), DamagedError, "differs from what was sent"),
    "a stranger has signed it": (
        lambda post: stranger_signs(post, known=False, token=True), DamagedError, "does not list the key"
    ),
    "a stranger who has let himself in": (
        lambda post: stranger_signs(post, known=True, token=True), DamagedError,
        "the copy and its one-time token were signed with different keys",
    ),
    "a file was changed": (lambda post: post.put("SOUL.md", b"Obey."), DamagedError, "differs from what was sent"),
    "a file was added": (lambda post: post.put("x.md", b"Obey."), DamagedError, "differs from what was sent"),
    "a mode was changed": (
        lambda post: post.put("x.sh", b"", mode=0o4755), DamagedError, "differs from what was sent"
    ),
    "what a person agreed to was changed": (
        lambda post: post.told(soul={"digest": "0" * 64, "at": "x"}), DamagedError, "differs from what was sent"
    ),
    "the mode of the folder was changed": (
        lambda post: post.told(mode=0o777), DamagedError, "differs from what was sent"
    ),
    "another agent": (lambda post: post.told(agent="0" * 32), DamagedError, "differs from what was sent"),
}  # fmt: skip


def test_a_parcel_that_was_not_signed_as_it_is_is_refused_and_nothing_is_put_anywhere(post: Post) -> None:
    before = [*os.listdir(post.base), "stranger"]

    def check(name: str) -> None:
        change, error, words = HOSTILE[name]
        post.fresh()
        change(post)
        post.send()
        with pytest.raises(error, match=words):
            post.take()
        assert set(os.listdir(post.base)) <= set(before)

    table.holds(check, HOSTILE)
    post.fresh()
    post.send()
    assert post.take().signer == post.sent.signer


def test_a_submodule_in_the_place_of_a_file_is_no_content(post: Post) -> None:
    post.fresh()
    place = next((post.folder / "content").glob("*/*"))
    place.unlink()
    post._git("update-index", "--remove", "--add", "--cacheinfo", f"160000,{'1' * 40},{place.relative_to(post.folder)}")
    post._git("commit", "-q", "-m", "x")
    post._git("push", "-q", "-f", str(post.url), f"work:{post.ref}")

    with pytest.raises(DamagedError, match="does not match its digest"):
        post.take()


def test_a_parcel_that_a_stranger_has_made_from_scratch_has_another_code(post: Post) -> None:
    post.fresh()
    stranger_signs(post, known=True, token=False)
    post.send()

    with pytest.raises(DamagedError, match="has the code"):
        post.take(code=post.sent.code)

    planned = post.take(dry_run=True)
    assert planned.code != post.sent.code
    assert planned.signer not in ("", post.sent.signer)


def test_where_an_older_copy_stands_only_who_was_vouched_for_may_send_it_home(post: Post, tmp_path: Path) -> None:
    post.fresh()
    stranger_signs(post, known=True, token=False)
    post.send()

    with pytest.raises(NeedsYouError, match="signing key is not vouched for"):
        post.take("robin")
    assert post.take("robin", dry_run=True, code=post.take(dry_run=True).code).state == "planned"

    post.fresh()
    post.send()
    post.take()
    Workspace.open(str(tmp_path / "new"), environment=post.away).copies.migrate(str(post.url), via="git")
    home = doors.take(str(tmp_path / "robin"), str(post.url), environment=post.home)
    assert (home.state, bool(home.aside)) == ("arrived", True)
    assert home.signer not in ("", post.sent.signer)


def test_the_code_is_taken_as_people_type_it_and_what_is_none_is_said(post: Post) -> None:
    with pytest.raises(UsageError, match="not a code"):
        post.take(code="abc")
    with pytest.raises(DamagedError, match="has the code"):
        post.take(code="0000-0000")
    typed = post.sent.code.lower().replace("-", " ").replace("0", "o").replace("1", "l")

    assert post.take(code=typed).state == "arrived"


def test_one_that_nobody_has_signed_is_taken_when_a_person_says_so_and_is_not_called_verified(
    post: Post, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    post.fresh()
    post.told(parcel=None)
    post.send()
    monkeypatch.chdir(post.base)
    words = ["migrate", "new", "--from", str(post.url), "--yes"]

    assert main.run(words) == 3
    said = capsys.readouterr()
    assert main.run([*words, "--unsigned"]) == 0
    done = capsys.readouterr()

    assert "add --unsigned" in said.err
    assert "compared" in done.out
    assert "signed    no" in done.out
    assert "verified" not in done.out


def test_whatever_has_signed_it_nothing_that_runs_by_itself_is_put_in_place(post: Post) -> None:
    post.fresh()
    repositories = (".git", "part/.git", "bare.git", ".git/modules/sub", "part/.git/worktrees/w")
    for where in repositories:
        post.put(f"{where}/HEAD", b"ref: refs/heads/main\n")
        for name in ("objects/x", "refs/x", "commondir"):
            post.put(f"{where}/{name}", b"")
        post.put(f"{where}/config", EVIL)
        post.put(f"{where}/config.worktree", EVIL)
        post.put(f"{where}/hooks/pre-commit", b"#!/bin/sh\nevil\n", mode=0o755)
    post.put("bin/run", b"evil", mode=0o6777)
    post.put("open.md", b"open", mode=0o666)
    post.sign(post.key)
    post.send()

    done = post.take()

    root = post.base / "new"
    for where in repositories:
        assert (root / where / "config").read_bytes() == b"[core]\n\tbare = false\n"
        assert not (root / where / "hooks" / "pre-commit").exists()
        assert any(
            line.startswith(f"{where}/config: core.fsmonitor, core.hookspath, alias.st") for line in done.stripped
        )
        assert f"{where}/hooks/pre-commit: a hook of git" in done.stripped
    assert done.runs == ("bin/run",)
    modes = {path.lstat().st_mode & 0o7022 for path in root.rglob("*") if not path.is_symlink()}
    assert modes == {0}, "no mode lends rights or lets others write"
    assert (root / "bin/run").stat().st_mode & 0o777 == 0o755
    assert done.signer == post.sent.signer


def test_what_leaves_runs_nothing_by_itself_either_and_the_other_end_tells_who_sent_it(
    tmp_path: Path, post: Post, capsys: pytest.CaptureFixture[str]
) -> None:
    doors.take(str(tmp_path / "there"), str(post.url), environment=post.away)
    robin = Workspace.open(str(tmp_path / "there"), environment=post.away)
    robin.log("here now")
    git = tmp_path / "there" / ".git"
    subprocess.run(["git", "init", "-q", "--template=", str(tmp_path / "there")], check=True)
    (git / "config").write_bytes((git / "config").read_bytes() + EVIL)
    (git / "hooks").mkdir()
    (git / "hooks" / "pre-commit").write_text("evil")
    (tmp_path / "there" / "shared").mkdir(mode=0o2775)
    (tmp_path / "there" / "shared").chmod(0o2775)

    done = robin.copies.migrate(str(tmp_path / "again"))

    assert (done.state, done.left) == ("moved", ())
    assert [line.partition(":")[0] for line in done.stripped] == [".git/config", ".git/hooks/pre-commit"]
    assert b"evil" not in (tmp_path / "again" / ".git" / "config").read_bytes()
    assert os.listdir(tmp_path / "again" / ".git" / "hooks") == []
    assert (tmp_path / "again" / "shared").stat().st_mode & 0o7777 == 0o755
    shown = Workspace.open(str(tmp_path / "again"), environment=post.away).identity.show().arrived
    assert (shown.signer, shown.code) == (done.signer, done.code)
    assert done.signer not in ("", post.sent.signer), "it is signed by the writer that sends it"


def test_without_a_key_it_says_that_it_is_not_signed(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "is_possible", lambda: False)
    robin = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    robin.log("a line")

    done = robin.copies.migrate(str(tmp_path / "there"))

    assert (done.signer, len(done.code)) == ("", 9)
    assert "Sent unsigned: this installation has no key" in " ".join(done.notices)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))
