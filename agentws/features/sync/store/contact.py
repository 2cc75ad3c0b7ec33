"""Run git against a sync remote, limited in time and size, without running any program of that repository."""

from __future__ import annotations

import time

from agentws.core.disk import files as _files
from agentws.core.states import plumbing, remote_end, remote_hints
from agentws.errors import DamagedError, OutsideProgramError, RemoteAwayError
from agentws.features.sync.store import disk_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.sync.store.address import Address
    from agentws.features.sync.store.repo import Repo

_LARGEST_PACK_BYTES = 4 << 30
_MEMORY_BYTES = 4 << 30
_SETTINGS_S = 5.0
_SETTINGS = (
    "core.fsync=all", "core.bigFileThreshold=32m", "core.packedGitWindowSize=64m", "core.packedGitLimit=512m",
    "fetch.unpackLimit=1", "fetch.showForcedUpdates=false", "transfer.bundleURI=false", "pack.threads=2",
)  # fmt: skip
_TOO_LARGE = ("signal 25", "file too large", "file size limit", "invalid index-pack output")
_FULL = ("no space left", "quota exceeded")
_BAD = (
    "fsck error", "bad object", "data stream error", "pack has bad", "did not send all necessary objects",
    "sha1 mismatch", "unresolved delta", "broken link", "not our ref", "bad config", "fatal: bad tree",
)  # fmt: skip


_SAYS_NOTHING = (
    "Could not read from remote repository",
    "Please make sure you have the correct access rights",
    "and the repository exists",
    "hint: ",
)
"""Beginnings of git's generic error lines, left out of messages."""


def ask(
    repo: Repo, place: Address, url: str, word: str, *words: str, after: tuple[str, ...] = (), timeout_s: float
) -> bytes:
    """Run a git command against the remote at `url` and return its output; `after` are the arguments after the URL.

    OutsideProgramError, with a hint, if the remote is unreachable or refuses; DamagedError if it sends invalid data.
    """
    there: tuple[str, ...] = ()
    if place.path:
        disk_repository.check(url)
        there = remote_end.words(word)
    left_s = wait(repo, place, timeout_s)
    try:
        return plumbing.remote(
            word, *words, *there, "--", url, *after, cwd=repo.git_dir, git_dir=repo.git_dir, timeout_s=left_s,
            settings=_SETTINGS, before=_bounded(word, is_here=bool(place.path)),
            shared="" if place.path else repo.connection.folder(), is_direct=True,
        )  # fmt: skip
    except OutsideProgramError as error:
        raise _explained(error, place) from error
    except OSError as error:
        raise _files.failure(error, repo.git_dir) from error


def begin(repo: Repo, url: str) -> None:
    """Begin the ssh connection to the host that git would use for this URL, without waiting."""
    if ":" not in url:
        return
    try:  # the user's settings may name another host for it
        told = plumbing.remote(
            "ls-remote", "--get-url", "--", url, cwd=repo.git_dir, git_dir=repo.git_dir, timeout_s=_SETTINGS_S,
            is_direct=True,
        )  # fmt: skip
    except OutsideProgramError:
        return  # git says what is wrong once it is asked for more
    repo.connection.begin(told.decode("utf-8", "replace").strip())


def wait(repo: Repo, place: Address, timeout_s: float) -> float:
    """Wait for the ssh connection that was begun; return the time left (s). OutsideProgramError, with a hint, if it
    fails.
    """
    if not repo.connection.is_due:
        return timeout_s
    until = time.monotonic() + timeout_s
    try:
        repo.connection.wait(timeout_s)
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise OutsideProgramError(
                f"ssh did not connect within {timeout_s:g} s.", hint="Check the connection, then re-run."
            )
    except OutsideProgramError as error:
        raise _explained(error, place) from error
    return left_s


def _bounded(word: str, *, is_here: bool) -> tuple[str, ...]:
    """Return the shell command that starts `git fetch` with a limit on file size, and for a local disk on memory.

    Over a network there is no memory limit: credential helpers may need any amount.
    """
    if word != "fetch":
        return ()
    bounds = f"ulimit -f {_LARGEST_PACK_BYTES >> 9} 2>/dev/null; "
    bounds += f"ulimit -v {_MEMORY_BYTES >> 10} 2>/dev/null; " if is_here else ""
    return ("/bin/sh", "-c", f'{bounds}exec "$0" "$@"')


def _explained(error: OutsideProgramError, place: Address) -> OutsideProgramError | DamagedError:
    text = error.message.replace(place.url, place.shown).replace("/./", "/")
    said = text.lower()
    if any(word in said for word in _TOO_LARGE) and not any(word in said for word in _FULL):
        return DamagedError(
            f"{place.shown} sends more than {_LARGEST_PACK_BYTES >> 30} GiB at once, or a damaged pack.",
            hint="Nothing was changed. Find out who wrote to the repository.",
        )
    if any(word in said for word in _BAD):
        return DamagedError(text, hint="Nothing was changed. Run git fsck in that repository.")
    known = remote_hints.explained(OutsideProgramError(text, hint=error.hint), "Check the remote, then re-run.")
    kind = RemoteAwayError if remote_hints.is_away(text) else OutsideProgramError
    return kind(_in_a_sentence(text, place), hint=known.hint)


def _in_a_sentence(text: str, place: Address) -> str:
    """Return git's or ssh's error as one sentence, with the remote's name and without generic lines."""
    what, failed, told = text.partition(" failed: ")
    if not failed or what not in ("ssh", "git fetch", "git push", "git ls-remote"):
        return text
    lines = [line.strip().removeprefix("fatal: ").rstrip(".") for line in told.splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(_SAYS_NOTHING)]
    return f"{place.shown}: {what} failed: {'; '.join(plain or lines)}."
