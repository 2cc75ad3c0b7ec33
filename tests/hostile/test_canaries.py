"""P14: a hostile workspace runs no code and reaches nothing outside its root."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.hostile import worlds

VERBS = (
    ("init", "--dry-run"),
    ("init",),
    ("init",),
    ("boot",),
    ("boot", "--json"),
    ("boot", "--explain"),
    ("boot", "--audience", "shared"),
    ("boot", "--now", "yesterday"),
    ("status",),
    ("status", "--json"),
    ("log", "a line", "--tag", "x", "--task", "t"),
    ("todo", "call tom", "--due", "tomorrow"),
    ("todo",),
    ("done", "call", "tom"),
    ("context", "list"),
    ("context", "new", "blog", "--file", "SOUL.md"),
    ("context", "show", "blog"),
    ("context", "use", "blog"),
    ("boot",),
    ("context", "use", "--none"),
    ("undo", "--dry-run"),
    ("undo",),
    ("undo",),
    ("search", "a line"),
    ("search", "$(touch x)"),
    ("sql", "SELECT content FROM memories"),
    ("index", "rebuild"),
    ("watch", "--once"),
    ("backup", "create", "../stick"),
    ("backup", "list"),
    ("backup", "verify"),
    ("backup", "restore", "../stick", "../back"),
    ("drill",),
    ("status",),
)


def _git(*arguments: str, cwd: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always", *arguments],
        cwd=cwd, check=True, capture_output=True, env={**worlds.surroundings(), "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A workspace full of canaries: each one that is run makes a file in `fired/` beside the workspace."""
    fired, outside = tmp_path / "fired", tmp_path / "outside"
    fired.mkdir()
    worlds.make(outside, {"file.md": b"outside\n", "folder/x.md": b"outside\n"}, usual=False)
    root = worlds.make(tmp_path / "w")
    (root / "agentws.toml").unlink()

    def canary(name: str) -> str:
        path = tmp_path / f"canary-{name}"
        path.write_text(f'#!/bin/sh\ntouch "{fired}/{name}"\ncat\n')
        path.chmod(0o755)
        return str(path)

    _git("init", "-q", "-b", "main", cwd=root)
    _git("add", "SOUL.md", cwd=root)
    _git("commit", "-q", "-m", "first", cwd=root)
    settings = {
        "core.fsmonitor": "fsmonitor", "core.sshCommand": "ssh", "core.editor": "editor", "core.pager": "pager",
        "core.askPass": "askpass", "core.gitProxy": "proxy", "core.alternateRefsCommand": "alternates",
        "credential.helper": "credential", "diff.external": "diff", "diff.evil.textconv": "textconv",
        "diff.evil.command": "diffcommand", "filter.evil.clean": "clean", "filter.evil.smudge": "smudge",
        "filter.evil.process": "process", "merge.evil.driver": "merge", "gpg.program": "gpg",
        "gpg.ssh.program": "gpgssh", "sequence.editor": "sequence", "uploadpack.packObjectsHook": "upload",
        "alias.status": "!alias", "pager.log": "pagerlog", "interactive.diffFilter": "interactive",
        "trailer.x.command": "trailer", "web.browser": "browser", "mailmap.blob": "HEAD:x", "init.templateDir": "",
    }  # fmt: skip
    for key, name in settings.items():
        shell = name.startswith("!")
        _git("config", key, ("!" if shell else "") + canary(name.lstrip("!") or "none"), cwd=root)
    for key, value in (("filter.evil.required", "true"), ("commit.gpgSign", "true"), ("core.hooksPath", "hooks")):
        _git("config", key, value, cwd=root)
    included = tmp_path / "included"
    included.write_text(f"[core]\n\tfsmonitor = {canary('include')}\n")
    _git("config", "include.path", str(included), cwd=root)
    for folder in (root / "hooks", root / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change",
                     "pre-auto-gc", "post-checkout", "prepare-commit-msg", "fsmonitor-watchman"):  # fmt: skip
            shutil.copy(canary(f"hook-{folder.parent.name}-{hook}"), folder / hook)
    attributes = b"* filter=evil diff=evil merge=evil text=auto ident\n"
    worlds.make(root, {".gitattributes": attributes, "memory/.gitattributes": attributes}, usual=False)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_bytes(attributes)
    bare = root / "docs"
    _git("init", "-q", "--bare", str(bare), cwd=root)
    _git("config", "core.fsmonitor", canary("bare"), cwd=bare)
    inner = worlds.make(root / "memory" / "inner", {"x.md": b"# X\n"}, usual=False)
    _git("init", "-q", cwd=inner)
    _git("config", "core.fsmonitor", canary("inner"), cwd=inner)
    worlds.make(root, {".gitmodules": b'[submodule "s"]\n path = s\n url = ext::sh -c touch% x\n update = !touch x\n'},
                usual=False)  # fmt: skip

    python = (
        f"open({str(fired)!r} + '/python-' + __name__, 'w')\nraise SystemExit('a file of the workspace was imported')\n"
    )
    for module in ("typer", "yaml", "sitecustomize", "usercustomize", "rich", "frontmatter", "git", "tomllib", "json",
                   "agentws", "zoneinfo", "tzdata", "uuid", "conftest", "pip"):  # fmt: skip
        (root / f"{module}.py").write_text(python)
    (root / "templates" / "default").mkdir(parents=True)
    (root / "templates" / "default" / "evil.md").symlink_to(outside / "file.md")
    (root / "evil.pth").write_text(f"import os; os.mkdir({str(fired / 'pth')!r})\n")
    (root / ".env").write_text(f"AGENTWS_WORKSPACE={outside}\nPYTHONSTARTUP=typer.py\n")
    (root / "pyproject.toml").write_text("[tool.agentws]\nsummarizer = 'touch x'\n")
    (root / ".agentws").mkdir()
    worlds.make(
        root,
        {
            ".agentws/config.toml": f"summarizer = '{canary('config')}'\n".encode(),
            "SOUL.md": b"---\nhook: !!python/object/apply:os.system ['touch x']\n---\n# Soul\n$(touch x) `touch x`\n",
            "tasks/t.md": f"---\nstatus: active\ncommand: {canary('task')}\nrun: !!python/name:os\n---\n".encode(),
            "tasks/$(touch x).md": b"---\nstatus: active\n---\n" + b"long line\n" * 2000,
            "memory/2026-11-19-`touch x`;touch x.md": b"- long line\n" * 2000,
            "-rf.md": b"# dash\n",
        },
        usual=False,
    )
    (root / "IDENTITY.md").symlink_to(outside / "file.md")
    (root / "handoffs").symlink_to(outside / "folder")
    (root / "approvals").symlink_to("/")
    os.mkfifo(root / "memory" / "2026-11-18.md")
    os.mkfifo(root / ".git" / "FETCH_HEAD")
    if os.geteuid() == 0:
        os.mknod(root / "HEARTBEAT.md", 0o20666, os.makedev(1, 9))
    return root


def test_no_verb_runs_anything_of_the_workspace_or_writes_outside(tmp_path: Path, trap: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        print("LOUD: no strace here: only the canaries were watched, not the system calls", file=sys.stderr)
    outside, trace = worlds.state(tmp_path / "outside"), tmp_path / "trace"
    ran_programs: set[str] = set()
    for number, verb in enumerate(VERBS):
        calls = ("-e", "trace=execve,open,openat,creat,connect")
        watch = (strace, "-f", "--seccomp-bpf", "-y", "-qq", "-s", "4096", *calls, "-o", str(trace)) if strace else ()
        ran = worlds.run(*verb, cwd=trap, program=(*watch, worlds.AGENTWS))

        assert ran.code in (0, 1, 3), (verb, ran)
        assert b"outside\n" not in ran.out, (verb, ran)
        assert list((tmp_path / "fired").iterdir()) == [], (number, verb)
        if strace:
            ran_programs |= _check(trace.read_text(errors="replace"), trap, verb)

    assert worlds.state(tmp_path / "outside") == outside
    assert not (trap / "x").exists()
    usual = {"agentws", "env", "git", "python", "python3", "python3.11", "sh", "ssh-keygen", Path(sys.executable).name}
    assert ran_programs <= usual, ran_programs


REMEMBERED_BY_ALL = (".manifest.", ".zone", ".history.", ".documents.")
"""Beginnings of the files that any verb may leave in the cache folder, while they are written; boot and watch
may leave more."""


FROM_ROOT = r'''execve("/bin/sh", ["/bin/sh", "-c", "cd / && exec \"$0\" \"$@\""'''
"""All that a shell is asked for: to start ssh-keygen outside of the present folder."""


def _check(trace: str, root: Path, verb: tuple[str, ...]) -> set[str]:
    """The names of the programs run; only the root, the cache, what is named and /dev/null may have been written to."""
    programs = set()
    named = [word.removeprefix("../") for word in verb if word.startswith("../")]
    places = tuple(f"{root.parent}/{place}" for name in named for place in (name, f".{name}.incoming-"))
    for line in trace.splitlines():
        if started := re.search(r'execve\("([^"]+)".*= 0$', line):
            assert not started[1].startswith((str(root), f"{root.parent}/canary")), (verb, line)
            programs.add(Path(started[1]).name)
            assert not started[1].endswith("/sh") or FROM_ROOT in line, (verb, line)
        assert "connect(" not in line or "AF_INET" not in line, (verb, line)
        found = re.search(r'openat?\((?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"([^"]*)", ([A-Z_|]+).*= \d', line)
        if found and re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", found[3]):
            target = os.path.normpath(os.path.join(found[1] or str(root), found[2]))
            temporary = "O_TMPFILE" in found[3]
            harmless = target.startswith(("/dev/null", "/dev/tty", "/proc/")) or "__pycache__" in target or temporary
            in_cache = target.startswith(f"{os.environ['HOME']}/.cache/agentws/")
            harmless |= in_cache and (
                verb[0] in ("boot", "watch", "search", "sql", "index")
                or os.path.basename(target).startswith(REMEMBERED_BY_ALL)
            )
            # Where a restored copy came from is known to this installation, in its own state, and not in the copy.
            state = re.escape(f"{os.environ['HOME']}/.local/state/agentws/")
            harmless |= verb[:2] == ("backup", "restore") and bool(
                re.fullmatch(rf"{state}[0-9a-f]{{40}}/\.backups\.agentws-new", target)
            )
            harmless |= target.startswith(places) or (
                verb == ("drill",) and target.startswith(f"{tempfile.gettempdir()}/")
            )
            assert harmless or target.startswith(str(root)), (verb, line)
    return programs


def test_the_canaries_sing_when_git_is_run_as_people_run_it(tmp_path: Path, trap: Path) -> None:
    subprocess.run(["git", "add", "MEMORY.md"], cwd=trap, capture_output=True, check=False, env=worlds.surroundings())
    subprocess.run(["git", "diff"], cwd=trap, capture_output=True, check=False, env=worlds.surroundings())

    assert len(list((tmp_path / "fired").iterdir())) >= 2


def test_the_console_script_imports_nothing_from_the_present_folder(tmp_path: Path, trap: Path) -> None:
    ran = worlds.run("boot", cwd=trap)

    assert ran.code == 0, ran
    assert list((tmp_path / "fired").iterdir()) == []


def test_python_dash_m_is_pythons_own_affair_unless_it_is_made_safe(tmp_path: Path, trap: Path) -> None:
    # `python -m` puts the present folder on sys.path before any code of ours can run; -P (or PYTHONSAFEPATH) does not.
    unsafe = worlds.run("boot", cwd=trap, program=(sys.executable, "-m", "agentws"))
    fired = list((tmp_path / "fired").iterdir())
    for path in fired:
        path.unlink()
    safe = worlds.run("boot", cwd=trap, program=(sys.executable, "-P", "-m", "agentws"))

    assert fired, unsafe
    assert safe.code == 0, safe
    assert list((tmp_path / "fired").iterdir()) == []


def test_a_suggested_command_is_safe_to_run_whatever_a_file_is_called(tmp_path: Path) -> None:
    names = ["$(touch fired)", "`touch fired`", "a;touch fired", "a b", "a'$(touch fired)'b", 'a"b', "-rf"]
    files = {f"notes/{name}.md": b"- long line\n" * 500 for name in names}
    pinned = json.dumps(list(files)).encode()
    root = worlds.make(tmp_path / "w", {"agentws.toml": worlds.MANIFEST + b"[boot]\npinned = " + pinned, **files})

    booted = worlds.run("boot", "--json", "--budget", "1000", cwd=root).json

    commands = [left["read_with"] for left in booted["omitted"] if left["source"].startswith("notes/")]
    assert len(commands) == len(names)
    for command in commands:
        done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, check=False)
        assert (done.returncode, done.stdout[-12:]) == (0, b"- long line\n"), (command, done)
    assert not (root / "fired").exists()
