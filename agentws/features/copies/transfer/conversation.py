"""The far end of a connection: answers requests with the receiver, as JSON lines on standard input and output.

It is sent as text with the receiver, so it imports nothing else of agentws.
"""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO

from agentws.features.copies.transfer.copy_place import Refused
from agentws.features.copies.transfer.disk import FILE
from agentws.features.copies.transfer.receiver import Receiver

MARK = "agentws-far-1"
_PIECE = 1 << 20
_BATCH = 500


class Conversation:
    """Answers requests until there are no more. What is put into the copy is not answered; the next answer tells."""

    def __init__(self, asked: BinaryIO, answers: BinaryIO) -> None:
        self._far = Receiver(wired=True)
        self._asked = asked
        self._answers = answers
        self._late: OSError | Refused | None = None

    def hold(self) -> None:
        """Say hello, and answer."""
        self._answers.write(f"{MARK}\n".encode("ascii"))
        self._say({"python": list(sys.version_info[:3])})
        try:
            for line in iter(self._asked.readline, b""):
                try:
                    self._answer(json.loads(line))
                except Refused as error:
                    self._say({"refused": error.code, "message": str(error)})
                except OSError as error:
                    self._say({"errno": error.errno, "message": str(error)})
        finally:
            self._far.close()

    def _answer(self, request: dict[str, Any]) -> None:
        name = request.pop("op")
        if name == "put":
            self._put(request)
            return
        if self._late is not None:
            raise self._late
        if name == "entries":
            self._entries(request["paths"])
        else:
            self._say({"done": getattr(self._far, name)(**request)})

    def _entries(self, paths: list[str] | None) -> None:
        batch: list[list[Any]] = []
        for entry in self._far.entries(paths):
            batch.append(entry)
            if len(batch) == _BATCH:
                self._say({"entries": batch})
                batch = []
        self._say({"entries": batch, "end": True})

    def _put(self, request: dict[str, Any]) -> None:
        # The bytes are taken from the stream whatever happens, so that what follows is a request again.
        stream = _Bounded(self._asked, request["entry"][4] if request["entry"][1] == FILE else 0)
        try:
            if self._late is None:
                self._far.put(request["entry"], stream)
        except (OSError, Refused) as error:
            self._late = error
        finally:
            stream.skip()

    def _say(self, fields: dict[str, Any]) -> None:
        self._answers.write(json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n")
        self._answers.flush()


class _Bounded:
    """So many bytes of a stream, and no more."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int) -> bytes:
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        return piece

    def skip(self) -> None:
        while self._left and self.read(_PIECE):
            pass


def main() -> None:
    """Hold a conversation on standard input and output."""
    try:
        Conversation(sys.stdin.buffer, sys.stdout.buffer).hold()
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
