"""Fetch, verify, unpack and claim a migration parcel that waits in a git repository.

Whoever claims it is the only one that may put it in its place; see docs/format/git.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from agentws import features
from agentws.core.disk import files
from agentws.core.formats import digest, layout
from agentws.core.formats.identity import writer
from agentws.core.formats.travel import inventory, parcel
from agentws.core.formats.travel.inventory import FILE, Inventory, TreeEntry
from agentws.core.formats.travel.parcel import Signed
from agentws.core.identity import vouch, writers
from agentws.core.installation import host_info, keys
from agentws.core.journal.sealing.seal import Signers
from agentws.core.states.depot import Depot
from agentws.errors import DamagedError, MayNotWriteError, OutsideProgramError, UsageError
from agentws.features.copies.transfer import temporary
from agentws.features.copies.transfer.transport import Pieces, Source, Stream

_UNSIGNED = "The copy has no signature: an older agentws, a machine without a key, or someone else sent it."
_SECRET_BYTES = 16
_SETTINGS_BYTES = 4 << 20


class Waiting(Source):
    """A parcel that waits at `url`: its `migration` (empty: the only one), what it was `told`, its `entries`.

    The entries are those that may be put in place, `stripped` says which are not, or not as they were sent, and why;
    `runs` are the paths of those that could run something. `signer` is the fingerprint of the key that signed it, and
    `unsigned` says where that is not known why; `code` stands for the parcel and that key.

    UsageError where none waits, or several do; MayNotWriteError where another machine takes it.
    """

    def __init__(self, url: str, migration: str) -> None:
        super().__init__("")
        self.url = url
        self.entries: list[TreeEntry] = []
        self.told: dict[str, Any] = {}
        self.stripped: list[str] = []
        self.runs: list[str] = []
        self.code = self.signer = ""
        self.unsigned = _UNSIGNED
        self._known: Callable[..., bool] | None = None
        self._scratch = temporary.folder(prefix=temporary.PARCEL)
        self._depot = Depot(url, self._scratch)
        self._tree: dict[str, str] = {}
        self._commit = ""
        self._taken = ""
        self.migration = migration
        try:
            self.migration, self._state = self._find(migration)
        except BaseException:
            self.close()
            raise

    @property
    def is_there(self) -> bool:
        """Return whether the parcel is still in the repository."""
        return bool(self._state)

    def fetch(self) -> None:
        """Fetch and verify the parcel. DamagedError if it does not match its digests or signature."""
        taken = self._state.get(parcel.TAKEN, "")
        self._commit = self._depot.fetch(parcel.ref(self.migration, parcel.TAKEN if taken else parcel.READY))
        self._taken = self._depot.message(self._commit) if taken else ""
        self._tree = self._depot.tree(self._commit)
        try:
            self.told = parcel.told(self._depot.blob(self._tree[parcel.TOLD]))
            sent = parcel.entries(self._depot.blob(self._tree[parcel.INVENTORY]))
        except (KeyError, ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from error
        if self.told["migration"] != self.migration:
            raise self._damaged("the migration id does not match the name of the ref")
        broken = [entry.path for entry, sound in self._depot.verified(self._tree, sent) if not sound]
        if broken:
            raise self._damaged(f"{broken[0]} does not match its digest")
        try:
            self._check(sent)
        except ValueError as error:
            raise self._damaged(str(error)) from error
        settings = self._settings(sent)
        loaded = inventory.load_cargo(
            {entry.path: entry for entry in sent}, lambda entry: settings.get(entry.path, b""), digest.of
        )
        self.entries, self.texts = list(loaded.entries.values()), loaded.texts
        self.stripped, self.runs = loaded.stripped, inventory.what_runs(loaded.entries, features.settings_that_run())

    def scan(self) -> Inventory:
        """Return the entries of the parcel that may be put in place."""
        return {entry.path: entry for entry in self.entries}

    def streams(self, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, Stream | None]]:
        """Yield these entries, those outside the parcel first; see Source."""
        as_sent = {entry.path: entry for entry in entries if entry.kind == FILE and entry.path not in self.texts}
        yield from super().streams([entry for entry in entries if entry.path not in as_sent])
        for entry, pieces in self._depot.content(self._tree, list(as_sent.values())):
            yield entry, Pieces(pieces)

    def claim(self, secret: str) -> None:
        """Claim the parcel for this machine, for good. MayNotWriteError if another machine has claimed it."""
        host, claimed = parcel.claimed(self._taken) if self._taken else ("", "")
        if claimed == secret:
            return
        if self._taken:
            raise taken(host, self.url)
        commit = self._depot.commit_tree(
            self._depot.tree_of(self._commit), parcel.claim(host_info.name(), secret), (self._commit,)
        )
        self._depot.push(
            (
                (parcel.ref(self.migration, parcel.READY), self._commit, ""),
                (parcel.ref(self.migration, parcel.TAKEN), "", commit),
            )
        )
        self._state = {parcel.TAKEN: commit}

    def remove(self) -> None:
        """Remove the claimed parcel from the repository, after the agent has arrived."""
        known = self._state.get(parcel.TAKEN, "")
        if known:
            self._depot.push([(parcel.ref(self.migration, parcel.TAKEN), known, "")])

    def close(self) -> None:
        """Remove the private files."""
        self._depot.close()
        temporary.remove(self._scratch)

    def _find(self, migration: str) -> tuple[str, dict[str, str]]:
        parcels = parcel.waiting(self._depot.refs())
        if migration:
            return migration, parcels.get(migration, {})
        if len(parcels) > 1:
            raise UsageError(
                f"{len(parcels)} agents wait at {self.url}: {', '.join(sorted(parcels))}.",
                hint=f"Choose one by id: --from {self.url}#{min(parcels)}",
            )
        return next(iter(parcels.items()), ("", {}))

    def is_known(self, place: str) -> bool:
        """Return whether the copy at that absolute path knows the signing key, or knows a writer who vouches for it."""
        own_files = files.Files(place)
        return self._known is not None and self._known(known=Signers.read(own_files), void=writers.void(own_files))

    def _check(self, sent: Sequence[TreeEntry]) -> None:
        """Compare the files with the signed list. ValueError if they differ from it, or it cannot be verified."""
        statement = parcel.of(sent, self.told)
        agent, migration = self.told["agent"], self.told["migration"]
        if not self.told.get(parcel.FIELD):
            self.code = statement.code(agent, migration)
            return
        signed = parcel.read(self.told)
        same = signed is not None and (statement.inventory, statement.told) == (signed.inventory, signed.told)
        if signed is None or not same or bool(signed.signature) != bool(signed.key):
            raise ValueError("the content differs from what was sent")
        self.code = signed.code(agent, migration)
        if signed.signature:
            self._check_key(signed, {entry.path: entry for entry in sent if entry.kind == FILE})

    def _check_key(self, signed: Signed, held: dict[str, TreeEntry]) -> None:
        texts = {
            path: self._whole(held[path]).decode("utf-8", "replace") if path in held else ""
            for path in (layout.SIGNERS, layout.WRITERS)
        }
        agent, token = self.told["agent"], self.told.get("token")
        signers = Signers(writer.signers(texts[layout.SIGNERS]))
        if not signers.allow(signed.by, signed.key):
            raise ValueError(f"{layout.SIGNERS} does not list the key that signed the copy")
        if isinstance(token, dict) and (token.get("by"), token.get("key")) != (signed.by, signed.key):
            raise ValueError("the copy and its one-time token were signed with different keys")
        try:
            good = keys.verify(signed.signature, signed.message(agent, self.told["migration"]), public=signed.key)
        except OutsideProgramError as error:
            self.unsigned = error.message
            return
        if not good:
            raise ValueError("the signature of the copy is invalid")
        self.signer, self.unsigned = writer.fingerprint(signed.key), ""
        lines = writer.lines(texts[layout.WRITERS])
        self._known = partial(vouch.is_known, agent, lines, signers, signed.by, signed.key)

    def _settings(self, sent: Sequence[TreeEntry]) -> dict[str, bytes]:
        """Bytes of possible git settings to read at once; larger files are dropped."""
        entries, size = [], 0
        for entry in sent:
            if entry.kind == FILE and inventory.is_settings(entry.path) and size + entry.size <= _SETTINGS_BYTES:
                entries.append(entry)
                size += entry.size
        return {entry.path: b"".join(pieces) for entry, pieces in self._depot.content(self._tree, entries)}

    def _whole(self, entry: TreeEntry) -> bytes:
        """Content of one of the few files of the parcel that are inspected."""
        return b"".join(piece for _, pieces in self._depot.content(self._tree, [entry]) for piece in pieces)

    def _damaged(self, what: str) -> DamagedError:
        return DamagedError(
            f"The agent at {self.url} cannot be taken: {what}.",
            hint="Nothing was changed. At the source: agentws migrate --abort, then migrate again.",
        )


def secret() -> str:
    """Return a new random secret that identifies the claiming machine."""
    return os.urandom(_SECRET_BYTES).hex()


def taken(host: str, url: str) -> MayNotWriteError:
    """Return the error that another machine is taking the agent."""
    return MayNotWriteError(
        f"The agent at {url} is being taken on {host or 'another machine'}.",
        hint="Only one machine can take an agent. If that machine was interrupted, re-run the command there.",
    )
