"""Transport to another machine by ssh: rsync for the bulk of it, the open connection for what is small.

At the other end of the connection is the far program, which needs nothing but Python. What else speaks to that machine
(rsync) shares the connection, and ends with it.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from agentws.core.disk import files
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.errors import AgentwsError, OutsideProgramError
from agentws.features.copies.transfer import conversation, copy_place, disk, receiver, transport
from agentws.features.copies.transfer.transport import Progress, Source, Stream, Transport

_FEW = 100
_SMALL_BYTES = 1 << 20
"""So little is sent through the connection that stands: rsync would take longer to start."""
_LARGE_BYTES = 1 << 20
"""Of a file that is so large, what has arrived is kept where the connection breaks."""
_OPTIONS = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=15",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    "RequestTTY=no",
)
"""No questions, no unknown host keys, nothing forwarded, and a dead connection is noticed within 15 seconds."""
_BEGIN = "import sys;b=sys.stdin.buffer;exec(compile(b.read(int(b.readline())),'agentws','exec'))"
_LOAD = """\
import sys, types
def load(name, text):
    made = sys.modules[f"{PACKAGE}.{name}"] = types.ModuleType(f"{PACKAGE}.{name}")
    setattr(sys.modules[PACKAGE], name, made)
    exec(compile(text, f"agentws/{name}.py", "exec"), made.__dict__)
sys.modules[PACKAGE] = types.ModuleType(PACKAGE)
"""
"""Loader of the far program's modules, where agentws need not be installed."""
_NOISE_BYTES = 1 << 16
_PIECE = 1 << 18
_LONGEST_ANSWER_BYTES = 64 << 20
_SAID_BYTES = 2000
_UNREACHED, _NO_PROGRAM = 255, 127
_FOREIGN = "The reply is not from agentws. Check what that machine prints at login."
_HINTS = (
    ("host key verification failed", "The host key is unknown. Connect once to accept the key: ssh {login}"),
    ("permission denied", "ssh must log in without a prompt: ssh-copy-id {login}, or ssh-add."),
    (
        "remote host identification has changed",
        "The host key of that machine has changed. Find out why before you connect.",
    ),
    ("could not resolve hostname", "Check the host name: ssh {login}"),
    ("no space left", "Free some space at the destination. Then, to resume, re-run the command."),
)


class OverSsh(Transport):
    """The transport to a machine that ssh reaches without a question, through one connection.

    At its other end runs the far program; `folder` holds the connection's local files.
    """

    def __init__(self, host: str, user: str) -> None:
        program = shutil.which("ssh")
        if program is None:
            raise OutsideProgramError(
                "ssh was not found on PATH.", hint="Install OpenSSH: apt-get install openssh-client"
            )
        self._host = host
        self._user = user
        self._place: dict[str, str] = {}
        self._has_rsync = False
        self.login = f"{user}@{host}" if user else host
        self._program = program
        self.folder = tempfile.mkdtemp(prefix="agentws-")
        self._said: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the wire
        self._greeted = False
        command = f"exec python3 -I -S -c {shlex.quote(_BEGIN)}"
        words = [*self.words("ControlMaster=yes"), "--", self.login, command]
        # A separate session: Ctrl-C reaches us alone, and we end the conversation in order.
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, start_new_session=True
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018
        self._asks: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._answers: BinaryIO = self._process.stdout  # type: ignore[assignment]

    def words(self, role: str) -> list[str]:
        """The beginning of a command line of ssh that shares this connection."""
        options = (*_OPTIONS, role, f"ControlPath={self.folder}/c", "ControlPersist=no")
        return [self._program, "-T", *(word for option in options for word in ("-o", option))]

    def greet(self) -> None:
        """Send the remote program and wait for its hello; only then is the connection established."""
        if self._greeted:
            return
        sent = program()
        self._write(b"%d\n%s" % (len(sent), sent))
        noise = 0
        while (line := self._answers.readline(_NOISE_BYTES)) != f"{conversation.MARK}\n".encode():
            noise += len(line)
            if not line or noise > _NOISE_BYTES:
                raise self.broken()
        self._read()
        self._greeted = True

    def ask(self, name: str, **words: Any) -> Any:
        """Return the answer of the far program."""
        self.greet()
        self._request({"op": name, **words})
        return self._read().get("done")

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """The entries that the far program tells, as they come."""
        self.greet()
        self._request({"op": "entries", "paths": paths})
        while True:
            fields = self._read()
            yield from fields["entries"]
            if fields.get("end"):
                return

    def put(self, entry: TreeEntry, stream: Stream | None) -> None:
        """Send one entry, the bytes of a file from `stream`. What fails there is reported with the next answer."""
        self._request({"op": "put", "entry": entry.plain()})
        left = entry.size if entry.kind == FILE else 0
        while left and stream is not None:
            # A file that has become shorter is filled up: its digest will tell, and the conversation goes on.
            piece = stream.read(min(left, _PIECE)) or bytes(min(left, _PIECE))
            self._write(piece)
            left -= len(piece)

    def flush(self) -> None:
        """Send what waits to be sent."""
        try:
            self._asks.flush()
        except OSError as error:
            raise self.broken() from error

    def broken(self) -> AgentwsError:
        """Return the error for the end of the conversation, in the words of ssh or the far program."""
        try:
            self._asks.close()
        except OSError:
            pass
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        message = self.said()
        if code == _NO_PROGRAM:
            return OutsideProgramError(
                f"python3 was not found on {self.login}: {message}",
                hint="Install python3 on that machine; nothing else is needed.",
            )
        hint = next((hint for words, hint in _HINTS if words in message.lower()), "To resume, re-run the command.")
        what = "could not be reached" if not self._greeted and code == _UNREACHED else "closed the connection"
        return OutsideProgramError(f"{self.login} {what}: {message or code}", hint=hint.format(login=self.login))

    def said(self) -> str:
        """Return what ssh has written to its standard error, at the end."""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - _SAID_BYTES))
        return " ".join(self._said.read().decode("utf-8", "replace").split())

    def close(self) -> None:
        """End the conversation; the far program ends with it."""
        for pipe in (self._asks, self._answers):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See Transport."""
        state = super().inspect(path, migration)
        self._has_rsync = state["rsync"]
        return state

    def prepare(self, attempt: str) -> None:
        """See Transport."""
        self._place = self.ask("prepare", attempt=attempt)

    def send(self, source: Source, entries: Sequence[TreeEntry], progress: Progress | None = None) -> str:
        """See Transport."""
        bulk = ""
        if len(entries) > _FEW or sum(entry.size for entry in entries) > _SMALL_BYTES:
            bulk = self._in_bulk(source.root, [entry for entry in entries if entry.path not in source.texts], progress)
            entries, progress = [entry for entry in entries if entry.path in source.texts], None
        complaint = super().send(source, entries, progress)
        self.ask("drop", paths=[])
        return complaint or bulk

    def _in_bulk(self, root: str, entries: Sequence[TreeEntry], progress: Progress | None) -> str:
        if not self._has_rsync:
            raise OutsideProgramError(
                f"rsync was not found on {self.login}.", hint="Install rsync there: apt-get install rsync"
            )
        # Where thousands of small files go through one folder on their way, it takes half as long again.
        small = [entry for entry in entries if entry.size < _LARGE_BYTES]
        large = [entry for entry in entries if entry.size >= _LARGE_BYTES]
        before = sum(entry.size for entry in small)
        rsync = self._rsync(root, small, "", progress)
        later = (lambda sent: progress(before + sent)) if progress else None
        return self._rsync(root, large, self._place["part"], later) or rsync

    def _rsync(self, root: str, entries: Sequence[TreeEntry], part: str, progress: Progress | None) -> str:
        """Send these entries of the tree at `root`; return rsync's messages about files that vanished meanwhile.

        With `part`, a folder there, files on their way lie in it, and stay there where the connection breaks: the next
        try goes on with them. OutsideProgramError.
        """
        if not entries:
            return ""
        program = shutil.which("rsync")
        if program is None:
            raise OutsideProgramError("rsync was not found on PATH.", hint="Install rsync: apt-get install rsync")
        host = f"[{self._host}]" if ":" in self._host else self._host
        to = f"{self._user}@{host}" if self._user else host
        beside = [f"--partial-dir={part}", f"--temp-dir={part}"] if part else []
        shell = shlex.join(self.words("ControlMaster=no"))
        words = [program, *_WORDS, *beside, "-e", shell, "--", f"{root}/", f"{to}:{self._place['staging']}/"]
        with tempfile.TemporaryFile() as listed, tempfile.TemporaryFile() as file:
            listed.write(b"".join(os.fsencode(entry.path) + b"\0" for entry in entries))
            listed.seek(0)
            process = subprocess.Popen(
                words,
                stdin=listed,
                stdout=subprocess.PIPE,
                stderr=file,
                start_new_session=True,
                preexec_fn=_to_die_with_us(),  # noqa: PLW1509 - one call of the system, nothing of Python's
            )
            try:
                _follow(process, progress)
                code = process.wait()
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            return _ending(code, file)

    def _request(self, fields: dict[str, object]) -> None:
        self._write(json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n")

    def _write(self, data: bytes) -> None:
        try:
            self._asks.write(data)
        except OSError as error:
            raise self.broken() from error

    def _read(self) -> dict[str, Any]:
        self.flush()
        line = self._answers.readline(_LONGEST_ANSWER_BYTES)
        if len(line) == _LONGEST_ANSWER_BYTES:
            self._process.kill()
            raise OutsideProgramError(
                f"{self.login} sent a reply of more than {_LONGEST_ANSWER_BYTES >> 20} MiB.",
                hint=_FOREIGN,
            )
        if not line.endswith(b"\n"):
            raise self.broken()
        try:
            fields: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise OutsideProgramError(f"{self.login} sent an unexpected reply.", hint=_FOREIGN) from error
        if "refused" in fields:
            raise transport.refused(fields["refused"], fields["message"])
        if "errno" in fields:
            raise files.failure(OSError(fields["errno"] or 0, fields["message"]), f"{self.login}: {fields['message']}")
        return fields


def program() -> bytes:
    """Return the text of the far program, for a Python that may lack agentws."""
    lines = [f"PACKAGE = {__package__!r}\n{_LOAD}"]
    for module in (disk, copy_place, receiver, conversation):
        with open(str(module.__file__), encoding="utf-8") as file:
            lines.append(f"load({module.__name__.rpartition('.')[2]!r}, {file.read()!a})\n")
    return "".join([*lines, f"sys.modules[{conversation.__name__!r}].main()\n"]).encode("ascii")


_WORDS = (
    "--links",
    "--perms",
    "--chmod=ug-s,a-t,go-w",
    "--times",
    "--dirs",
    "--ignore-times",
    "--no-implied-dirs",
    "--secluded-args",
    "--from0",
    "--files-from=-",
    "--timeout=60",
    "--out-format=%l",
)
"""Links as they are, modes (as core/formats/travel/inventory.py lets them travel) and times; paths on standard input,
and none that a shell over there would see."""
_SOME_WENT = (23, 24)
_ON_DEATH = 1


def _follow(process: subprocess.Popen[bytes], progress: Progress | None) -> None:
    """Add up the lengths that rsync tells, a line for each file that it has sent."""
    assert process.stdout is not None
    sent = 0
    with process.stdout as lines:
        for line in lines:
            if line.strip().isdigit():
                sent += int(line)
                if progress:
                    progress(sent)


def _ending(code: int, binary_io: BinaryIO) -> str:
    if code == 0:
        return ""
    size = binary_io.seek(0, os.SEEK_END)
    binary_io.seek(max(0, size - _SAID_BYTES))
    words = " ".join(binary_io.read().decode("utf-8", "replace").split())
    if code in _SOME_WENT:
        return words
    full = "no space left" in words.lower() or "quota" in words.lower()
    hint = "Free some space at the destination. Then re-run" if full else "Re-run"
    raise OutsideProgramError(f"rsync failed with code {code}: {words}", hint=f"{hint} the same command to resume.")


def _to_die_with_us() -> Callable[[], None] | None:
    """What lets a child be ended when we are killed: else it would go on writing while somebody tries again."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        control = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return lambda: control(_ON_DEATH, signal.SIGKILL)
