"""Past states in git: by plumbing, hermetic, and never in the way of what a person does in the same repository."""

from __future__ import annotations

import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import spawn
from agentws.core.disk.cache import Cache
from agentws.core.states import plumbing, repository
from agentws.core.states.git_history import GitHistory
from agentws.errors import AgentwsError, OutsideProgramError
from tests.core.states.past_states import content, past, states

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

AT = datetime(2026, 1, 2, 7, 30, 15, tzinfo=timezone(timedelta(hours=-3, minutes=-30)))
REF = "refs/agentws/auto"
HERE = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the tester's own git settings."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture(autouse=True)
def argvs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """Every git command of the test, each checked against the allow-list (P13)."""
    seen: list[list[str]] = []
    run = spawn.run

    def watched(command: list[str], **keywords: Any) -> Any:
        seen.append(list(command))
        return run(command, **keywords)

    monkeypatch.setattr(spawn, "run", watched)
    yield seen
    assert {word_of(argv) for argv in seen} <= set(plumbing.ALLOWED)


def word_of(argv: list[str]) -> str:
    """The command in `env -u X git -c y=z --git-dir=… command …`."""
    rest = argv[argv.index("git") + 1 :]
    while rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-c", "-C") else rest[1:]
    return rest[0]


def sh(root: Path, *words: str, ok: bool = True, **keywords: Any) -> str:
    """What a person's own git says; `user.name` is set for that person alone."""
    argv = ["git", "-c", "user.name=Person", "-c", "user.email=p@example.org", "-C", str(root), *words]
    done = subprocess.run(argv, capture_output=True, check=False, **keywords)
    assert not ok or done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def keeper(root: Path, git_dir: str, mode: str, **keywords: Any) -> GitHistory:
    scratch = root / ".agentws"
    scratch.mkdir(exist_ok=True)
    return GitHistory(
        root=str(root),
        git_dir=git_dir,
        mode=mode,
        ref=REF,
        author=("Ada", "ada@example.org"),
        scratch=str(scratch),
        **keywords,
    )


def write(root: Path, documents: Mapping[str, bytes]) -> None:
    for path, data in documents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / ".agentws").mkdir()
    (folder / ".agentws" / ".gitignore").write_text("*\n")
    return folder


@pytest.fixture
def branch(root: Path) -> GitHistory:
    return keeper(root, plumbing.create(str(root)), "branch")


@pytest.fixture
def own(root: Path) -> GitHistory:
    """A person's repository with a commit, in which we keep a ref of our own."""
    sh(root.parent, "init", "-q", "-b", "trunk", str(root))
    write(root, {"theirs.txt": b"theirs\n"})
    sh(root, "add", "theirs.txt")
    sh(root, "commit", "-q", "-m", "theirs")
    return keeper(root, str(root / ".git"), "ref")


def record(
    history: GitHistory, root: Path, documents: Mapping[str, bytes], message: str = "auto", at: datetime = AT
) -> str | None:
    write(root, documents)
    return history.record(documents, message=message, at=at)


# What a state is


def test_a_new_repository_has_no_hooks_and_no_commit(root: Path) -> None:
    git_dir = plumbing.create(str(root), branch="life")

    assert git_dir == str(root / ".git") == repository.find(str(root))
    assert not (root / ".git" / "hooks").exists()
    assert sh(root, "symbolic-ref", "HEAD") == "refs/heads/life\n"
    assert sorted(os.listdir(root)) == [".agentws", ".git"]


def test_a_repository_that_is_there_is_not_made_again(root: Path) -> None:
    (root / ".git").symlink_to(root.parent / "elsewhere")

    with pytest.raises(OutsideProgramError):
        plumbing.create(str(root))
    assert os.listdir(root.parent / "agent") == [".agentws", ".git"] or (root / ".git").is_symlink()


def test_the_git_of_this_machine_is_usable() -> None:
    assert plumbing.available()


def test_without_git_there_is_none_available(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setenv("PATH", str(root))

    assert not plumbing.available()
    with pytest.raises(OutsideProgramError):
        plumbing.create(str(root))


def test_a_state_carries_author_time_and_offset(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"MEMORY.md": b"x\n"}, "Kept: a day")

    shown = sh(root, "log", "-1", "--format=%an|%ae|%ad|%cn|%ce|%cd|%B", "--date=iso")

    when = "2026-01-02 07:30:15 -0330"
    assert shown == f"Ada|ada@example.org|{when}|Ada|ada@example.org|{when}|Kept: a day\n\n"


@pytest.mark.parametrize("year", [2038, 2106, 9998])
def test_far_years_survive(branch: GitHistory, root: Path, year: int) -> None:
    at = datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)

    kept = record(branch, root, {"MEMORY.md": b"x\n"}, "late", at)

    assert branch.newest() == (kept, at, "late")


AWKWARD = {
    "-x.md": b"dash\n",
    "with space.md": b"space\n",
    "quo\"te's.md": b"quotes\n",
    "uni/ünï–日本.md": b"unicode\n",
    "back\\slash.md": b"backslash\n",
    "new\nline.md": b"newline\n",
    "tab\there.md": b"tab\n",
    "glob*[a].md": b"glob\n",
    ":(top)x.md": b"magic\n",
    "raw\udcff.md": b"not utf-8\n",
    "empty.md": b"",
    "binary.md": b"\x00\xff\r\n",
}


@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_awkward_names_are_only_names(root: Path, mode: str) -> None:
    history = keeper(root, plumbing.create(str(root)), mode)

    kept = record(history, root, AWKWARD)

    assert kept
    assert {path: content(history, path, at=kept) for path in AWKWARD} == AWKWARD
    listed = subprocess.run(
        ["git", "-C", root, "ls-tree", "-r", "-z", "--name-only", kept], capture_output=True, check=True
    )
    assert sorted(listed.stdout.split(b"\0")[:-1]) == sorted(os.fsencode(path) for path in AWKWARD)
    if mode == "branch":
        assert sh(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("path", ["../out.md", "/abs.md", "a/../b.md", ".git/config", "a//b.md", "", "a/.GIT/b.md"])
def test_a_path_that_git_cannot_keep_is_said_and_nothing_moves(branch: GitHistory, path: str) -> None:
    with pytest.raises(AgentwsError):
        branch.record({path: b"x"}, message="m", at=AT)
    assert branch.newest() is None


@pytest.mark.parametrize("count", [1, 32, 33, 500])
@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_a_first_record_of_many_files_is_sound(root: Path, mode: str, count: int) -> None:
    history = keeper(root, plumbing.create(str(root)), mode)
    documents = {f"memory/{n % 7}/{n}.md": b"- %d\n" % n * (n * 7) for n in range(count)}
    documents["same-a.md"] = documents["same-b.md"] = b"the same\n"

    kept = record(history, root, documents)

    assert kept
    sh(root, "fsck", "--full", "--strict")
    assert {path: sh(root, "cat-file", "blob", f"{kept}:{path}").encode() for path in list(documents)[:40]} == dict(
        list(documents.items())[:40]
    )


@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_sha256_repositories(root: Path, mode: str) -> None:
    sh(root.parent, "init", "-q", "-b", "main", "--object-format=sha256", str(root))
    history = keeper(root, str(root / ".git"), mode)

    first = record(history, root, {"MEMORY.md": b"1\n", **{f"{n}.md": b"%d" % n for n in range(40)}})
    second = record(history, root, {"MEMORY.md": b"2\n"})

    assert first
    assert second
    assert len(second) == 64
    assert content(history, "MEMORY.md", at=first) == b"1\n"
    assert content(history, "1.md", at=second) is None
    sh(root, "fsck", "--full", "--strict")


def test_an_unchanged_state_asks_git_nothing(branch: GitHistory, root: Path, argvs: list[list[str]]) -> None:
    record(branch, root, {"MEMORY.md": b"x\n"})
    argvs.clear()

    assert record(branch, root, {"MEMORY.md": b"x\n"}) is None
    assert argvs == []


def test_a_file_becomes_a_folder_and_back(branch: GitHistory, root: Path) -> None:
    branch.record({"tasks": b"list\n"}, message="m", at=AT)
    folder = branch.record({"tasks/a.md": b"a\n"}, message="m", at=AT)
    back = branch.record({"tasks": b"list\n"}, message="m", at=AT)

    assert folder
    assert back
    assert content(branch, "tasks/a.md", at=folder) == b"a\n"
    assert content(branch, "tasks", at=back) == b"list\n"
    assert sh(root, "ls-files") == "tasks\n"


def test_a_workspace_below_the_top_keeps_its_own_paths(own: GitHistory, root: Path) -> None:
    below = root / "bots" / "ada"
    below.mkdir(parents=True)
    git_dir = repository.find(str(below))
    assert git_dir == str(root / ".git")
    history = keeper(below, git_dir, "ref")

    kept = record(history, below, {"MEMORY.md": b"x\n"})

    assert kept
    assert sh(root, "ls-tree", "-r", "--name-only", kept) == "MEMORY.md\n"


# A person works in the same repository


def frozen(root: Path) -> tuple[bytes, bytes, str, str]:
    head = (root / ".git" / "HEAD").read_bytes()
    return (
        head,
        (root / ".git" / "index").read_bytes(),
        sh(root, "rev-parse", "HEAD"),
        sh(root, "status", "--porcelain"),
    )


def test_with_a_ref_nothing_of_the_persons_moves(own: GitHistory, root: Path) -> None:
    write(root, {"staged.md": b"staged\n", "MEMORY.md": b"staged too\n", "theirs.txt": b"edited\n"})
    sh(root, "add", "staged.md", "MEMORY.md")
    write(root, {"MEMORY.md": b"work tree\n"})
    sh(root, "status")
    before = frozen(root)

    first = own.record({"MEMORY.md": b"work tree\n"}, message="auto", at=AT)
    second = own.record({"MEMORY.md": b"more\n"}, message="auto", at=AT)

    assert first
    assert second
    assert frozen(root) == before
    assert sh(root, "rev-parse", REF, f"{REF}^") == f"{second}\n{first}\n"


def test_on_the_branch_what_is_staged_elsewhere_stays_staged(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"MEMORY.md": b"1\n"})
    write(root, {"notes.txt": b"theirs\n"})
    sh(root, "add", "notes.txt")

    record(branch, root, {"MEMORY.md": b"2\n"})

    assert sh(root, "status", "--porcelain") == "A  notes.txt\n"
    sh(root, "commit", "-q", "-m", "by hand")
    assert sh(root, "show", "HEAD:MEMORY.md") == "2\n"


def test_a_commit_by_hand_after_ours_reverts_nothing(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"MEMORY.md": b"1\n", "old.md": b"old\n"})
    (root / "old.md").unlink()
    record(branch, root, {"MEMORY.md": b"2\n", "new.md": b"new\n"})

    sh(root, "commit", "-q", "--allow-empty", "-m", "by hand")

    assert sh(root, "ls-tree", "-r", "--name-only", "HEAD") == "MEMORY.md\nnew.md\n"
    assert sh(root, "show", "HEAD:MEMORY.md") == "2\n"
    assert sh(root, "status", "--porcelain") == ""


def test_what_is_staged_with_content_of_its_own_stays_and_is_caught_up_later(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"MEMORY.md": b"1\n"})
    write(root, {"MEMORY.md": b"by hand\n"})
    sh(root, "add", "MEMORY.md")

    record(branch, root, {"MEMORY.md": b"by hand\nagent\n"})

    assert sh(root, "show", ":MEMORY.md") == "by hand\n"
    assert sh(root, "show", "HEAD:MEMORY.md") == "by hand\nagent\n"
    sh(root, "commit", "-q", "-m", "by hand")
    record(branch, root, {"MEMORY.md": b"by hand\nagent\n"})
    assert sh(root, "show", "HEAD:MEMORY.md") == "by hand\nagent\n"
    assert sh(root, "status", "--porcelain") == ""


def test_a_removal_that_a_person_staged_stays_staged(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"MEMORY.md": b"1\n"})
    sh(root, "rm", "-q", "--cached", "MEMORY.md")

    record(branch, root, {"MEMORY.md": b"2\n"})

    assert sh(root, "ls-files") == ""


def test_files_that_are_not_ours_stay_in_the_tree(root: Path) -> None:
    history = keeper(root, plumbing.create(str(root)), "branch", owns=lambda path: path.endswith(".md"))
    record(history, root, {"MEMORY.md": b"1\n", "gone.md": b"x\n"})
    write(root, {"tool.sh": b"#!/bin/sh\n"})
    (root / "tool.sh").chmod(0o755)
    (root / "link").symlink_to("tool.sh")
    sh(root, "add", "tool.sh", "link")
    sh(root, "commit", "-q", "-m", "by hand")
    (root / "gone.md").unlink()

    kept = record(history, root, {"MEMORY.md": b"2\n"})

    assert kept
    assert sh(root, "ls-tree", "-r", kept).split()[0::4] == ["100644", "120000", "100755"]
    assert content(history, "tool.sh", at=kept) == b"#!/bin/sh\n"
    assert content(history, "link", at=kept) is None
    assert sh(root, "status", "--porcelain") == ""


def test_a_document_that_a_person_made_executable_stays_so(branch: GitHistory, root: Path) -> None:
    record(branch, root, {"run.md": b"1\n"})
    (root / "run.md").chmod(0o755)
    sh(root, "commit", "-q", "-a", "-m", "by hand")

    kept = record(branch, root, {"run.md": b"2\n"})

    assert kept
    assert sh(root, "ls-tree", kept).startswith("100755")
    assert sh(root, "status", "--porcelain") == ""


def test_on_no_branch_nothing_moves(branch: GitHistory, root: Path) -> None:
    first = record(branch, root, {"MEMORY.md": b"1\n"})
    sh(root, "checkout", "-q", "--detach")

    with pytest.raises(OutsideProgramError) as raised:
        record(branch, root, {"MEMORY.md": b"2\n"})

    assert raised.value.hint
    assert sh(root, "rev-parse", "HEAD", "main").split() == [first, first]
    assert states(branch, 5)[0][0] == first


def test_in_the_middle_of_a_merge_nothing_moves(branch: GitHistory, root: Path) -> None:
    first = record(branch, root, {"MEMORY.md": b"1\n"})
    sh(root, "checkout", "-q", "-b", "side")
    write(root, {"MEMORY.md": b"side\n"})
    sh(root, "commit", "-q", "-a", "-m", "side")
    sh(root, "checkout", "-q", "main")
    second = record(branch, root, {"MEMORY.md": b"2\n"})
    sh(root, "merge", "-q", "side", ok=False)
    index = (root / ".git" / "index").read_bytes()

    with pytest.raises(OutsideProgramError, match="MERGE_HEAD") as raised:
        branch.record({"MEMORY.md": b"3\n"}, message="m", at=AT)

    assert raised.value.hint
    assert sh(root, "rev-parse", "HEAD", "HEAD^").split() == [second, first]
    assert (root / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_a_lock_is_named_with_its_age_and_nothing_moves(branch: GitHistory, root: Path, lock: str) -> None:
    first = record(branch, root, {"MEMORY.md": b"1\n"})
    place = root / ".git" / lock
    place.touch()
    os.utime(place, (time.time() - 7260, time.time() - 7260))
    index = (root / ".git" / "index").read_bytes()

    with pytest.raises(OutsideProgramError) as raised:
        record(branch, root, {"MEMORY.md": b"2\n"})

    assert str(place) in raised.value.message
    assert "for 2 hours" in raised.value.message
    assert raised.value.hint
    assert "remove" in raised.value.hint
    assert place.exists()
    assert sh(root, "rev-parse", "HEAD").strip() == first
    if lock == "index.lock":
        assert (root / ".git" / "index").read_bytes() == index
    place.unlink()
    assert record(branch, root, {"MEMORY.md": b"2\n"})
    assert sh(root, "status", "--porcelain") == ""


def test_a_lock_held_for_a_moment_is_waited_for(branch: GitHistory, root: Path) -> None:
    lock = root / ".git" / "index.lock"
    with subprocess.Popen(["sh", "-c", 'touch "$0"; echo; sleep 0.2; rm "$0"', lock], stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        assert record(branch, root, {"MEMORY.md": b"1\n"})


# Crashes and races


@pytest.mark.parametrize("died_before", ["update-ref"])
def test_after_a_crash_before_the_ref_moved_our_own_staging_is_known_as_ours(
    branch: GitHistory, root: Path, monkeypatch: pytest.MonkeyPatch, died_before: str
) -> None:
    record(branch, root, {"MEMORY.md": b"1\n", "USER.md": b"1\n"})
    raw = branch._raw

    def dying(word: str, *arguments: str, **keywords: Any) -> Any:
        if word == died_before:
            raise KeyboardInterrupt
        return raw(word, *arguments, **keywords)

    monkeypatch.setattr(branch, "_raw", dying)
    with pytest.raises(KeyboardInterrupt):
        record(branch, root, {"MEMORY.md": b"2\n", "USER.md": b"2\n"})
    monkeypatch.undo()

    record(branch, root, {"MEMORY.md": b"3\n", "USER.md": b"1\n"})

    assert sh(root, "status", "--porcelain") == ""
    assert sh(root, "show", "HEAD:MEMORY.md") == "3\n"
    assert os.listdir(root / ".agentws") == [".gitignore"]


RECORDER = """
import sys
sys.path.insert(0, sys.argv[1])
from datetime import datetime, timezone
from agentws.core.states import git_history as git
root, mode, name, times = sys.argv[2:6]
history = git.GitHistory(root=root, git_dir=root + "/.git", mode=mode, ref="refs/agentws/auto",
                         author=("Ada", "a@x"), scratch=root + "/.agentws")
sys.stdin.readline()
for n in range(int(times)):
    print(history.record({"MEMORY.md": f"{name} {n}".encode()}, message=name,
                         at=datetime(2026, 1, 1, tzinfo=timezone.utc)), flush=True)
"""


def recorder(root: Path, mode: str, name: str, times: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", textwrap.dedent(RECORDER), str(HERE), str(root), mode, name, str(times)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


@pytest.mark.parametrize(("mode", "racers"), [("ref", 40), ("branch", 8)])
def test_racing_recorders_lose_no_state(root: Path, mode: str, racers: int) -> None:
    history = keeper(root, plumbing.create(str(root)), mode)
    running = [recorder(root, mode, str(number), 1) for number in range(racers)]
    for process in running:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()

    ids = [process.communicate()[0].decode().strip() for process in running]

    assert [process.returncode for process in running] == [0] * racers
    assert sorted(oid for oid, _, _ in states(history, 1000)) == sorted(ids)
    if mode == "branch":
        content = sh(root, "show", "HEAD:MEMORY.md")
        assert sh(root, "show", ":MEMORY.md") == content


def test_killed_at_any_moment_every_state_told_of_is_kept(root: Path) -> None:
    history = keeper(root, plumbing.create(str(root)), "ref")
    told: list[str] = []
    for delay in (0.02, 0.05, 0.08, 0.11, 0.14, 0.17):
        with recorder(root, "ref", str(delay), 1000) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(b"\n")
            process.stdin.flush()
            told.append(process.stdout.readline().decode().strip())
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGKILL)
            told += process.stdout.read().decode().split()
        # Killed in the middle of update-ref, git leaves this lock, and a person is told so (the test above).
        (root / ".git" / f"{REF}.lock").unlink(missing_ok=True)

    assert record(history, root, {"MEMORY.md": b"after\n"})
    assert {oid for oid in told if len(oid) == 40} <= {oid for oid, _, _ in states(history, 10000)}
    sh(root, "fsck", "--strict")


# Hostile repositories


def canary(tmp_path: Path, name: str, then: str = "cat") -> str:
    """A command that leaves a trace when it is run."""
    (tmp_path / "canaries").mkdir(exist_ok=True)
    script = tmp_path / f"run-{name}"
    script.write_text(f"#!/bin/sh\n: > '{tmp_path}/canaries/{name}'\n{then}\n")
    script.chmod(0o755)
    return str(script)


def sung(tmp_path: Path) -> list[str]:
    return sorted(os.listdir(tmp_path / "canaries"))


def settings(tmp_path: Path, prefix: str) -> str:
    def run(name: str) -> str:
        return canary(tmp_path, f"{prefix}-{name}")

    return f"""
[core]
    fsmonitor = {run("fsmonitor")}
    hooksPath = {tmp_path}/hooks
    sshCommand = {run("ssh")}
    pager = {run("pager")}
    editor = {run("editor")}
    askPass = {run("askpass")}
    alternateRefsCommand = {run("alternates")}
    attributesFile = {tmp_path}/attributes
    splitIndex = true
    untrackedCache = true
    logAllRefUpdates = always
[filter "evil"]
    clean = {run("clean")}
    smudge = {run("smudge")}
    process = {run("process")}
    required = true
[diff "evil"]
    textconv = {run("textconv")}
    command = {run("diff")}
[diff]
    external = {run("external")}
[merge "evil"]
    driver = {run("merge")}
[gpg]
    program = {run("gpg")}
[commit]
    gpgSign = true
[log]
    showSignature = true
[alias]
    cat-file = !{run("alias-cat")}
    update-index = !{run("alias-update")}
[credential]
    helper = !{run("credential")}
[sequence]
    editor = {run("sequence")}
[uploadpack]
    packObjectsHook = {run("packobjects")}
[trace2]
    eventTarget = {tmp_path}/canaries/{prefix}-trace2
[receive]
    procReceiveRefs = refs
[maintenance]
    auto = true
[gc]
    auto = 1
"""


HOOKS = (
    "pre-commit commit-msg prepare-commit-msg post-commit post-index-change reference-transaction "
    "post-checkout pre-auto-gc fsmonitor-watchman post-rewrite update post-update"
)


@pytest.fixture
def hostile(root: Path, tmp_path: Path) -> Path:
    """A repository, a home and attributes that try to run something at every opportunity."""
    (tmp_path / "hooks").mkdir()
    sh(root.parent, "init", "-q", "-b", "main", str(root))
    for hook in HOOKS.split():
        for folder in (tmp_path / "hooks", root / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            shutil.copy(canary(tmp_path, f"hook-{hook}"), folder / hook)
    (tmp_path / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
    (tmp_path / "included").write_text(settings(tmp_path, "included"))
    (tmp_path / "home" / ".gitconfig").write_text(settings(tmp_path, "home"))
    write(root, {".gitattributes": b"* filter=evil diff=evil merge=evil text eol=crlf ident\n"})
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    with open(root / ".git" / "config", "a") as config:
        config.write(settings(tmp_path, "repository"))
        config.write(f"[include]\n    path = {tmp_path}/included\n")
        config.write(f"[core]\n    worktree = {tmp_path}/victim\n    bare = true\n")
    (tmp_path / "victim").mkdir()
    return root


@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_a_hostile_repository_runs_nothing(hostile: Path, tmp_path: Path, mode: str) -> None:
    history = keeper(hostile, str(hostile / ".git"), mode)

    first = record(history, hostile, {"MEMORY.md": b"$Id$ 1\n", **{f"{n}.md": b"%d\n" % n for n in range(40)}})
    second = record(history, hostile, {"MEMORY.md": b"$Id$ 2\n", ".gitattributes": b"* filter=evil\n"})

    assert first
    assert second
    assert content(history, "MEMORY.md", at=first) == b"$Id$ 1\n"
    assert [oid for oid, _, _ in states(history, 9)] == [second, first]
    assert history.newest() == (second, AT, "auto")
    assert repository.find(str(hostile)) == str(hostile / ".git")
    assert sung(tmp_path) == []
    assert os.listdir(tmp_path / "victim") == []
    assert not [name for name in os.listdir(hostile / ".git") if name.startswith("sharedindex")]


def test_the_canaries_do_sing_for_others(hostile: Path, tmp_path: Path) -> None:
    write(hostile, {"MEMORY.md": b"x\n"})

    sh(hostile, "--work-tree=.", "add", "MEMORY.md", ok=False)
    sh(hostile, "--work-tree=.", "status", ok=False)

    assert {name.partition("-")[2] for name in sung(tmp_path)} >= {"fsmonitor", "process"}


def test_a_hostile_home_runs_nothing_in_a_new_repository(hostile: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        settings(tmp_path, "home") + f"[init]\n    templateDir = {tmp_path}/hooks\n    defaultBranch = evil\n"
    )

    history = keeper(new, plumbing.create(str(new)), "branch")

    assert record(history, new, {"MEMORY.md": b"x\n"})
    assert not (new / ".git" / "pre-commit").exists()
    assert sung(tmp_path) == []


def test_the_callers_git_variables_do_not_leak(
    branch: GitHistory, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = canary(tmp_path, "environment")
    sh(tmp_path, "init", "-q", str(tmp_path / "other"))
    other = tmp_path / "other" / ".git"
    before = sorted(str(path) for path in other.rglob("*"))
    leaks = {
        "GIT_DIR": str(other),
        "GIT_COMMON_DIR": str(other),
        "GIT_WORK_TREE": str(tmp_path / "other"),
        "GIT_INDEX_FILE": str(other / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(other / "objects"),
        "GIT_NAMESPACE": "other",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": evil,
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{evil}'",
        "GIT_CONFIG_GLOBAL": str(other / "config"),
        "GIT_CONFIG": str(other / "config"),
        "GIT_SSH_COMMAND": evil,
        "GIT_EXTERNAL_DIFF": evil,
        "GIT_PAGER": evil,
        "GIT_EDITOR": evil,
        "GIT_ASKPASS": evil,
        "GIT_PROXY_COMMAND": evil,
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_TEMPLATE_DIR": str(tmp_path / "other"),
        "GIT_TRACE": str(tmp_path / "canaries" / "trace"),
        "GIT_TRACE2_EVENT": str(tmp_path / "canaries" / "trace2"),
        "GIT_TRACE_SETUP": str(tmp_path / "canaries" / "setup"),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_AUTHOR_NAME": "Mallory",
        "GIT_COMMITTER_DATE": "@1 +0000",
        "GIT_ALLOW_PROTOCOL": "ext",
        "GIT_QUARANTINE_PATH": str(tmp_path),
    }
    with monkeypatch.context() as patch:
        for name, value in leaks.items():
            patch.setenv(name, value)
        kept = record(branch, root, {"MEMORY.md": b"x\n"})
        assert branch.newest() == (kept, AT, "auto")
        new = tmp_path / "new"
        new.mkdir()
        plumbing.create(str(new))
        assert plumbing.available()

    assert sung(tmp_path) == []
    assert sorted(str(path) for path in other.rglob("*")) == before
    assert sh(root, "log", "-1", "--format=%an %H").strip() == f"Ada {kept}"
    assert sh(new, "rev-parse", "--show-object-format") == "sha1\n"


def test_a_missing_object_is_not_fetched_by_a_command_of_the_repositorys(
    root: Path, tmp_path: Path, own: GitHistory
) -> None:
    kept = record(own, root, {"MEMORY.md": b"promised\n"})
    oid = sh(root, "rev-parse", f"{REF}:MEMORY.md").strip()
    for pack in (root / ".git" / "objects" / "pack").iterdir():
        pack.rename(tmp_path / f"out{pack.suffix}")
    with open(tmp_path / "out.pack") as packed:
        sh(root, "unpack-objects", "-q", stdin=packed)
    (root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    evil = canary(tmp_path, "remote", "exit 1")
    with open(root / ".git" / "config", "a") as config:
        config.write(
            "[core]\n    repositoryformatversion = 1\n[extensions]\n    partialClone = evil\n"
            f'[remote "evil"]\n    url = ext::{evil}\n    promisor = true\n    partialclonefilter = blob:none\n'
            '[protocol "ext"]\n    allow = always\n[protocol]\n    allow = always\n'
        )

    assert kept
    assert past(own).present([oid]) == set()
    record(own, root, {"MEMORY.md": b"next\n"})

    assert sung(tmp_path) == []
    sh(root, "cat-file", "blob", oid, ok=False)
    assert sung(tmp_path) == ["remote"], "the trap was set"


def test_a_config_that_never_ends_is_given_up(
    branch: GitHistory, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "endless")
    with open(root / ".git" / "config", "a") as config:
        config.write(f"[include]\n    path = {tmp_path}/endless\n")
    monkeypatch.setattr(plumbing, "_TIMEOUT_S", 0.2)

    with pytest.raises(OutsideProgramError, match="did not finish"):
        branch.record({"MEMORY.md": b"x"}, message="m", at=AT)


def test_states_can_be_read_where_nothing_can_be_written(branch: GitHistory, root: Path) -> None:
    kept = record(branch, root, {"MEMORY.md": b"1\n"})
    assert kept
    shutil.rmtree(root / ".agentws")

    assert branch.newest() == (kept, AT, "auto")
    assert content(branch, "MEMORY.md", at=kept[:8]) == b"1\n"


@pytest.mark.parametrize(
    "place", ["index", "logs/HEAD", "logs/refs/heads/main", "refs/heads", "objects/aa", "objects/pack"]
)
def test_git_writes_through_no_link(branch: GitHistory, root: Path, tmp_path: Path, place: str) -> None:
    record(branch, root, {"MEMORY.md": b"1\n"})
    outside, inside = tmp_path / "outside", root / ".git" / place
    if inside.exists():
        inside.rename(outside)
    else:
        outside.mkdir()
    inside.symlink_to(outside)
    before = outside.read_bytes() if outside.is_file() else sorted(outside.rglob("*"))

    with pytest.raises(OutsideProgramError, match=place):
        record(branch, root, {"MEMORY.md": b"2\n"})

    assert (outside.read_bytes() if outside.is_file() else sorted(outside.rglob("*"))) == before


def test_a_symbolic_ref_in_place_of_ours_does_not_move_the_branch(own: GitHistory, root: Path) -> None:
    trunk = sh(root, "rev-parse", "trunk")
    sh(root, "symbolic-ref", REF, "refs/heads/trunk")

    kept = record(own, root, {"MEMORY.md": b"1\n"})

    assert sh(root, "rev-parse", "trunk") == trunk
    assert sh(root, "rev-parse", REF).strip() == kept


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a repository to another owner")
@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_a_repository_of_another_owner_works(root: Path, mode: str) -> None:
    history = keeper(root, plumbing.create(str(root)), mode)
    for place in (root, *root.rglob("*")):
        os.chown(place, 12345, 12345)
    assert (
        "dubious" in subprocess.run(["git", "-C", root, "status"], capture_output=True, text=True, check=False).stderr
    )

    assert repository.find(str(root)) == str(root / ".git")
    assert record(history, root, {"MEMORY.md": b"1\n"})


# Finding


def test_the_repository_is_found_from_below_and_through_a_linked_folder(own: GitHistory, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    link = root.parent / "link"
    link.symlink_to(root / "a" / "b")

    assert repository.find(str(root / "a" / "b")) == str(root / ".git")
    assert repository.find(str(link)) == str(root / ".git")


def test_where_there_is_none_none_is_found(root: Path) -> None:
    (root / ".git").mkdir()

    assert repository.find(str(root)) is None
    assert repository.find(str(root / "absent")) is None


def test_a_bare_repository_that_merely_lies_there_is_not_found(root: Path) -> None:
    sh(root.parent, "init", "-q", "--bare", str(root))

    assert repository.find(str(root)) is None
    assert repository.find(str(root / "refs")) is None


@pytest.mark.parametrize("kind", ["link", "fifo", "nonsense", "elsewhere", "commondir"])
def test_a_crooked_git_entry_leads_nowhere(tmp_path: Path, root: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    sh(tmp_path, "init", "-q", str(victim))
    sh(tmp_path, "init", "-q", str(tmp_path / "spare"))
    place = root / ".git"
    if kind == "link":
        place.symlink_to(victim / ".git")
    elif kind == "fifo":
        os.mkfifo(place)
    elif kind == "nonsense":
        place.write_bytes(b"\xff\x00")
    elif kind == "elsewhere":
        place.write_text(f"gitdir: {victim}/.git\n")
    else:
        (tmp_path / "spare" / ".git").rename(place)
        (place / "commondir").write_text(f"{victim}/.git\n")

    assert repository.find(str(root)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a repository to another owner")
def test_a_strangers_repository_above_is_not_given_our_documents(tmp_path: Path, root: Path) -> None:
    sh(tmp_path, "init", "-q", str(tmp_path))
    assert repository.find(str(root)) == str(tmp_path / ".git")
    os.chown(tmp_path / ".git", 12345, 12345)

    assert repository.find(str(root)) is None


def test_a_linked_worktree_keeps_states(own: GitHistory, root: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    sh(root, "worktree", "add", "-q", "-b", "side", str(tree))
    git_dir = repository.find(str(tree))
    assert git_dir == str(root / ".git" / "worktrees" / "tree")

    kept = record(keeper(tree, git_dir, "branch", owns=lambda path: path.endswith(".md")), tree, {"MEMORY.md": b"1\n"})

    assert sh(root, "rev-parse", "side").strip() == kept
    assert sh(root, "status", "--porcelain") == ""
    assert sh(tree, "status", "--porcelain") in ("", "?? .agentws/\n")


def test_a_submodule_keeps_states_of_its_own(own: GitHistory, root: Path, tmp_path: Path) -> None:
    part = tmp_path / "part"
    sh(tmp_path, "init", "-q", str(part))
    sh(part, "commit", "-q", "--allow-empty", "-m", "part")
    sh(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "part")
    git_dir = repository.find(str(root / "part"))
    assert git_dir == str(root / ".git" / "modules" / "part")

    kept = record(keeper(root / "part", git_dir, "ref"), root / "part", {"MEMORY.md": b"1\n"})

    assert sh(root / "part", "rev-parse", REF).strip() == kept


# The allow-list


@pytest.mark.parametrize(
    "word", ["reset", "clean", "checkout", "stash", "push", "gc", "rebase", "-c", "config", "commit"]
)
def test_a_command_that_is_not_on_the_list_is_not_run(root: Path, argvs: list[list[str]], word: str) -> None:
    with pytest.raises(ValueError, match="not a git command"):
        plumbing.run(word, cwd=str(root))
    assert argvs == []


def test_git_is_started_in_one_place_and_in_another_for_what_is_far() -> None:
    names = [
        (path.name, node.attr)
        for path in (*Path(plumbing.__file__).parent.glob("*.py"), Path(spawn.__file__))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"Popen", "system", "Repo", "posix_spawnp", "execute"}
    ]

    assert sorted(names) == [("remote.py", "execute"), ("spawn.py", "posix_spawnp")]


# What a state costs


@pytest.fixture
def remembering(root: Path, tmp_path: Path) -> GitHistory:
    """A history on the branch that remembers what its newest state holds."""
    return keeper(root, plumbing.create(str(root)), "branch", cache=Cache(str(tmp_path / "cache"), str(root)))


def test_a_further_state_takes_four_commands_of_git(
    remembering: GitHistory, root: Path, tmp_path: Path, argvs: list[list[str]]
) -> None:
    first = record(remembering, root, {"MEMORY.md": b"1\n", "memory/2026/a.md": b"a\n"})
    later = keeper(root, str(root / ".git"), "branch", cache=Cache(str(tmp_path / "cache"), str(root)))
    argvs.clear()

    second = record(later, root, {"MEMORY.md": b"2\n", "memory/2026/a.md": b"a\n"})

    assert [word_of(argv) for argv in argvs] == ["index-pack", "ls-files", "update-index", "update-ref"]
    assert sh(root, "rev-list", "HEAD").split() == [second, first]
    sh(root, "fsck", "--full", "--strict")
    assert sh(root, "status", "--porcelain") == ""


def test_what_is_remembered_of_another_state_is_not_relied_on(
    remembering: GitHistory, root: Path, tmp_path: Path
) -> None:
    record(remembering, root, {"MEMORY.md": b"1\n"})
    write(root, {"theirs.txt": b"theirs\n"})
    sh(root, "add", "theirs.txt")
    sh(root, "commit", "-q", "-m", "theirs")
    later = keeper(
        root, str(root / ".git"), "branch", owns=lambda path: path.endswith(".md"),
        cache=Cache(str(tmp_path / "cache"), str(root)),
    )  # fmt: skip

    record(later, root, {"MEMORY.md": b"2\n"})

    assert sh(root, "ls-tree", "-r", "--name-only", "HEAD").split() == ["MEMORY.md", "theirs.txt"]


def test_many_states_are_few_packs_and_no_loose_object(remembering: GitHistory, root: Path) -> None:
    kept = [record(remembering, root, {"MEMORY.md": b"%d\n" % n, f"memory/{n}.md": b"x\n" * n}) for n in range(90)]

    assert len(list((root / ".git" / "objects" / "pack").glob("*.pack"))) <= 42
    assert {each.name for each in (root / ".git" / "objects").iterdir()} == {"info", "pack"}
    assert sh(root, "rev-list", "--reverse", "HEAD").split() == kept
    sh(root, "fsck", "--full", "--strict")


@pytest.mark.parametrize("seed", range(6))
def test_trees_are_those_that_git_would_write(remembering: GitHistory, root: Path, seed: int) -> None:
    names = ["a", "a/b.md", "a.md", "a-b/c.md", "a/b/c.md", "é/ü.md", "a0", "z/y/x/w.md", "z/y.md"]
    drawn = random.Random(seed)
    for n in range(12):
        chosen = {path: b"%d\n" % drawn.randrange(3) for path in drawn.sample(names, drawn.randrange(1, len(names)))}
        wanted = {path: data for path, data in chosen.items() if not any(one.startswith(f"{path}/") for one in chosen)}
        remembering.record(wanted, message=str(n), at=AT)
        told = sh(root, "ls-tree", "-r", "-z", "--name-only", "HEAD") if wanted else ""
        assert sorted(told.split("\0")[:-1]) == sorted(wanted)
        index = {**os.environ, "GIT_INDEX_FILE": str(root / "index")}
        sh(root, "read-tree", "HEAD", env=index)
        assert sh(root, "write-tree", env=index) == sh(root, "rev-parse", "HEAD^{tree}")
    sh(root, "fsck", "--full", "--strict")
