"""Past states of the documents, kept in git by plumbing that executes nothing of the repository's (P13, P14).

Why not `git commit`: it runs hooks and filters, and killed in the middle it leaves an `index.lock` behind that
stops every later commit. Here a state is built beside the user's index, and one compare-and-swap of a ref makes it
visible. No acknowledgement rests on git: what is acked was durable in the documents before.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
import time

from agentws.errors import OutsideProgramError, TooLargeError, UsageError
from agentws.formats.git import gitwire
from agentws.storage.disk import files as _files
from agentws.storage.git import repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from typing import BinaryIO

    from agentws.formats.git.gitwire import Entry

ALLOWED = (
    "cat-file", "commit-tree", "index-pack", "init", "ls-files", "ls-tree", "rev-list", "rev-parse",
    "symbolic-ref", "unpack-objects", "update-index", "update-ref", "version", "write-tree",
)  # fmt: skip
"""Every git command that is run on a workspace's repository: none discards work, rewrites history or speaks to another
machine (P13)."""
REMOTE = ("fetch", "ls-remote", "push")
"""Those that speak to another machine: run in a private repository alone, with the user's own settings."""

_SETTINGS = (
    "safe.bareRepository=explicit", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.fsync=all",
    "core.commitGraph=false", "core.untrackedCache=keep", "core.splitIndex=false", "core.filesRefLockTimeout=1000",
    "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false", "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8", "protocol.allow=never",
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
_REMOTE_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "push.gpgSign=false",
    "push.recurseSubmodules=no", "fetch.recurseSubmodules=no", "fetch.fsckObjects=true", "fetch.writeCommitGraph=false",
    "http.lowSpeedLimit=1000", "http.lowSpeedTime=60",
)  # fmt: skip
_SSH_OPTIONS = ("BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=15", "ServerAliveInterval=5")
"""No questions, and no host key that is not known is ever accepted."""
_THEIRS = ("GIT_ASKPASS", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_PROTOCOLS = "file:ssh:https"
_TIMEOUT_S = 120.0
"""A config that includes a FIFO would hang git for ever."""
_REMOTE_TIMEOUT_S = 6 * 3600.0
_LARGEST_READ_BYTES = 64 << 20
_LOOSE = 32
"""From here on new blobs go into one pack."""
_PIPED_BYTES = 4096
"""What every pipe takes, whether anybody reads yet or not."""
_RACES = 100
"""A lost race means that somebody else's state was kept: losing this often needs that many of them."""
_INDEX = ("-z", "--replace", "--index-info")
_INTENT = "index-intent"
_PRIVATE = "git-"
_ASIDE = ".git-new-"


def _run(
    word: str, *arguments: str, cwd: str, git_dir: str = "", env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> tuple[int, bytes, str]:
    """Exit status, output and error text of one git command, run in the hermetic environment."""
    if word not in ALLOWED:
        raise ValueError(f"git {word} is not among the commands that agentws runs")
    return _execute(
        word, arguments, _SETTINGS, {**_ENVIRONMENT, **(env or {})}, cwd=cwd, git_dir=git_dir, stdin=stdin,
        timeout_s=_TIMEOUT_S,
    )  # fmt: skip


def _execute(
    word: str, arguments: tuple[str, ...], settings: tuple[str, ...], env: Mapping[str, str], *, cwd: str,
    timeout_s: float, git_dir: str = "", stdin: bytes = b"", keep: tuple[str, ...] = (),
) -> tuple[int, bytes, str]:  # fmt: skip
    """Run git with these settings and nothing of the caller's `GIT_*` but what `keep` names."""
    try:
        from git.cmd import Git
        from git.exc import GitCommandNotFound
    except ImportError as error:
        raise OutsideProgramError("git is not here.", hint="Install git, or go on without history.") from error
    # GitPython hands its own environment to the child and knows no way to unset a variable; `env -u` does.
    # The environment is read here, and not by the command line, because it is about what leaks to a child.
    inherited = [name for name in os.environ if name.startswith("GIT_") and name not in (*env, *keep)]  # noqa: TID251
    argv = ["env", *(each for name in inherited for each in ("-u", name))] if inherited else []
    argv += [Git.GIT_PYTHON_GIT_EXECUTABLE or "git", "--no-pager"]
    argv += [each for setting in settings for each in ("-c", setting)]
    # The work tree is our own folder: nothing that is run here has any business with the documents on disk.
    argv += [f"--git-dir={git_dir}", f"--work-tree={cwd}"] if git_dir else []
    argv += [word, *arguments]
    with contextlib.ExitStack() as stack:
        source = None
        if 0 < len(stdin) <= _PIPED_BYTES:  # so that whoever only reads needs no place to write to
            source = stack.enter_context(_piped(stdin))
        elif stdin:
            source = stack.enter_context(tempfile.TemporaryFile(dir=cwd))
            source.write(stdin)
            source.seek(0)
        try:
            status, out, text = Git(cwd).execute(
                argv, source, with_extended_output=True, with_exceptions=False, stdout_as_string=False,
                strip_newline_in_stdout=False, shell=False, kill_after_timeout=timeout_s, env=env,
            )  # fmt: skip
        except (OSError, GitCommandNotFound) as error:
            raise OutsideProgramError(f"git could not be run: {error}.", hint="Check the installation.") from error
    if status and text.startswith("Timeout:"):
        raise OutsideProgramError(f"git {word} did not finish within {timeout_s:g} s.")
    return status, out, text


def _piped(data: bytes) -> BinaryIO:
    """A file to read `data` from, which never was on a disk."""
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
    finally:
        os.close(writing)
    return os.fdopen(reading, "rb")


def available() -> bool:
    """Whether there is a git here that is new enough (2.30)."""
    try:
        _, out, _ = _run("version", cwd=os.sep)
    except OutsideProgramError:
        return False
    found = re.match(rb"git version (\d+)\.(\d+)", out)
    return found is not None and (int(found[1]), int(found[2])) >= (2, 30)


def ask(
    word: str, *arguments: str, cwd: str, git_dir: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> bytes:
    """What one of the commands that are allowed says of a repository; OutsideProgramError where it fails."""
    return _check(word, _run(word, *arguments, cwd=cwd, git_dir=git_dir, env=env, stdin=stdin))


def remote(word: str, *arguments: str, cwd: str, git_dir: str) -> bytes:
    """What another machine's repository answers to a private one of ours at `git_dir`, in which nobody else writes.

    Credentials, keys and the settings of ssh are the user's own; no question is asked, no unknown host key accepted,
    and nothing but a folder, ssh and https is spoken to. OutsideProgramError where it fails, in git's words.
    """
    if word not in REMOTE:
        raise ValueError(f"git {word} does not speak to another machine")
    env = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_SSH_COMMAND": _ssh(),
    }
    return _check(
        word,
        _execute(
            word, arguments, _REMOTE_SETTINGS, env, cwd=cwd, git_dir=git_dir, keep=_THEIRS, timeout_s=_REMOTE_TIMEOUT_S
        ),
    )


def _ssh() -> str:
    """The ssh that the user has set up for git, with what we insist on before anything that it says itself."""
    named = os.environ.get("GIT_SSH")  # noqa: TID251 - what git itself would be given
    told = os.environ.get("GIT_SSH_COMMAND") or (shlex.quote(named) if named else "ssh")  # noqa: TID251
    program, *rest = shlex.split(told) or ["ssh"]
    return shlex.join([program, *(each for option in _SSH_OPTIONS for each in ("-o", option)), *rest])


def create(root: str, *, branch: str = "main") -> str:
    """The `.git` folder of a new repository in `root`, without hooks; nothing is committed yet."""
    git_dir = os.path.join(root, ".git")
    if os.path.lexists(git_dir):
        raise OutsideProgramError(f"{git_dir} is there already.", hint="Look at what it is; agentws left it alone.")
    with os.scandir(root) as found:  # what a killed call left
        for left in [each.path for each in found if each.name.startswith(_ASIDE)]:
            shutil.rmtree(left, ignore_errors=True)
    # Made aside and moved into place: a half-made repository never stands where git would find it.
    try:
        with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=root) as aside:
            words = ("--quiet", "--template=", f"--initial-branch={branch}", "--", aside)
            _check("init", _run("init", *words, cwd=aside))
            os.rename(os.path.join(aside, ".git"), git_dir)
    except OSError as error:
        raise _files.failure(error, git_dir) from error
    return git_dir


class GitHistory:
    """A History in git: on the branch that HEAD names (`mode="branch"`), or on a ref of its own (`mode="ref"`).

    In a repository that we made, states go to the branch, and the index follows for exactly the paths that changed.
    A path that is staged with content of its own, or is in conflict, stays staged as it is: the next commit made by
    hand then differs from our state there, visibly, and the next record brings the work tree's content back.
    With `ref`, HEAD, branch, index and work tree are never touched.

    `owns` tells which paths of an earlier state are ours to remove when they are gone; others stay in the tree.
    `scratch` is a folder of ours for private files; what a killed process leaves there does no harm.
    """

    def __init__(
        self, *, root: str, git_dir: str, mode: str, ref: str, author: tuple[str, str], scratch: str,
        owns: Callable[[str], bool] = lambda path: True,
    ) -> None:  # fmt: skip
        if mode not in ("branch", "ref"):
            raise ValueError(f"mode {mode!r} is neither branch nor ref")
        self.kind = mode
        self._root, self._git_dir = root, git_dir
        self._ref, self._author, self._scratch, self._owns = ref, author, scratch, owns
        self._algorithm = ""
        self._listed: tuple[str, dict[str, Entry]] = ("", {})

    def ids(self) -> dict[str, str]:
        """The id of the content of each path in the newest state; none where there is no state yet."""
        tip = self.tip()
        return {path: oid for path, (_, oid) in self._entries(tip).items()} if tip else {}

    def record(
        self, files: Mapping[str, bytes], *, message: str, at: datetime, known: Mapping[str, str] | None = None
    ) -> str | None:
        """Keep a state of the documents and return its id; None where nothing differs from the newest one.

        `known` are further documents, by ids that `ids` gave: what they hold is in the repository already.
        Raises OutsideProgramError where git fails or somebody is in the middle of something; nothing has moved then.
        """
        for path in (*files, *(known or ())):
            _files.names_of(path)
        who = self._identity(at)
        text = message.replace("\0", "").encode(errors="replace") + b"\n"
        wanted = {**(known or {}), **{path: self.blob_id(data) for path, data in files.items()}}
        for attempt in range(_RACES):
            try:
                commit, moved = self._add(files, wanted, text, who)
            except OSError as error:
                raise _files.failure(error, self._scratch) from error
            if moved:
                return commit
            time.sleep(0.005 * min(attempt, 20))
        raise OutsideProgramError("Others kept state after state.", hint="Run again later; nothing has moved.")

    def tip(self) -> str | None:
        """The id of the newest state, whoever made it; None where there is none yet."""
        return self._tip(self._target(writing=False))

    def newest(self) -> tuple[str, datetime, str] | None:
        """Id, time and message of the newest state: the tip, whoever made it."""
        return next(iter(self.log(limit=1)), None)

    def log(self, *, limit: int) -> list[tuple[str, datetime, str]]:
        """Id, time and message of the newest `limit` states, newest first."""
        tip = self.tip() if limit > 0 else None
        if tip is None:
            return []
        # `git log` may run gpg or a pager if the config says so; `rev-list` runs nothing for these fields.
        words = ("--first-parent", f"--max-count={limit}", "--date=raw", "--format=%cd%n%B%x00", tip)
        return [gitwire.state(text) for text in self._git("rev-list", *words).split(b"\0\n")[:-1]]

    def read(self, path: str, *, at: str) -> bytes | None:
        """The content of `path` in the state `at` (an id or the beginning of one); None where it has no such file."""
        commit = None
        if re.fullmatch(r"[0-9a-f]{4,64}", at):
            status, out, _ = self._raw("rev-parse", "--verify", "--quiet", f"{at}^{{commit}}")
            commit = out.decode().strip() if not status else None
        if not commit:
            raise UsageError(f"There is no state {at!r}.", hint="Ask for the log, which shows the ids.")
        mode, oid = self._entries(commit).get(path, ("", ""))
        # A symbolic link or a submodule is no document.
        if not mode.startswith("100"):
            return None
        size = int(self._git("cat-file", "-s", oid))
        if size > _LARGEST_READ_BYTES:
            raise TooLargeError(
                f"{path} has {size >> 20} MiB in that state; at most {_LARGEST_READ_BYTES >> 20} are read."
            )
        return self._git("cat-file", "blob", oid)

    # Building a state

    def _add(
        self, files: Mapping[str, bytes], wanted: Mapping[str, str], text: bytes, who: Mapping[str, str]
    ) -> tuple[str | None, bool]:
        """The id of the state (None where nothing changed), and whether the ref is there now."""
        ref = self._target()
        tip = self._tip(ref)
        parent = self._entries(tip) if tip else {}
        changes = self._changes(parent, wanted)
        if not changes:
            return None, True
        repository.refuse_links(self._git_dir, ref)
        if self.kind == "branch":
            repository.wait_for(f"{self._git_dir}/index.lock", scratch=self._scratch)
        with self._private() as (folder, began):
            self._store({oid: files[path] for path, (_, oid) in changes.items() if path in files})
            tree = self._tree({**parent, **changes}, f"{folder}/index")
            parents = ("-p", tip) if tip else ()
            commit = self._text("commit-tree", *parents, tree, env=who, stdin=text)
            if self.kind == "branch" and not self._refresh_index(changes, parent):
                return None, False
            moved = self._move(ref, commit, tip, who)
            if moved:
                repository.sync(self._git_dir, ref, since=began)
        return commit, moved

    def _changes(self, parent: Mapping[str, Entry], wanted: Mapping[str, str]) -> dict[str, Entry]:
        changes = {}
        for path, oid in wanted.items():
            old_mode, old_oid = parent.get(path, ("", ""))
            # A person may have made a document executable; that is theirs to decide.
            mode = old_mode if old_mode.startswith("100") else "100644"
            if (mode, oid) != (old_mode, old_oid):
                changes[path] = (mode, oid)
        gone = (path for path in parent if path not in wanted and self._owns(path))
        return {**dict.fromkeys(gone, self._absent()), **changes}

    def _store(self, blobs: Mapping[str, bytes]) -> None:
        """Put blobs into the repository by their content alone: no path, no filter, no link is ever looked at.

        They travel as a pack, whose digest git checks. Measured with 3,650 documents, everything fsynced:
        `hash-object -w --stdin` takes a process for each, 8 s; `--stdin-paths` over private copies and
        `unpack-objects` take a file and an fsync for each, 2 to 5 s; `index-pack` keeps the pack as it is, 0.3 s.
        A few blobs become loose objects, so that a record a minute does not leave a pack a minute.
        """
        if blobs:
            pack = gitwire.pack(blobs.values(), self._format())
            self._git(*(("unpack-objects", "-q") if len(blobs) <= _LOOSE else ("index-pack", "--stdin")), stdin=pack)

    def _tree(self, entries: Mapping[str, Entry], index: str) -> str:
        env = {"GIT_INDEX_FILE": index}
        result = self._raw("update-index", *_INDEX, env=env, stdin=gitwire.entry_lines(entries))
        self._checked("update-index", result)
        # git leaves such a path out and calls that a success.
        if left_out := re.search("^Ignoring path (.*)$", result[2], re.MULTILINE):
            raise OutsideProgramError(
                f"git keeps no file of this name: {left_out[1]}.", hint="Rename it. Nothing has moved."
            )
        return self._text("write-tree", env=env)

    def _refresh_index(self, changes: Mapping[str, Entry], parent: Mapping[str, Entry]) -> bool:
        """Let the user's index follow, before the ref moves: else the next commit by hand would revert ours.

        False where somebody locked it meanwhile. What we are about to stage is noted first, so that after a crash it
        is not taken for the user's.
        """
        repository.wait_for(f"{self._git_dir}/index.lock", scratch=self._scratch)
        note = os.path.join(self._scratch, _INTENT)
        ours: dict[str, Entry] = {}
        with contextlib.suppress(FileNotFoundError), open(note, "rb") as source:
            ours = gitwire.entries(source.read(), oid_at=1)
        absent = self._absent()
        staged: dict[str, Entry] = {}
        for line in self._git("ls-files", "-s", "-z").split(b"\0")[:-1]:
            fields, _, path = line.decode(errors="surrogateescape").partition("\t")
            mode, oid, stage = fields.split(" ")
            staged[path] = (mode, oid) if stage == "0" else ("conflict", stage)
        due = {}
        for path in {**ours, **changes}:
            before, now = parent.get(path, absent), staged.get(path, absent)
            if now in (before, ours.get(path)) and now != changes.get(path, before):
                due[path] = changes.get(path, before)
        if due:
            with open(note, "wb") as sink:
                sink.write(gitwire.entry_lines({**ours, **due}))
            result = self._raw("update-index", *_INDEX, stdin=gitwire.entry_lines(due))
            if result[0] and "index.lock': File exists" in result[2]:
                return False
            self._checked("update-index", result)
        return True

    def _move(self, ref: str, commit: str, tip: str | None, who: Mapping[str, str]) -> bool:
        """Whether `ref` went from `tip` to `commit`; False where somebody else moved it first."""
        old = tip or self._absent()[1]
        result = self._raw("update-ref", "--no-deref", "-m", "agentws", ref, commit, old, env=who)
        if result[0] and self._tip(ref) != tip:
            return False
        self._checked("update-ref", result)
        if self.kind == "branch":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._scratch, _INTENT))
        return True

    # What stands in the way

    def _target(self, *, writing: bool = True) -> str:
        """The ref that states go to."""
        if self.kind == "ref":
            return self._ref
        if not os.path.lexists(os.path.join(self._root, ".git")):
            raise OutsideProgramError(f"{self._root} is not the top folder of its repository.")
        if writing:
            repository.refuse_busy(self._git_dir)
        status, out, _ = self._raw("symbolic-ref", "--quiet", "HEAD")
        name = out.decode(errors="surrogateescape").strip()
        if status or not name.startswith("refs/heads/"):
            if not writing:
                return "HEAD"
            raise OutsideProgramError(
                "HEAD is on no branch.", hint="Go back to one: git switch main. Nothing has moved."
            )
        return name

    # Asking git

    def _raw(
        self, word: str, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> tuple[int, bytes, str]:
        return _run(word, *arguments, cwd=self._scratch, git_dir=self._git_dir, env=env, stdin=stdin)

    def _git(self, word: str, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> bytes:
        return self._checked(word, self._raw(word, *arguments, env=env, stdin=stdin))

    def _text(self, word: str, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> str:
        return self._git(word, *arguments, env=env, stdin=stdin).decode().strip()

    def _checked(self, word: str, result: tuple[int, bytes, str]) -> bytes:
        lock, exists, _ = result[2].partition("Unable to create '")[2].partition("': File exists")
        if result[0] and exists and lock.endswith(".lock"):
            raise repository.locked(lock, scratch=self._scratch)
        return _check(word, result)

    def _tip(self, ref: str) -> str | None:
        result = self._raw("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        return None if result[0] == 1 else self._checked("rev-parse", result).decode().strip()

    def _entries(self, commit: str) -> dict[str, Entry]:
        if self._listed[0] != commit:  # what a commit holds never changes
            told = self._git("ls-tree", "-r", "-z", "--full-tree", commit)
            self._listed = (commit, gitwire.entries(told, oid_at=2))
        return self._listed[1]

    def _format(self) -> str:
        if not self._algorithm:
            self._algorithm = self._text("rev-parse", "--show-object-format")
        return self._algorithm

    def _absent(self) -> Entry:
        return "0", "0" * (64 if self._format() == "sha256" else 40)

    def blob_id(self, data: bytes) -> str:
        """The id that this repository gives to a content."""
        return gitwire.blob_id(data, self._format())

    def _identity(self, at: datetime) -> dict[str, str]:
        if at.utcoffset() is None:
            raise ValueError("a state needs a time with its offset")
        name, mail = self._author
        zone = f"{at:%z}"[:5]
        parts = {"NAME": name, "EMAIL": mail, "DATE": f"@{max(0, int(at.timestamp()))} {zone}"}
        return {f"GIT_{role}_{key}": part for role in ("AUTHOR", "COMMITTER") for key, part in parts.items()}

    @contextlib.contextmanager
    def _private(self) -> Iterator[tuple[str, float]]:
        """A folder of our own, new each time: what a killed process left locked is in nobody's way."""
        with tempfile.TemporaryDirectory(prefix=_PRIVATE, dir=self._scratch) as folder:
            began = os.stat(folder).st_mtime
            for name in os.listdir(self._scratch):
                left = os.path.join(self._scratch, name)
                with contextlib.suppress(FileNotFoundError):
                    if name.startswith(_PRIVATE) and os.lstat(left).st_mtime < began - 3600:
                        shutil.rmtree(left, ignore_errors=True)
            yield folder, began


def _check(word: str, result: tuple[int, bytes, str]) -> bytes:
    status, out, text = result
    if status:
        raise OutsideProgramError(f"git {word} failed: {text.strip()[:500] or f'status {status}'}")
    return out
