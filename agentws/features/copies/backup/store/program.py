"""Run restic with fixed arguments, without a shell or a prompt, and return its output.

Passwords and keys are theirs: from the environment that agentws was started in, never from a file or option of ours.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager

from agentws.errors import LockHeldError, MissingFileError, OutsideProgramError, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, Any

    from agentws.errors import AgentwsError

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
    """The program `name`; `said` tells what to do about its messages, `without` are variables that it does not get."""

    def __init__(
        self,
        name: str,
        said: Sequence[tuple[str, type[AgentwsError], str]] = (),
        without: Sequence[str] = (),
    ) -> None:
        self.name = name
        self._said = (*_LINE, *said, *_SAID)
        theirs = os.environ  # noqa: TID251 - passwords and keys of the program stand there
        self._env = {key: value for key, value in theirs.items() if key not in without}

    def run(self, *words: str, cwd: str = "", ok: Sequence[int] = (0,)) -> bytes:
        """Run the program and return its output. OutsideProgramError if it fails or is not installed."""
        code, out, told = self.tried(*words, cwd=cwd)
        if code not in ok:
            raise self.failure(code, told)
        return out

    def read(self, *words: str, limit_bytes: int) -> bytes:
        """What the program prints, as `run`. TooLargeError, and it is ended, where that is more than `limit_bytes`."""
        with tempfile.TemporaryFile() as told:
            with self._started(words, told) as running:
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
                told.seek(0)
                raise self.failure(running.returncode, told.read())
        return out

    def _started(self, words: Sequence[str], told: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return _Running(
                [self.name, *words],
                cwd="/",
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=told,
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
                out, told = running.communicate()
            except BaseException:
                running.kill()
                raise
        return running.returncode, out, told

    def failure(self, code: int, told: bytes) -> AgentwsError:
        """Return the agentws error for the program's exit code and messages."""
        low = told.decode("utf-8", "replace").lower()
        lines = [line.strip() for line in told.decode("utf-8", "replace").splitlines() if line.strip()]
        last = lines[-1] if lines else f"exited with {code}"
        words = next((line for line in lines if line.startswith("Fatal:")), last)
        for part, kind, hint in self._said:
            if part.lower() in low:
                return kind(f"{self.name}: {words[:_MOST_CHARS]}", hint=hint)
        return OutsideProgramError(f"{self.name}: {words[:_MOST_CHARS]}", hint=f"To see more, run {self.name} by hand.")


_UNLOCK = "Set RESTIC_PASSWORD_FILE or RESTIC_PASSWORD_COMMAND for this command, also in its schedule."


def restic() -> Program:
    """Return the program restic; each call names its repository."""
    said: tuple[tuple[str, type[AgentwsError], str], ...] = (
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
    return Program("restic", said, ("RESTIC_REPOSITORY", "RESTIC_REPOSITORY_FILE"))
