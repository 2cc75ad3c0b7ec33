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

_TAG, _AGENT, _NAME, _PART = "agentws", "agent:", "backup:", "part:"
_GLOB = "\\*?["


class Repository:
    """A repository as restic is asked about it, with the snapshots of ours in it.

    `parts` are (agent, owner, id) of those that nobody has read back: no backups.
    """

    def __init__(self, to: Destination) -> None:
        self.to = to
        self.parts: list[tuple[str, str, str]] = []
        self._program: Program = restic()

    def run(self, *words: str, cwd: str = "") -> bytes:
        """Run restic with this repository and return its output."""
        return self._program.run(f"--repo={self.to.target}", *words, cwd=cwd)

    def snapshots(self) -> dict[str, dict[str, str]]:
        """Return the ids of agentws's snapshots, by agent and backup name."""
        result: dict[str, dict[str, str]] = {}
        self.parts = []
        for decoded in plainjson.loads(self.run("snapshots", "--json", "--tag", _TAG)) or ():
            tags = [str(tag) for tag in decoded.get("tags") or ()]
            agent = next((tag.removeprefix(_AGENT) for tag in tags if tag.startswith(_AGENT)), "")
            name = next((tag.removeprefix(_NAME) for tag in tags if tag.startswith(_NAME)), "")
            self.parts += [
                (agent, tag.removeprefix(_PART), str(decoded["id"])) for tag in tags if tag.startswith(_PART)
            ]
            if agent and backup.number_of(name):
                result.setdefault(agent, {})[name] = str(decoded["id"])
        return result

    def save(self, place: str, agent: str, name: str, parent: str) -> str:
        """Let restic take the tree in the folder `place` as the backup `name`; returns the snapshot. What `parent`, a
        snapshot, holds already is not read.
        """
        return self._saved(place, agent, f"{_NAME}{name}", parent)

    def save_part(self, place: str, agent: str, owner: str, parent: str) -> str:
        """Let restic take that tree as something that is no backup yet; as `save`."""
        return self._saved(place, agent, f"{_PART}{owner}", parent)

    def _saved(self, place: str, agent: str, told_as: str, parent: str) -> str:
        tags = [word for tag in (_TAG, f"{_AGENT}{agent}", told_as) for word in ("--tag", tag)]
        # A hard link changes the time of a file's entry, not the file: inode, size and time of content tell it.
        known = (f"--parent={parent}", "--ignore-ctime") if parent else ("--force",)
        data = self.run("backup", "--json", *tags, *known, "--", ".", cwd=place)
        for line in reversed(data.splitlines()):
            decoded = plainjson.loads(line) if line.startswith(b"{") else {}
            if decoded.get("message_type") == "summary":
                return str(decoded["snapshot_id"])
        raise OutsideProgramError("restic did not say what it has saved.", hint="Try it by hand: restic snapshots")

    def content(self, snapshot: str, path: str) -> bytes:
        """What a file of a snapshot holds. TooLargeError for one that no manifest is as large as."""
        return self._program.read(
            f"--repo={self.to.target}", "dump", "--", snapshot, path, limit_bytes=backup.MOST_BYTES
        )

    def forget(self, snapshots: Iterable[str]) -> None:
        """Remove snapshots; their data stays until `prune`."""
        self.run("forget", "--", *dict.fromkeys(snapshots))

    def prune(self) -> None:
        """Free what no snapshot holds, as far as nothing has to be packed anew."""
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
_NETWORK = "Check the network and the name of the server, then re-run."
_LINE: tuple[tuple[str, type[AgentwsError], str], ...] = (
    ("no such host", OutsideProgramError, _NETWORK),
    ("dial tcp", OutsideProgramError, _NETWORK),
    ("network is unreachable", OutsideProgramError, _NETWORK),
    ("connection refused", OutsideProgramError, _NETWORK),
    ("i/o timeout", OutsideProgramError, _NETWORK),
)
_SAID: tuple[tuple[str, type[AgentwsError], str], ...] = (
    ("no space left", OutsideProgramError, "Free some space there, then re-run."),
    ("quota", OutsideProgramError, "Free some space there, then re-run."),
    ("access denied", OutsideProgramError, "Check the credentials in the environment of this command."),
    ("permission denied", OutsideProgramError, "Check the credentials and who owns the files there."),
)
"""Messages of restic and its backends, with the error and the hint for each."""


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


class Program:
    """The program `name`; `messages` say what to do about its output, `without` are variables that it does not get."""

    def __init__(
        self,
        name: str,
        messages: Sequence[tuple[str, type[AgentwsError], str]] = (),
        without: Sequence[str] = (),
    ) -> None:
        self.name = name
        self._said = (*_LINE, *messages, *_SAID)
        theirs = os.environ  # noqa: TID251 - passwords and keys of the program stand there
        self._env = {key: value for key, value in theirs.items() if key not in without}

    def run(self, *words: str, cwd: str = "", ok: Sequence[int] = (0,)) -> bytes:
        """Run the program and return its output. OutsideProgramError if it fails or is not installed."""
        code, out, data = self.tried(*words, cwd=cwd)
        if code not in ok:
            raise self.failure(code, data)
        return out

    def read(self, *words: str, limit_bytes: int) -> bytes:
        """What the program prints, as `run`. TooLargeError, and it is ended, where that is more than `limit_bytes`."""
        with tempfile.TemporaryFile() as file:
            with self._started(words, file) as running:
                try:
                    out = running.stdout.read(limit_bytes + 1) if running.stdout else b""
                    if len(out) > limit_bytes:
                        raise TooLargeError(
                            f"{self.name}: a manifest is larger than {limit_bytes >> 20} MiB.",
                            hint="Use another backup: agentws backup list",
                        )
                except BaseException:
                    running.kill()
                    raise
            if running.returncode:
                file.seek(0)
                raise self.failure(running.returncode, file.read())
        return out

    def _started(self, words: Sequence[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return _Running(
                [self.name, *words],
                cwd="/",
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise self._not_started(error) from error

    def _not_started(self, error: OSError) -> AgentwsError:
        if isinstance(error, FileNotFoundError):
            return OutsideProgramError(
                f"{self.name} was not found on PATH.", hint=f"Install {self.name}, then re-run the same command."
            )
        return OutsideProgramError(f"{self.name} did not start: {error.strerror}.")

    def tried(self, *words: str, cwd: str = "") -> tuple[int, bytes, bytes]:
        """Run the program and return its exit code, standard output and standard error."""
        try:
            running = _Running(
                [self.name, *words],
                cwd=cwd or "/",
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise self._not_started(error) from error
        with running:
            try:
                out, data = running.communicate()
            except BaseException:
                running.kill()
                raise
        return running.returncode, out, data

    def failure(self, code: int, data: bytes) -> AgentwsError:
        """Return the agentws error for the program's exit code and messages."""
        low = data.decode("utf-8", "replace").lower()
        lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
        last = lines[-1] if lines else f"exited with {code}"
        words = next((line for line in lines if line.startswith("Fatal:")), last)
        for part, kind, hint in self._said:
            if part.lower() in low:
                return kind(f"{self.name}: {words[:_MOST_CHARS]}", hint=hint)
        return OutsideProgramError(f"{self.name}: {words[:_MOST_CHARS]}", hint=f"To see more, run {self.name} by hand.")


_UNLOCK = "Set RESTIC_PASSWORD_FILE or RESTIC_PASSWORD_COMMAND for this command, also in its schedule."


def restic() -> Program:
    """Return the program restic; each call names its repository."""
    messages: tuple[tuple[str, type[AgentwsError], str], ...] = (
        ("wrong password", OutsideProgramError, f"This password opens no key of the repository. {_UNLOCK}"),
        ("password", OutsideProgramError, _UNLOCK),
        (
            "repository is already locked",
            LockHeldError,
            "Wait until the other restic has ended. After a crash: restic unlock",
        ),
        ("is there a repository", MissingFileError, "Mount the disk, or make the repository yourself: restic init"),
        ("unable to open config file", MissingFileError, "Mount the disk, or make the repository: restic init"),
        ("forbidden", OutsideProgramError, "Is the repository append-only? Then use: agentws backup create --keep all"),
    )
    return Program("restic", messages, ("RESTIC_REPOSITORY", "RESTIC_REPOSITORY_FILE"))
