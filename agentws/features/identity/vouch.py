"""identity vouch: vouches for another writer with a signature, or shows what another one needs to vouch for this."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.identity import sshsig, writer
from agentws.core.identity import join, pinned_writers, vouch as _vouch, writers
from agentws.core.installation import keys
from agentws.core.installation.installation import Installation
from agentws.core.journal import read
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.identity import write_access

KIND = "writer.vouched"
UNTRUSTED = (
    "This installation is not vouched for: workspaces that require it reject its seals. "
    "To have them accepted: agentws identity takeover"
)
UNSIGNED = "The vouch counts on this machine only: without a key, other machines cannot verify it."
_ID_DIGITS = 16


class Vouched(Result):
    """The result of a vouch: the `writer`, its `key`, and the writer that vouches in `by`, empty for a request."""

    __slots__ = ("by", "dry_run", "fingerprint", "key", "notices", "writer")

    def __init__(self, writer_id: str, key: str, *, by: str = "", dry_run: bool = False) -> None:
        self.writer = writer_id
        self.key = key
        self.fingerprint = writer.fingerprint(key) if key else ""
        self.by = by
        self.dry_run = dry_run
        self.notices: list[str] = []


def request(stores: Stores) -> Vouched:
    """Return this installation's writer and key, created if missing, so that another one can vouch for it.

    The workspace is not changed. OutsideProgramError if no program here can make a key.
    """
    stores.check_adopted()
    own = stores.installation() or join.register(*stores.machine, stores.moment_us())
    return Vouched(own.writer, _key(own).public)


def vouch(stores: Stores, writer_id: str, *, key: str | None = None, host: str = "", dry_run: bool = False) -> Vouched:
    """Vouch for a writer: add a signed line durably, and record an event; from then on this machine knows the writer.

    `key` is needed if `identity/` has none. A writer without a key that has written here, and any writer if nothing can
    sign, is known on this machine alone. UsageError for an unknown writer or key, NeedsYouError for an agent.
    """
    stores.check_writable()
    name, public, label = _named(stores, writer_id, key)
    own = stores.installation()
    if own is not None and own.writer == name:
        raise UsageError(
            "An installation cannot vouch for itself.",
            hint="Run this on an installation that may write. If no installation may: agentws identity takeover",
        )
    done = Vouched(name, public, by=own.writer if own else "", dry_run=dry_run)
    if dry_run:
        return done
    stores.environment.check_person(f"agentws identity vouch {name}")
    stores.appender()  # an installation that has not written yet becomes a writer
    own = stores.installation()
    assert own is not None
    names = pinned_writers.keys_told(stores.files).get(name, set()) | ({public} if public else set())

    def pin(own: Installation) -> None:
        pinned_writers.add(
            stores.files, own, {name: names}, by=pinned_writers.PERSON, at=stores.now_text(), holds_settings=True
        )

    if not public or not keys.is_possible():
        pin(own)
        done.by = own.writer
        done.notices += [UNSIGNED, *stores.notices]
        return done
    signer = _key(own)
    # This installation's own key is listed before it vouches for another one.
    if (own.writer, signer.public) not in {(line.writer, line.key) for line in writers.lines(stores.files)}:
        _vouch.add(stores.files, own.writer, signer.public, at=stores.now_text(), after={})
    if not _vouch.is_vouched(stores.files, own):
        done.notices.append(UNTRUSTED)
    _vouch.vouch(
        stores.files,
        own.agent,
        by=own.writer,
        signer=signer,
        writer_id=name,
        key=public,
        host=host or label,
        at=stores.now_text(),
    )
    pin(own)
    body = {"text": f"vouches for {name}", "writer": name, "key": public}
    _, notices = record.record(stores, [Happening(KIND, body)])
    done.by = own.writer
    write_access.put_into_history(stores, "vouch")
    done.notices += [*notices, *stores.notices]
    return done


def _named(stores: Stores, writer_id: str, key: str | None) -> tuple[str, str, str]:
    """Return the whole id, the key and the machine of the writer that `writer_id` means."""
    lines = writers.lines(stores.files)
    names = {line.writer for line in lines} | {other.writer for other in writers.all_of(stores.files)}
    matches = [name for name in sorted(names) if name == writer_id or name.endswith(writer_id)]
    name = matches[0] if len(matches) == 1 else writer_id
    if len(name) != _ID_DIGITS or name.strip("0123456789abcdef"):
        raise UsageError(f"{writer_id!r} is not a writer.", hint="List writers: agentws identity show")
    known = [line for line in lines if line.writer == name and line.key]
    public = " ".join((key or (known[-1].key if known else "")).split()[:2])
    if not public and name in read.writers(stores.files):
        return name, "", known[-1].host if known else ""
    if not public:
        raise UsageError(
            f"The key of {name} is unknown here.", hint="Run there, to print the key: agentws identity vouch"
        )
    try:
        sshsig.raw_key(public)
    except ValueError as error:
        raise UsageError(
            f"--key is not a usable key: {error}.", hint="Give the full key: --key 'ssh-ed25519 AAAA…'"
        ) from None
    return name, public, known[-1].host if known else ""


def _key(own: Installation) -> keys.Key:
    key = keys.ensure(own.folder, comment=own.writer, socket=own.socket)
    if key is None:
        raise OutsideProgramError(f"Nothing can be signed here: {keys.MISSING}.")
    return key
