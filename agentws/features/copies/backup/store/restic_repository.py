"""A restic repository: list, save, restore and remove agentws's snapshots in it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.destination import Destination
from agentws.errors import AgentwsError, LockHeldError, MissingFileError, OutsideProgramError, TooLargeError
from agentws.features.copies.transfer import temporary

_TAG, _AGENT, BACKUP, PART = "agentws", "agent:", "backup:", "part:"
_GLOB = "\\*?["


class Repository:
    """A repository as restic is asked about it, with our snapshots in it.

    `parts` are (agent, owner, id) of those that nobody has read back: no backups.
    """

    def __init__(self, to: Destination) -> None:
        self.to = to
        self.parts: list[tuple[str, str, str]] = []

    def run(self, *words: str, cwd: str = "") -> bytes:
        """Run restic with this repository and return its output. OutsideProgramError if it fails or is missing."""
        with self._started(words, subprocess.PIPE, cwd or "/") as running:
            try:
                out, data = running.communicate()
            except BaseException:
                running.kill()
                raise
        if running.returncode:
            raise _failure(running.returncode, data)
        return out

    def snapshots(self) -> dict[str, dict[str, str]]:
        """Return the ids of agentws's snapshots, by agent and backup name."""
        result: dict[str, dict[str, str]] = {}
        self.parts = []
        for decoded in plainjson.loads(self.run("snapshots", "--json", "--tag", _TAG)) or ():
            tags = [str(tag) for tag in decoded.get("tags") or ()]
            agent = next((tag.removeprefix(_AGENT) for tag in tags if tag.startswith(_AGENT)), "")
            name = next((tag.removeprefix(BACKUP) for tag in tags if tag.startswith(BACKUP)), "")
            self.parts += [(agent, tag.removeprefix(PART), str(decoded["id"])) for tag in tags if tag.startswith(PART)]
            if agent and backup.number_of(name):
                result.setdefault(agent, {})[name] = str(decoded["id"])
        return result

    def save(self, place: str, agent: str, tag: str, parent: str) -> str:
        """Let restic take the tree in the folder `place`, and return the snapshot.

        The tag is BACKUP with a name, or PART with an owner: no backup yet. What the snapshot `parent` holds already is
        not read.
        """
        tags = [word for each in (_TAG, f"{_AGENT}{agent}", tag) for word in ("--tag", each)]
        # A hard link changes the time of a file's entry, not the file: inode, size and time of content tell it.
        known = (f"--parent={parent}", "--ignore-ctime") if parent else ("--force",)
        data = self.run("backup", "--json", *tags, *known, "--", ".", cwd=place)
        for line in reversed(data.splitlines()):
            decoded = plainjson.loads(line) if line.startswith(b"{") else {}
            if decoded.get("message_type") == "summary":
                return str(decoded["snapshot_id"])
        raise OutsideProgramError("restic did not say what it has saved.", hint="Try it by hand: restic snapshots")

    def content(self, snapshot: str, path: str, limit_bytes: int = backup.MOST_BYTES) -> bytes:
        """Return a file of a snapshot. TooLargeError, and restic is ended, if it is larger than any manifest."""
        with tempfile.TemporaryFile() as file:
            with self._started(("dump", "--", snapshot, path), file) as running:
                try:
                    out = running.stdout.read(limit_bytes + 1) if running.stdout else b""
                    if len(out) > limit_bytes:
                        raise TooLargeError(
                            f"restic: a manifest is larger than {limit_bytes >> 20} MiB.",
                            hint="Use another backup: agentws backup list",
                        )
                except BaseException:
                    running.kill()
                    raise
            if running.returncode:
                file.seek(0)
                raise _failure(running.returncode, file.read())
        return out

    def _started(self, words: Sequence[str], stderr: int | IO[bytes], cwd: str = "/") -> subprocess.Popen[bytes]:
        theirs = os.environ  # noqa: TID251 - passwords and keys of the program stand there
        env = {key: value for key, value in theirs.items() if key not in _OTHER_REPOSITORY}
        words = ["restic", f"--repo={self.to.target}", *words]
        try:
            return _Running(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
        except FileNotFoundError as error:
            raise OutsideProgramError(
                "restic was not found on PATH.", hint="Install restic, then re-run the same command."
            ) from error
        except OSError as error:
            raise OutsideProgramError(f"restic did not start: {error.strerror}.") from error

    def forget(self, snapshots: Iterable[str]) -> None:
        """Remove snapshots; their data stays until `prune`."""
        self.run("forget", "--", *dict.fromkeys(snapshots))

    def prune(self) -> None:
        """Free what no snapshot holds, as far as nothing has to be packed again."""
        self.run("prune", "--max-unused", "unlimited")

    def restored(self, snapshot: str, paths: Sequence[str] = (), *, needed_bytes: int = 0) -> str:
        """A folder with a snapshot, or with these paths of it; the caller removes it."""
        place = temporary.folder(needed_bytes)
        try:
            words = [word for path in paths for word in ("--include", _escaped(path))]
            self.run("restore", f"--target={place}", *words, "--", snapshot)
        except BaseException:
            temporary.remove(place)
            raise
        return place


def agent_id(agent: str) -> str:
    """Return the id by which snapshot tags name an agent."""
    plain = agent.isascii() and agent.isalnum() and len(agent) >= 8
    return agent.lower() if plain else digest.of(agent.encode("utf-8", "surrogateescape"))


def _escaped(path: str) -> str:
    """Return a path as a pattern that matches only this path."""
    return "".join(f"\\{char}" if char in _GLOB else char for char in path)


_MOST_CHARS = 300
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OTHER_REPOSITORY = ("RESTIC_REPOSITORY", "RESTIC_REPOSITORY_FILE")
_NETWORK = "Check the network and the name of the server, then re-run."
_UNLOCK = "Set RESTIC_PASSWORD_FILE or RESTIC_PASSWORD_COMMAND for this command, also in its schedule."
_SPACE = "Free some space there, then re-run."
_HINTS = {
    "no such host": _NETWORK,
    "dial tcp": _NETWORK,
    "network is unreachable": _NETWORK,
    "connection refused": _NETWORK,
    "i/o timeout": _NETWORK,
    "wrong password": f"This password opens no key of the repository. {_UNLOCK}",
    "password": _UNLOCK,
    "repository is already locked": "Wait until the other restic has ended. After a crash: restic unlock",
    "is there a repository": "Mount the disk, or make the repository yourself: restic init",
    "unable to open config file": "Mount the disk, or make the repository: restic init",
    "forbidden": "Is the repository append-only? Then use: agentws backup create --keep all",
    "no space left": _SPACE,
    "quota": _SPACE,
    "access denied": "Check the credentials in the environment of this command.",
    "permission denied": "Check the credentials and who owns the files there.",
}
"""Messages of restic and its backends, the first one that fits first, with the hint for each."""
_KINDS: dict[str, type[AgentwsError]] = {
    "repository is already locked": LockHeldError,
    "is there a repository": MissingFileError,
    "unable to open config file": MissingFileError,
}


def _failure(code: int, data: bytes) -> AgentwsError:
    """Return the agentws error for restic's exit code and messages."""
    text = data.decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exited with {code}"
    words = next((line for line in lines if line.startswith("Fatal:")), last)
    part = next((part for part in _HINTS if part in text.lower()), "")
    kind = _KINDS.get(part, OutsideProgramError)
    return kind(f"restic: {words[:_MOST_CHARS]}", hint=_HINTS.get(part, "To see more, run restic by hand."))


class _Running(subprocess.Popen[bytes]):
    """A program that is ended too where this process is terminated while it is being started."""

    def __init__(self, words: Sequence[str], **more: Any) -> None:
        try:
            with _held():
                super().__init__(words, **more)
        except BaseException:
            if getattr(self, "pid", None):
                self.kill()
                self.wait()
                for stream in (self.stdin, self.stdout, self.stderr):
                    if stream is not None:
                        stream.close()
            raise


@contextmanager
def _held() -> Iterator[None]:
    """A time at whose end the signals take effect that came in it: whose program has no number yet cannot end it."""
    came: list[int] = []
    ours: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        ours = {number: before for number in _SIGNALS if callable(before := signal.getsignal(number))}
    for number in ours:
        signal.signal(number, lambda each, _: came.append(each))
    try:
        yield
    finally:
        for number, before in ours.items():
            signal.signal(number, before)
        for number in came:
            signal.raise_signal(number)
