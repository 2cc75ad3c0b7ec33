"""Proof for a writer that joined after this machine pinned the others: a vouch, a seal or a key of this machine.

Loaded only if there is such a writer.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats.identity import writer
from agentws.core.formats.identity.writer import WriterLine
from agentws.core.formats.json import plainjson
from agentws.core.identity import pinned_writers, vouch, writers
from agentws.core.identity.pinned_writers import Pins
from agentws.core.installation import keys
from agentws.core.installation.installation import Installation
from agentws.core.journal.sealing.seal import Signers
from agentws.errors import AgentwsError

_RECORD_BYTES = 1 << 16


class Proof:
    """Finds proof for unknown writers from the pins; checks a bounded number of signatures and sibling states."""

    def __init__(self, files: Files, current: Installation, pins: Pins, *, most: int, most_siblings: int) -> None:
        self._files = files
        self._here = current
        self._pins = pins
        self._left = most
        self._most_siblings = most_siblings
        self._lines = writers.lines(files)
        self._void = writers.void(files)
        self._signers = Signers.read(files)
        self._siblings: dict[str, set[str]] | None = None

    def of(self, name: str, names: set[str]) -> str:
        """Return the kind of proof for a writer with these keys, empty for none."""
        new = names - self._pins.keys(name)
        if name in self._made_here() and new <= self._made_here()[name]:
            return pinned_writers.MACHINE
        if not new:
            return ""
        if all(self._is_vouched(name, key) for key in new):
            return pinned_writers.VOUCHED
        return pinned_writers.SEALED if self._seals_with_known(name, new) else ""

    # An installation of this machine

    def _made_here(self) -> dict[str, set[str]]:
        """Return this agent's writers whose state is beside this installation's state, with their public keys."""
        if self._siblings is None:
            self._siblings = {}
            base = os.path.dirname(self._here.folder)
            if base != self._files.root and not base.startswith(f"{self._files.root}/"):  # what lies there anybody adds
                self._look_in(base)
        return self._siblings

    def _look_in(self, base: str) -> None:
        assert self._siblings is not None
        try:
            folders = sorted(entry.path for entry in os.scandir(base) if entry.is_dir(follow_symlinks=False))
        except OSError:
            return
        for folder in folders[: self._most_siblings]:
            own = _files.Files(folder)
            try:
                records = [name for name, _ in own.names() if name.partition(".")[0] == "writer"]
                for record in records:
                    decoded = plainjson.loads(own.read(record, limit_bytes=_RECORD_BYTES))
                    if decoded["agent"] == self._here.agent:
                        self._siblings.setdefault(str(decoded["writer"]), set()).update(keys.publics(folder))
            except (AgentwsError, ValueError, KeyError, TypeError):
                continue  # another workspace's business

    # A vouch

    def _is_vouched(self, name: str, key: str) -> bool:
        for line in reversed(self._lines):
            vouched_by = line.vouched_by
            if (
                (line.writer, line.key) != (name, key)
                or vouched_by is None
                or not self._may_vouch(vouched_by.by, vouched_by.key)
            ):
                continue
            if vouch.misuse(self._lines, line, self._void):
                continue
            if self._is_signed(line):
                return True
        return False

    def _is_signed(self, line: WriterLine) -> bool:
        return self._holds(lambda: not vouch.judge(self._here.agent, line, self._signers))

    def _may_vouch(self, by: str, key: str) -> bool:
        if by == writer.RECOVERY:
            return key in self._pins.recovery
        return key in self._pins.keys(by) | keys.publics(self._here.folder)

    # A seal

    def _seals_with_known(self, name: str, new: set[str]) -> bool:
        """Return whether the writer has sealed with a known writer's key: it continues beside an older copy."""
        known = {key for each in self._pins.writers for key in self._pins.keys(each)}
        if not new <= known:
            return False
        from agentws.core.journal import read
        from agentws.core.journal.sealing import proof

        allowed = Signers({name: new})
        first = read.retired(self._files, name) + 1
        return self._holds(
            lambda: proof.prove(self._files, self._here.agent, name, notices=[], signers=allowed).covers(first)
        )

    def _holds(self, check: Callable[[], bool]) -> bool:
        """Return whether a check of signatures succeeds; False if it cannot be done, or too many were done."""
        if self._left <= 0:
            return False
        self._left -= 1
        try:
            return check()
        except (AgentwsError, ValueError):
            return False
