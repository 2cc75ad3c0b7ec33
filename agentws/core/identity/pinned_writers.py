"""The pinned writers: those this machine knows, with their keys, kept in the installation's state.

The state is outside of the workspace: write access to the folder is not enough to add a writer. Specified in
docs/format/local.md.
"""

from __future__ import annotations

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.formats import digest, layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.json import plainjson
from agentws.core.identity import writers as _writers
from agentws.core.installation import installation, state_dir
from agentws.core.journal import read as _read
from agentws.errors import AgentwsError, ChangedUnderneathError, DamagedError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.manifest import Manifest
    from agentws.core.installation.installation import Installation
    from agentws.core.installation.state_dir import State

NAME = installation.KNOWN
FOUND, VOUCHED, SEALED, MACHINE, PERSON, TAKEOVER = "found", "vouched", "sealed", "machine", "person", "takeover"
"""How a writer became known: it was present at first contact; a known writer vouched for it; it seals with a known key;
it is an installation of this machine; a person accepted it; a person took over beside it.
"""
SETTINGS, HELD = "settings", "held"
"""A person let the writer in, and no sync has met its settings since: these are shown, and not taken."""
APPEARED, REKEYED = "appeared", "rekeyed"
"""Why a writer is unknown: it appeared later; or its key has changed."""
_LIMIT_BYTES = 1 << 24
_MOST_HANDOFFS, _HANDOFF_BYTES = 2_000, 1 << 20


class Pins:
    """The pinned writers: for each its record, its signing `keys` and its newest event (`seq`, `hash`) at that time;
    the keys that may vouch as `recovery`; and the digests of the `handoffs` present at first contact, by path: these
    may be handmade.
    """

    def __init__(
        self, writers: dict[str, dict[str, Any]], recovery: list[str], handoffs: dict[str, str] | None = None
    ) -> None:
        self.writers = writers
        self.recovery = recovery
        self.handoffs = handoffs or {}

    def keys(self, name: str) -> set[str]:
        """Return the pinned keys of a writer, none if it is not pinned or had none."""
        keys = self.writers.get(name, {}).get("keys")
        return {key for key in keys if isinstance(key, str)} if isinstance(keys, list) else set()

    def missing_proof(self, name: str, keys: set[str]) -> str:
        """Return why this writer, with these keys in the folder, is unknown; empty if it is known."""
        if name not in self.writers:
            return APPEARED
        pinned = self.keys(name)
        return REKEYED if pinned and keys - pinned else ""

    def add(self, name: str, keys: set[str], *, by: str, at: str, head: tuple[int, str] | None = None) -> None:
        """Pin a writer with these keys, in addition to the keys that it has."""
        record = self.writers.setdefault(name, {"by": by, "at": at})
        record["keys"] = sorted(self.keys(name) | keys)
        if head is not None:
            record["seq"], record["hash"] = head


def read(folder: str) -> Pins | None:
    """Return the writers pinned in this state, None for none. DamagedError if the file is unreadable."""
    try:
        decoded = plainjson.loads(_files.Files(folder).read(NAME, limit_bytes=_LIMIT_BYTES))
        writers = {str(name): dict(record) for name, record in decoded["writers"].items()}
        handoffs = {str(path): str(result) for path, result in decoded.get("handoffs", {}).items()}
        return Pins(writers, [str(key) for key in decoded.get("recovery", [])], handoffs)
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(
            f"{folder}/{NAME}: unreadable list of known writers.",
            hint="To accept the current writers, move this file away, then run: agentws identity show",
        ) from error


def ensure(files: Files, own: Installation, *, at: str) -> Installation:
    """Pin all present writers, durably, if none are pinned yet; returns the installation with its secret.

    The record of the installation then holds the secret by which it recognizes its own hints in the folder.
    """
    if own.secret is not None:
        return own
    local_dir.prepare(files)
    with lock.Lock(files, lock.APPEND):
        known = read(own.folder)
        if known is None:
            _write(own.folder, all_of(files, own, at=at), expects=ABSENT)
        elif own.writer not in known.writers:  # it has met the agent before it was let in
            expects = _files.Files(own.folder).digest(NAME)
            known.add(own.writer, keys_told(files).get(own.writer, set()), by=FOUND, at=at)
            known.handoffs |= _handoffs(files)  # until now this user wrote them by hand
            _write(own.folder, known, expects=expects)
    return installation.keep_secret(files, own)


def meet(files: Files, agent: str, state: State, *, at: str) -> None:
    """Pin all present writers, durably, for an installation that may not write yet, if none are pinned: writers that
    come later are strangers. The caller holds the lock of a verb.
    """
    own = of(files, agent, state)
    if not _files.Files(own.folder).exists(NAME):
        folder = own.folder if own.writer else state_dir.ensure(files, agent, state)
        state_dir.make(folder)
        _write(folder, all_of(files, own, at=at), expects=ABSENT)
        state_dir.keep(folder)


def meet_at_boot(files: Files, agent: str, state: State, manifest: Manifest, *, at: str) -> None:
    """Pin all present writers and identity files at the first boot of an installation that has not written yet.

    It takes no lock, and an error is ignored: the first write pins what is not pinned by then. So it does where the
    state lies in the workspace, in which boot writes nothing.
    """
    from agentws.core.identity import pins

    current = of(files, agent, state)
    own = _files.Files(current.folder)
    is_within = f"{current.folder}/".startswith(f"{files.root}/")
    if current.writer or is_within or (own.exists(NAME) and own.exists(installation.PINS)):
        return
    try:
        state_dir.make(current.folder)
        if not own.exists(NAME):
            _write(current.folder, all_of(files, current, at=at), expects=ABSENT)
        pins.start(files, manifest, current.folder, at=at)
    except (AgentwsError, OSError):
        return


def of(files: Files, agent: str, state: State) -> Installation:
    """Return this installation, which pins writers; before its first write a nameless one, perhaps with pins."""
    own = installation.find(files, agent, state)
    return own or installation.Installation(agent, "", installation.place(files, agent, state))


def add(
    files: Files,
    current: Installation,
    keys_by_writer: Mapping[str, set[str]],
    *,
    by: str,
    at: str,
    holds_settings: bool = False,
) -> None:
    """Pin these writers with these keys, durably, and the newest event of each.

    With `holds_settings`, the next sync shows their settings and takes none.
    """
    with lock.Lock(files, lock.APPEND):
        own = _files.Files(current.folder)
        before = own.read(NAME, limit_bytes=_LIMIT_BYTES) if own.exists(NAME) else None
        pins = (read(current.folder) if before is not None else None) or all_of(files, current, at=at)
        for name, keys in keys_by_writer.items():
            pins.add(name, keys, by=by, at=at, head=head(files, name))
            if holds_settings:
                pins.writers[name][SETTINGS] = HELD
        _write(current.folder, pins, expects=ABSENT if before is None else digest.of(before))


def release_settings(files: Files, current: Installation, name: str) -> None:
    """Let the settings of a pinned writer count from the next sync on, durably."""
    with lock.Lock(files, lock.APPEND):
        expects, pins = _files.Files(current.folder).digest(NAME), read(current.folder)
        if pins is not None and pins.writers.get(name, {}).pop(SETTINGS, None) is not None:
            _write(current.folder, pins, expects=expects)


def add_all(files: Files, own: Installation, *, by: str, at: str) -> None:
    """Pin every present writer with its keys in the folder and its newest event: a person accepts these, and gives up
    what is missing.
    """
    with lock.Lock(files, lock.APPEND):
        expects = _files.Files(own.folder).digest(NAME)
        all_pins, pins = all_of(files, own, at=at), read(own.folder) or Pins({}, [])
        for record in pins.writers.values():
            record.pop("seq", None)
            record.pop("hash", None)
        for name in all_pins.writers:
            pins.add(name, all_pins.keys(name), by=by, at=at, head=head(files, name))
        pins.recovery = sorted({*pins.recovery, *all_pins.recovery})
        pins.handoffs |= all_pins.handoffs
        _write(own.folder, pins, expects=expects)


def learn(current: Installation, pins: Pins, keys_by_writer: Mapping[str, tuple[set[str], str]], *, at: str) -> None:
    """Pin writers (keys, proof) that were found to be known. An error is ignored: they are found again."""
    own = _files.Files(current.folder)
    try:
        expects = own.digest(NAME)
        for name, (keys, by) in keys_by_writer.items():
            pins.add(name, keys, by=by, at=at)
        _write(current.folder, pins, expects=expects)
    except (AgentwsError, ChangedUnderneathError):
        return


def all_of(files: Files, own: Installation, *, at: str) -> Pins:
    """Return pins of all writers found here now."""
    keys_by_writer = keys_told(files)
    pins = Pins({}, sorted(keys_by_writer.pop(writer.RECOVERY, set())), _handoffs(files))
    names = {*_read.writers(files), *keys_by_writer, *(line.writer for line in _writers.lines(files)), own.writer} - {
        ""
    }
    for name in sorted(names):
        pins.add(name, keys_by_writer.get(name, set()), by=FOUND, at=at, head=head(files, name))
    return pins


def _handoffs(files: Files) -> dict[str, str]:
    """Return the digests of the newest handoff files."""
    names = [name for name, kind in files.names(layout.HANDOFFS) if kind == "file" and name.endswith(".md")]
    handoffs = {}
    for name in names[-_MOST_HANDOFFS:]:
        path = f"{layout.HANDOFFS}/{name}"
        try:
            handoffs[path] = digest.of(files.read(path, limit_bytes=_HANDOFF_BYTES))
        except AgentwsError:
            continue
    return handoffs


def keys_told(files: Files) -> dict[str, set[str]]:
    """Return the keys of each writer that the folder lists, including keys for signing only."""
    result: dict[str, set[str]] = {}
    for line in _writers.lines(files):
        if line.key:
            result.setdefault(line.writer, set()).add(line.key)
    try:
        signers = writer.signers(files.read(layout.SIGNERS).decode("utf-8", "replace"))
    except MissingFileError:
        signers = {}
    for name, keys in signers.items():
        result.setdefault(name, set()).update(keys)
    return result


def head(files: Files, name: str) -> tuple[int, str] | None:
    """Return the number and hash of the newest event to pin for a writer, None if there is no readable one."""
    try:
        line = _read.newest_line(files, name)
        return (segment.seq_of(line), chain.hash_of(line)) if line else None
    except (AgentwsError, ValueError):
        return None


def _write(folder: str, pins: Pins, *, expects: str) -> None:
    fields = {"agentws": 1, "writers": pins.writers, "recovery": pins.recovery, "handoffs": pins.handoffs}
    _files.Files(folder).replace(NAME, plainjson.dumps(fields, indent=1).encode() + b"\n", expects=expects)
