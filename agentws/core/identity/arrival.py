"""The arrival of a migrated copy, and the one-time token that came with it: `.agentws/arrival.json`.

The token signs in the first installation that begins in the new place: it is a vouch by the installation that the agent
left. Specified in docs/format/identity.md.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

from agentws.core import Record
from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.identity import writer
from agentws.core.formats.identity.writer import Arrival, Vouch
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import parcel
from agentws.core.identity import vouch
from agentws.core.installation import keys
from agentws.core.installation.installation import Installation
from agentws.core.journal.sealing import writer_join
from agentws.core.journal.sealing.seal import Signers
from agentws.errors import AgentwsError

PATH = layout.ARRIVAL
SOUL, PINS = "soul", "pins"
_LIMIT_BYTES = 1 << 16
_TOKEN = "token"  # noqa: S105 - a key of JSON
_SECRET_BYTES = 16
_DAYS = 30


class Sender(Record):
    """The machine `host` that sent the arrived agent, from the folder `root` (may be empty), and when; the fingerprint
    `signer` of the key that signed the parcel (empty if unsigned or not verifiable here), and its `code`.
    """

    host: str
    root: str
    at: str
    signer: str
    code: str


def issue(agent: str, migration: str, *, place: str, now: datetime, by: str, signer: keys.Key) -> dict[str, str]:
    """Return a new one-time token for the arrival of the copy sent to `place` (or empty), signed by the writer `by`."""
    from datetime import timedelta

    secret = os.urandom(_SECRET_BYTES).hex()
    until = (now + timedelta(days=_DAYS)).date().isoformat()
    arrival = Arrival(migration, secret, until, place)
    signature = signer.sign(arrival.message(agent))
    return {**arrival.plain(), "by": by, "key": signer.public, "signature": signature}


def token(files: Files) -> Vouch | None:
    """Return the unused arrival token (a vouch) that came with this copy; None if there is none for this very folder.

    Its signature and its expiry are not checked.
    """
    fields = _own_record(files)
    value = fields.get(_TOKEN)
    if not isinstance(value, dict):
        return None
    given = Vouch.of({**value, "arrival": value})
    if given is None or given.arrival is None or given.arrival.place not in ("", fields["place"]):
        return None
    return given if given.arrival.migration == fields.get("migration") else None


def pinned(files: Files) -> tuple[Any, Any]:
    """Return the pins that arrived from where the agent came from: of SOUL.md, and of all other files by name."""
    fields = _own_record(files)
    return fields.get(SOUL), fields.get(PINS)


def sender(files: Files, agent: str) -> Sender | None:
    """Return who sent the agent that arrived in this very folder; None if it did not, or the sender is not recorded."""
    fields = _own_record(files)
    signed = parcel.read(fields)
    if signed is None:
        return None
    migration, good = str(fields.get("migration", "")), False
    if signed.signature:
        try:
            good = keys.verify(signed.signature, signed.message(agent, migration), public=signed.key)
        except AgentwsError:
            good = False
    fingerprint = writer.fingerprint(signed.key) if good else ""
    host, root, at = (str(fields.get(name, "")) for name in ("from", "root", "at"))
    return Sender(host, root, at, fingerprint, signed.code(agent, migration))


def is_good(files: Files, agent: str, given: Vouch, day: str) -> bool:
    """Return whether an arrival token is valid on this day (`YYYY-MM-DD`): unused, and signed by a trusted writer."""
    from agentws.core.identity import writers

    lines = writers.lines(files)
    signers = Signers.read(files)
    assert given.arrival is not None
    void = writers.void(files)
    if day > given.arrival.until or given.arrival.migration in void or vouch.is_spent(lines, given.arrival):
        return False
    if not signers.allow(given.by, given.key):
        return False
    try:
        sound = keys.verify(given.signature, given.arrival.message(agent), public=given.key)
        return sound and vouch.is_trusted(agent, lines, signers, given.by, given.key, void=void)
    except AgentwsError:
        return False  # no program here can check the signature


def redeem(files: Files, own: Installation, *, at: str) -> bool:
    """Sign the arrived installation in with the token that came with the copy, durably; False without a valid token.

    `at` is the present time, as in the journal. After a kill the installation is either not signed in, or signed in
    with the token marked as used by its line.
    """
    given = token(files)
    if given is None:
        return False
    try:
        key = keys.ensure(own.folder, comment=own.writer, socket=own.socket)
    except AgentwsError:
        key = None
    if key is None or not is_good(files, own.agent, given, at[:10]):
        return False
    after = writer_join.news(files, but=own.writer)
    vouch.add(files, own.writer, key.public, at=at, after=after, vouched_by=given)
    _spend(files)
    return True


def through(place: str, url: str) -> str:
    """Return the id of the migration of this copy's arrival through that repository; empty for none."""
    fields = _read(_files.Files(place)) if os.path.isdir(place) else {}
    return str(fields.get("migration", "")) if fields.get("through") == url else ""


def claim(place: str) -> str:
    """Return the word with which the copy at this absolute path claims its arrival by migration; empty for none."""
    fields = _read(_files.Files(place)) if os.path.isdir(place) else {}
    return str(fields.get("claim", ""))


def _own_record(files: Files) -> dict[str, Any]:
    """Return the arrival record of this very folder; empty if the folder is a copy of the one that arrived."""
    fields = _read(files)
    try:
        inode = os.stat(files.root).st_ino
    except OSError:
        return {}
    return fields if (fields.get("inode"), fields.get("place")) == (inode, os.path.realpath(files.root)) else {}


def _read(files: Files) -> dict[str, Any]:
    try:
        return plainjson.fields_of(files.read(PATH, limit_bytes=_LIMIT_BYTES))
    except AgentwsError:
        return {}


def _spend(files: Files) -> None:
    before = files.read(PATH, limit_bytes=_LIMIT_BYTES)
    decoded = {name: what for name, what in plainjson.loads(before).items() if name != _TOKEN}
    files.replace(PATH, plainjson.dumps(decoded).encode() + b"\n", expects=digest.of(before))
