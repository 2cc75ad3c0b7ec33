"""A connection to another machine: ssh, and at its other end the far program, which needs nothing but Python.

It is the shared connection too: what else speaks to that machine (rsync) goes through it, and ends with it.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from agentws.core.disk import files
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.errors import AgentwsError, OutsideProgramError
from agentws.features.copies.transfer import conversation, copy_place, disk, receiver, transport

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


class Wire:
    """Sends requests to the remote program on `login` (`user@host`); `folder` holds the connection's local files."""

    def __init__(self, login: str) -> None:
        program = shutil.which("ssh")
        if program is None:
            raise OutsideProgramError(
                "ssh was not found on PATH.", hint="Install OpenSSH: apt-get install openssh-client"
            )
        self.login = login
        self._program = program
        self.folder = tempfile.mkdtemp(prefix="agentws-")
        self._said: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the wire
        self._greeted = False
        command = f"exec python3 -I -S -c {shlex.quote(_BEGIN)}"
        words = [*self.words("ControlMaster=yes"), "--", login, command]
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

    def put(self, entry: TreeEntry, stream: transport.Stream | None) -> None:
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
