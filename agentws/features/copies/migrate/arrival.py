"""The arrival of a migrated agent: its first boot, its tokens and pins, and the vouch for its new installation.

The agent has arrived in any case; a failure here becomes a notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.travel import parcel
from agentws.core.formats.travel.inventory import TreeEntry
from agentws.core.formats.travel.parcel import Signed
from agentws.core.identity import arrival, pins, vouch as _vouch, writers
from agentws.core.installation import keys
from agentws.core.journal import read
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, UsageError
from agentws.features.copies.migrate.plan.next_step import There
from agentws.features.copies.transfer.transport import Transport

_NOT_VOUCHED = "The new installation is not vouched for"
_AT_PLACE = 'If identity.mode is "require", it cannot write until you run on that machine: agentws identity takeover'


def boot(transport: Transport, notices: list[str]) -> bool | None:
    """Boot the agent at its new place and return whether that worked; None if it could not be tried."""
    try:
        fields = transport.boot()
    except AgentwsError as error:
        notices.append(f"The agent has arrived, but its first boot was not checked: {error.message}")
        return None
    if fields["code"]:
        notices.append(f"The agent has arrived, but its first boot failed: {fields['said']}")
    return None if fields["code"] is None else not fields["code"]


def token(stores: Stores, migration: str, place: str) -> dict[str, dict[str, str]]:
    """Return the one-time token that signs in the first writer at the new place; empty without a key to sign with."""
    try:
        by, signer = signing(stores)
        if signer is None:
            return {}
        now, agent = stores.clock.now(), stores.manifest.agent_id
        return {"token": arrival.issue(agent, migration, place=place, now=now, by=by, signer=signer)}
    except AgentwsError:
        return {}  # it joins without being signed in then


def signing(stores: Stores) -> tuple[str, keys.Key | None]:
    """Return the writer that this installation is, empty before it is one, and the key that it signs with, or None."""
    own = stores.installation()
    return (own.writer, keys.find(own.folder, socket=own.socket)) if own is not None else ("", None)


def pinned(stores: Stores) -> dict[str, Any]:
    """Return the pins to send, so that the new place still reports changes that nobody has agreed to."""
    own = stores.installation()
    known = pins.read(own.folder) if own is not None else pins.brought(stores.files)
    plain_pins = {name: pin.plain() for name, pin in known.items()}
    soul = plain_pins.pop(layout.SOUL, None)
    return ({arrival.SOUL: soul} if soul else {}) | ({arrival.PINS: plain_pins} if plain_pins else {})


def signed(stores: Stores, fields: Mapping[str, Any], entries: Iterable[TreeEntry], notices: list[str]) -> Signed:
    """Return the signature of the copy's content and facts by this writer; unsigned without a key, with a notice."""
    try:
        by, signer = signing(stores)
        if signer is not None:
            made = parcel.of(entries, fields, by=by, key=signer.public)
            made.signature = signer.sign(made.message(stores.manifest.agent_id, str(fields["migration"])))
            return made
        why = "this installation has no key"
    except AgentwsError as error:
        why = error.message.rstrip(".")
    notice = f"Sent unsigned: {why}. The receiver cannot verify the sender."
    if notice not in notices:
        notices.append(notice)
    return parcel.of(entries, fields)


def shown(signed: Signed, agent: str, migration: str) -> tuple[str, str]:
    """Return the parcel's code and the fingerprint of its signing key (empty if unsigned)."""
    return signed.code(agent, migration), writer.fingerprint(signed.key) if signed.signature else ""


def void(stores: Stores, migration: str) -> None:
    """Revoke all tokens of this migration, in this workspace and all that sync with it."""
    own = stores.installation()
    at = stores.clock.now().isoformat(timespec="seconds")
    _vouch.void(stores.files, migration, by=own.writer if own else "", at=at)


def sign_in(stores: Stores, transport: Transport, host: str, notices: list[str]) -> bool:
    """Vouch for the installation at the new place with this one's key; return whether that was done."""
    try:
        fields = transport.joins()
        lines = _lines(stores, fields, host) if fields else {}
        if lines:
            transport.sign_in(lines)
        elif signing(stores)[1] is None:
            notices.append(f"{_NOT_VOUCHED}: this one has no key to sign with. {_AT_PLACE}")
        return bool(lines)
    except AgentwsError as error:
        notices.append(f"{_NOT_VOUCHED}: {error.message} {_AT_PLACE}")
        return False


def _lines(stores: Stores, fields: dict[str, str], host: str) -> dict[str, str]:
    """Return the identity lines that vouch for the new installation, by file; none without a key to sign with."""
    by, signer = signing(stores)
    if signer is None:
        return {}
    name, key = fields["writer"], fields["key"]
    seen = writers.heads(writers.all_of(stores.files))
    vouch = _vouch.signature(stores.manifest.agent_id, name, key, seen, by=by, signer=signer)
    at = stores.clock.now().isoformat(timespec="seconds")
    line = writer.line(writer=name, key=key, host=host, at=at, after=seen, vouched_by=vouch)
    return {layout.WRITERS: line, layout.SIGNERS: writer.signer(name, key)}


def is_ahead(there: There, files: Files) -> AgentwsError | None:
    """Return an error if the older copy at the destination has events that `files` lack, else None."""
    for name, (seq, hash_) in (there.heads() or {}).items():
        try:
            same = read.find(files, name, seq).hash == hash_
        except AgentwsError:
            same = False
        if not same:
            return UsageError(
                f"The copy of this agent at {there.path} has events that are missing here ({name}:{seq}).",
                hint="Check that copy, or choose another folder.",
            )
    return None


@dataclass(frozen=True, slots=True)
class Migrated:
    """The result of migrate, of its dry run, or of migrate --abort.

    `path` is the absolute path at the destination, `host` that machine's name. `files` and `bytes` count the whole
    workspace, `sent_files` and `sent_bytes` what was sent now. `state` is `planned`, `moved`, `waiting` (in a
    repository, to be taken from there), `arrived` (taken from the repository `through`), `already` (it was there
    before this call) or `aborted`. `aside` is the new place of an older copy, `booted` whether the agent booted there
    (None: agentws is not installed), `vouched` whether its new installation was signed in. `left` are paths that
    cannot be sent, `stripped` says what is left out or changed and why, `runs` are paths of files that could run
    programs.

    `signer` is the fingerprint of the signing key (empty: unsigned), `code` identifies the content and the key.
    """

    to: str
    via: str
    state: str
    migration: str
    path: str = ""
    host: str = ""
    files: int = 0
    bytes: int = 0
    sent_files: int = 0
    sent_bytes: int = 0
    resumes: bool = False
    aside: str = ""
    booted: bool | None = None
    vouched: bool = False
    left: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    through: str = ""
    stripped: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    signer: str = ""
    code: str = ""
