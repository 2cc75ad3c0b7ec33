"""Running git: plumbing commands that execute nothing from the repository, in a clean environment (P13, P14).

Git is started directly (spawn.py), since GitPython takes long to load (docs/adr/0022); remote.py contacts others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from agentws.core.disk import files as _files, spawn
from agentws.core.formats.git import objects
from agentws.errors import OutsideProgramError

Ask = Callable[..., bytes]
"""Returns the output of a git command in one repository: `ask(word, *arguments, stdin=...)`."""


ALLOWED = (
    "cat-file", "diff-tree", "index-pack", "init", "ls-files", "ls-tree", "merge-base", "repack", "rev-list",
    "rev-parse", "symbolic-ref", "update-index", "update-ref", "version",
)  # fmt: skip
"""The git commands that may run on a workspace's repository: none discards work, rewrites history or contacts another
machine (P13).
"""
_SETTINGS = (
    "safe.bareRepository=explicit", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.fsync=all",
    "core.commitGraph=false", "core.untrackedCache=keep", "core.splitIndex=false", "core.filesRefLockTimeout=1000",
    "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false", "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8", "pack.writeReverseIndex=false", "protocol.allow=never",
    "repack.updateServerInfo=false", "repack.writeBitmaps=false", "core.packedGitWindowSize=8m",
    "core.packedGitLimit=32m",
)  # fmt: skip
_ENVIRONMENT = {
    # Before 2.32 git knows no GIT_CONFIG_GLOBAL; a home that cannot exist hides ~/.gitconfig from it too.
    "HOME": "/dev/null",
    "XDG_CONFIG_HOME": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # A partial clone fetches what it misses, with any command its config names. Unlike `protocol.allow`, this
    # list cannot be overruled by the repository's config (`protocol.ext.allow`).
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
_TIMEOUT_S = 120.0
"""A config that includes a FIFO would hang git for ever."""
OURS = ("--object-format=sha1",)
"""Options of `git init` for the private repositories: git may have another default one day."""
_HINTS = (
    "Install git, or continue without history.",
    "Re-run the command. If git hangs again, check the disk, and run: git fsck",
)
_ASIDE = ".git-new-"
_READ_AT_ONCE, _READ_AT_ONCE_BYTES = 1000, 8 << 20


def run(
    word: str, *arguments: str, cwd: str, git_dir: str = "", env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> tuple[int, bytes, str]:
    """Return exit status, output and error text of one git command, started in the hermetic environment."""
    argv, mine = hermetic(word, *arguments, cwd=cwd, git_dir=git_dir)
    return start(word, argv, {**mine, **(env or {})}, stdin=stdin, timeout_s=_TIMEOUT_S, hints=_HINTS)


def start(
    word: str, argv: list[str], env: Mapping[str, str], *, timeout_s: float, hints: tuple[str, str], stdin: bytes = b""
) -> tuple[int, bytes, str]:
    """Return exit status, output and error text of a command line that runs git.

    OutsideProgramError, with one of the `hints`, if git is missing or takes too long.
    """
    try:
        status, out, text = spawn.run(argv, env=env, stdin=stdin, timeout_s=timeout_s)
    except FileNotFoundError as error:
        raise OutsideProgramError("git was not found on PATH.", hint=hints[0]) from error
    except TimeoutError as error:
        raise OutsideProgramError(f"git {word} did not finish within {timeout_s:g} s.", hint=hints[1]) from error
    except OSError as error:
        raise OutsideProgramError(
            f"git could not be started: {error}.", hint="Check the installation of git."
        ) from error
    return status, out, text.decode("utf-8", "replace")


def hermetic(word: str, *arguments: str, cwd: str, git_dir: str = "") -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment for one git command."""
    if word not in ALLOWED:
        raise ValueError(f"git {word} is not a git command that agentws runs")
    # The environment is read here, and not by the command line, because it is about what leaks to a child.
    mine = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # noqa: TID251
    argv = ["git", *(["-C", cwd] if os.path.isdir(cwd) else []), *words(_SETTINGS, cwd, git_dir), word, *arguments]
    return argv, {**mine, **_ENVIRONMENT}


def words(settings: tuple[str, ...], cwd: str, git_dir: str) -> list[str]:
    """Return the arguments before the command. The work tree is a private folder: no command may touch the
    documents.
    """
    words = ["--no-pager", *(each for setting in settings for each in ("-c", setting))]
    return [*words, f"--git-dir={git_dir}", f"--work-tree={cwd}"] if git_dir else words


def available() -> bool:
    """Return whether a new enough git (2.30) is installed."""
    try:
        _, out, _ = run("version", cwd=os.sep)
    except OutsideProgramError:
        return False
    major, _, rest = out.removeprefix(b"git version ").partition(b".")
    minor = rest.partition(b".")[0].strip()
    return major.isdigit() and minor.isdigit() and (int(major), int(minor)) >= (2, 30)


def ask(
    word: str, *arguments: str, cwd: str, git_dir: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> bytes:
    """Return the output of an allowed git command; OutsideProgramError if it fails."""
    return check(word, run(word, *arguments, cwd=cwd, git_dir=git_dir, env=env, stdin=stdin))


def sizes(ask: Ask, names: Sequence[str]) -> list[tuple[str, int]]:
    """Return (id, size) of the blob that each name leads to (an id, or `STATE:PATH`); an empty id for any other."""
    if not names:
        return []
    lines = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
    blobs = []
    for line in ask("cat-file", "--batch-check", stdin=lines).split(b"\n")[: len(names)]:
        words = line.decode("utf-8", "replace").split(" ")
        is_blob = len(words) == 3 and words[1] == "blob" and words[2].isdigit()
        blobs.append((words[0], int(words[2])) if is_blob else ("", 0))
    return blobs


def contents(ask: Ask, blobs: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    """Yield id and content of these blobs, given as (id → size); few are in memory at once."""
    batch: list[str] = []
    size = 0
    for oid, size_bytes in blobs.items():
        if batch and (len(batch) == _READ_AT_ONCE or size + size_bytes > _READ_AT_ONCE_BYTES):
            yield from _blobs(ask, batch)
            batch, size = [], 0
        batch.append(oid)
        size += size_bytes
    if batch:
        yield from _blobs(ask, batch)


def _blobs(ask: Ask, oids: Sequence[str]) -> Iterable[tuple[str, bytes]]:
    return objects.blobs(ask("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())).items()


def create(root: str, *, branch: str = "main", options: tuple[str, ...] = ()) -> str:
    """Create a repository in `root`, without hooks or commits; returns its `.git` folder. `options`: of `git init`."""
    import shutil
    import tempfile

    git_dir = os.path.join(root, ".git")
    if os.path.lexists(git_dir):
        raise OutsideProgramError(
            f"{git_dir} already exists.", hint="Check this file or folder; agentws did not change it."
        )
    with os.scandir(root) as entries:  # what a killed call left
        for left in [each.path for each in entries if each.name.startswith(_ASIDE)]:
            shutil.rmtree(left, ignore_errors=True)
    # Made aside and moved into place: git never finds a half-made repository.
    with _files.Failing(git_dir), tempfile.TemporaryDirectory(prefix=_ASIDE, dir=root) as aside:
        words = ("--quiet", *options, "--template=", f"--initial-branch={branch}", "--", aside)
        check("init", run("init", *words, cwd=aside))
        os.rename(os.path.join(aside, ".git"), git_dir)
    return git_dir


def create_bare(place: str) -> None:
    """Create a repository for objects of agentws, without a work tree, hooks or commits, in an empty or new folder."""
    words = ("--quiet", *OURS, "--bare", "--template=", "--initial-branch=main", "--", place)
    check("init", run("init", *words, cwd=os.path.dirname(place)))


def check(word: str, result: tuple[int, bytes, str]) -> bytes:
    """Return the output of a finished command; OutsideProgramError, in git's words, if it failed."""
    status, out, text = result
    if status:
        raise OutsideProgramError(f"git {word} failed: {text.strip()[:500] or f'status {status}'}")
    return out
