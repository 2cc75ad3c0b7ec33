"""Contact with other git repositories: fetch, push and ls-remote, bounded in time and without running their code.

Credentials, keys and ssh settings are the user's own; git asks no questions, accepts no unknown host key, and uses only
folders, ssh and https. Refs move by compare-and-swap, also if the answer to a push is lost.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence

from agentws.core.states import plumbing
from agentws.errors import AgentwsError, ChangedUnderneathError, OutsideProgramError

Ask = Callable[..., bytes]
"""Runs a git command against one repository: `ask(word, *options, after=...)`; `after` follows the URL."""
Move = tuple[str, str, str]
"""A ref, the commit that it must have now, and the one that it is to have; empty for none."""


COMMANDS = ("fetch", "ls-remote", "push")
"""The git commands that contact another machine: run only in a private repository, with the user's own settings."""
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "push.gpgSign=false",
    "push.recurseSubmodules=no", "fetch.recurseSubmodules=no", "fetch.fsckObjects=true", "fetch.writeCommitGraph=false",
    "http.lowSpeedLimit=1000", "http.lowSpeedTime=60",
)  # fmt: skip
_SSH_OPTIONS = ("BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=15", "ServerAliveInterval=5")
"""No questions, and no unknown host key is accepted."""
_THEIRS = ("GIT_ASKPASS", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_PROTOCOLS = "file:ssh:https"
_TIMEOUT_S = 6 * 3600.0
_SETTINGS_THERE = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true", "core.fsync=all",
    "gc.auto=0", "maintenance.auto=false", "receive.autogc=false", "receive.unpackLimit=1",
    "receive.fsckObjects=true", "core.packedGitWindowSize=2m", "core.packedGitLimit=16m",
)  # fmt: skip
"""That repository, on a stick, may be untrusted: git runs no code of it, and makes what it writes there durable."""
_HINTS = (
    ("host key verification failed", "The host key is unknown. Connect once with ssh to accept the key."),
    ("permission denied (", "ssh must log in without a prompt: install your key there, or ssh-add."),
    ("could not read username", "git must log in without a prompt: use a credential helper."),
    ("could not read password", "git must log in without a prompt: use a credential helper."),
    ("authentication failed", "Check the login and the token of the credential helper."),
    (
        "dubious ownership",
        "Another user owns it. If you trust that: git config --global --add safe.directory PATH",
    ),
    ("not appear to be a git repository", "Create the repository first: git init --bare"),
    ("does not exist", "Create the repository first: git init --bare"),
    ("repository not found", "Create the repository first, and check that you may read it."),
    ("could not resolve host", "Check the network and the name of the host."),
    ("connection refused", "Check that the host runs a server on this port."),
    ("timed out", "Check the network."),
    ("unreachable", "Check the network."),
    ("no space left", "The disk there is full: free some space and re-run."),
    ("quota exceeded", "The disk quota there is exceeded: free some space and re-run."),
    ("read-only file system", "The disk there is read-only: mount it writable."),
    ("unable to create temporary", "You may not write there: check owner and mode of the repository."),
    ("insufficient permission", "You may not write there: check owner and mode of the repository."),
    (".lock': file exists", "If no git command is running there, remove the lock file named above."),
    ("hash algorithm", "The repository uses SHA-256. Create one without: git init --bare"),
    ("mismatched algorithms", "The repository uses SHA-256. Create one without: git init --bare"),
    ("hook declined", "The server refuses these refs. Use a repository without such a rule."),
    ("hidden ref", "The server refuses refs of our own. Use another repository."),
    ("does not support --atomic", "The server cannot move several refs at once. Use another server."),
    ("permission denied", "Check the owner and mode of the repository, or the key of ssh."),
)
_AWAY = (
    "could not resolve host", "name or service not known", "temporary failure in name resolution", "connection refused",
    "timed out", "unreachable", "no route to host", "did not connect within", "did not finish within",
    "connection reset",
)  # fmt: skip
_FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_PUSH = ("--quiet", "--no-verify", "--no-recurse-submodules")
_REFUSED = "(stale info)"
"""Git's English message for a ref that is not as expected; in other languages the remote is asked for its refs."""


def run(
    word: str, *options: str, url: str, after: Sequence[str] = (), git_dir: str, is_path: bool = False,
    timeout_s: float = _TIMEOUT_S, settings: tuple[str, ...] = (), before: tuple[str, ...] = (), shared: str = "",
    is_direct: bool = False,
) -> bytes:  # fmt: skip
    """Return the output of a git command that contacts the repository at `url` from the private one at `git_dir`.

    OutsideProgramError, in git's words, if it fails or takes longer than `timeout_s`. `after` are the arguments after
    the URL; `is_path` says that the repository is on this machine. `settings` are further git settings, `before` is the
    command line of a program that starts git. Calls with the same `shared` folder (a short private path) share one ssh
    connection. `is_direct`: started without GitPython, which takes long to load; at the timeout only git itself is
    ended.
    """
    if word not in COMMANDS:
        raise ValueError(f"git {word} does not contact other machines")
    env = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": shlex.join(ssh(shared))}
    env["GIT_NO_LAZY_FETCH"] = "1"
    # GitPython hands its own environment to the child and knows no way to unset a variable; `env -u` does.
    leaking = [name for name in os.environ if name.startswith("GIT_") and name not in (*env, *_THEIRS)]  # noqa: TID251
    argv = ["env", *(each for name in leaking for each in ("-u", name))] if leaking else []
    words = plumbing.words((*_SETTINGS, *settings), git_dir, git_dir)
    argv = [*before, *argv, "git", "-C", git_dir, *words, word, *options]
    argv += [*(_at_other_end(word) if is_path else ()), "--", url, *after]
    if is_direct:
        hints = "Install git.", "Check the connection, then re-run."
        result = plumbing.start(word, argv, {**os.environ, **env}, timeout_s=timeout_s, hints=hints)  # noqa: TID251
        return plumbing.check(word, result)
    try:
        from git.cmd import Git
        from git.exc import GitCommandNotFound
    except ImportError as error:
        raise OutsideProgramError("git was not found on PATH.", hint="Install git.") from error
    try:
        status, out, text = Git(git_dir).execute(
            argv, with_extended_output=True, with_exceptions=False, stdout_as_string=False,
            strip_newline_in_stdout=False, shell=False, kill_after_timeout=timeout_s, env=env,
        )  # fmt: skip
    except (OSError, GitCommandNotFound) as error:
        raise OutsideProgramError(
            f"git could not be started: {error}.", hint="Check the installation of git."
        ) from error
    if status and text.startswith("Timeout:"):
        raise OutsideProgramError(
            f"git {word} did not finish within {timeout_s:g} s.", hint="Check the connection, then re-run."
        )
    return plumbing.check(word, (status, out, text))


def _at_other_end(word: str) -> tuple[str, ...]:
    kind = "receive-pack" if word == "push" else "upload-pack"
    command = " ".join(["git", *(f"-c {setting}" for setting in _SETTINGS_THERE)])
    return (f"--{kind}={command} {kind}",)


def ssh(shared: str) -> list[str]:
    """Return the ssh command that the user has set up for git, with the required options first. `shared`: see `run`."""
    named = os.environ.get("GIT_SSH")  # noqa: TID251 - what git itself would be given
    command = os.environ.get("GIT_SSH_COMMAND") or (shlex.quote(named) if named else "ssh")  # noqa: TID251
    program, *rest = shlex.split(command) or ["ssh"]
    # To connect takes longer than what is then asked. It ends by itself, whatever becomes of us.
    sharing = ("ControlMaster=auto", f"ControlPath={shared}/c", "ControlPersist=5") if shared else ()
    return [program, *(each for option in (*_SSH_OPTIONS, *sharing) for each in ("-o", option)), *rest]


def is_away(message: str) -> bool:
    """Return whether git or ssh report that the other machine is unreachable now."""
    text = message.lower()
    return any(words in text for words in _AWAY)


def explained(error: OutsideProgramError, otherwise: str) -> OutsideProgramError:
    """Return the error with a hint for its message, else with its own hint, else with `otherwise`."""
    text = error.message.lower()
    hint = next((hint for words, hint in _HINTS if words in text), error.hint)
    return OutsideProgramError(error.message, hint=hint or otherwise)


# Refs


def refs(ask: Ask, pattern: str) -> dict[str, str]:
    """Return the commits of the refs that match a pattern."""
    lines = ask("ls-remote", "--refs", after=(pattern,)).decode("utf-8", "replace").split("\n")
    return {name: commit for commit, _, name in (line.partition("\t") for line in lines if line)}


def fetch(ask: Ask, specs: Sequence[str], *options: str) -> None:
    """Fetch refs by these specs into the private repository."""
    ask("fetch", *_FETCH, *options, after=tuple(specs))


def push(ask: Ask, moves: Sequence[Move], *, atomic: bool = False) -> None:
    """Move refs, all or none; with the objects that the new commits need.

    With `atomic`, also a single ref is refused by a server that cannot move several at once.
    """
    moves = [each for each in moves if each[1] != each[2]]
    leases = [f"--force-with-lease={ref}:{old}" for ref, old, _ in moves]
    specs = [f"{new}:{ref}" for ref, _, new in moves]
    ask("push", *_PUSH, *(["--atomic"] if atomic or len(moves) > 1 else []), *leases, after=tuple(specs))


def check_moved(
    error: AgentwsError, moves: Sequence[Move], now: Callable[[], Mapping[str, str] | None], news: str
) -> None:
    """Return if the refs have moved although the push raised `error`: only its answer was lost.

    ChangedUnderneathError, with the message `news`, if one of them had another commit than expected; else raise
    `error`. `now` returns the refs, or None if the repository does not answer.
    """
    is_stale = len(moves) == 1 and _REFUSED in error.message  # then nothing was sent, and the refs need not be asked
    present = None if is_stale else now()
    if present is not None and all(present.get(ref, "") == new for ref, _, new in moves):
        return
    if is_stale or (present is not None and any(present.get(ref, "") != old for ref, old, _ in moves)):
        raise ChangedUnderneathError(news, hint="Re-run the same command.") from error
    raise error
