"""identity rotate: gives this installation a new signing key, signed by the old one."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.identity import writer
from agentws.core.identity import pinned_writers, vouch, writers
from agentws.core.installation import keys
from agentws.core.stores import record, seals
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.identity import write_access

KIND = "writer.rekeyed"
_NEXT = "key.next"


class Rotated(Result):
    """The result of a rotation: the `writer`, its old and its new public key; `new` is empty in a dry run."""

    __slots__ = ("dry_run", "new", "notices", "old", "writer")

    def __init__(self, writer_id: str, old: str, *, dry_run: bool) -> None:
        self.writer = writer_id
        self.old = old
        self.new = ""
        self.dry_run = dry_run
        self.notices: list[str] = []

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the new key after the rotation, else of the old one."""
        return writer.fingerprint(self.new or self.old)


def rotate(stores: Stores, *, dry_run: bool = False) -> Rotated:
    """Give this installation a new key; old seals stay valid, and the old private key is removed.

    An interrupted rotation is completed by the next one. UsageError if there is no key yet; OutsideProgramError if
    nothing can sign, or if an ssh-agent holds the key, which its owner has to change.
    """
    stores.check_writable()
    own = stores.installation()
    old = keys.find(own.folder, socket=own.socket) if own is not None else None
    if own is None or old is None:
        raise UsageError("This installation has no key yet.", hint="The first seal creates it: agentws journal seal")
    if keys.mode(own.folder) is None:
        raise OutsideProgramError(
            "The key of this installation is in an ssh-agent.",
            hint=f"Delete key.pub in {own.folder}: the next seal creates a new key, not signed by the old one.",
        )
    done = Rotated(own.writer, old.public, dry_run=dry_run)
    if dry_run:
        return done
    done.notices += seals.quietly(stores)  # the old key seals the events so far
    new = _next(own.folder, own.writer)
    if (own.writer, new.public) not in {(line.writer, line.key) for line in writers.lines(stores.files)}:
        vouch.vouch(
            stores.files,
            own.agent,
            by=own.writer,
            signer=old,
            writer_id=own.writer,
            key=new.public,
            host=_host(stores, own.writer),
            at=stores.now_text(),
        )
    both = {old.public, new.public}
    pinned_writers.add(stores.files, own, {own.writer: both}, by=pinned_writers.MACHINE, at=stores.now_text())
    keys.exchange(own.folder, _NEXT, comment=own.writer)
    done.new = new.public
    body = {"text": "signs with a new key", "old": old.public, "new": new.public}
    _, notices = record.record(stores, [Happening(KIND, body)])
    done.notices += [*notices, *seals.quietly(stores)]
    write_access.put_into_history(stores, "rotate")
    done.notices += stores.notices
    return done


def _next(folder: str, comment: str) -> keys.Key:
    """Return the new key, or the one that an interrupted rotation has already made."""
    keys.make(folder, _NEXT, comment=comment)
    return keys.at(f"{folder}/{_NEXT}")


def _host(stores: Stores, name: str) -> str:
    from agentws.core.installation import host_info

    known = [line.host for line in writers.lines(stores.files) if line.writer == name]
    return known[-1] if known else host_info.name()
