"""identity show: the agent, this installation and its standing, the other writers, and SOUL.md as accepted."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import agent_name, layout
from agentws.core.formats.identity import writer
from agentws.core.identity import join, pins, vouch, writers
from agentws.core.installation import installation, keys
from agentws.core.journal.sealing.seal import Signers
from agentws.core.stores import identity_drift
from agentws.errors import AgentwsError, NeedsYouError
from agentws.features.identity import write_access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.identity.writer import WriterLine
    from agentws.core.identity.arrival import Sender
    from agentws.core.identity.pins import Pin
    from agentws.core.identity.write_access import WriteAccess
    from agentws.core.identity.writers import Other
    from agentws.core.installation.installation import Installation
    from agentws.core.stores.stores import Stores

FIRST, NOBODY = "first", "nobody"


class KnownWriter(Result):
    """A writer in this copy: its id, its machine, since when it writes, its newest event here, and who admitted it.

    `trusted_by` is FIRST, `takeover`, the id of a writer, `recovery`, or NOBODY. `here` marks this installation.
    """

    __slots__ = ("fingerprint", "here", "host", "last", "seq", "since", "trusted_by", "writer")

    def __init__(
        self, writer: str, *, host: str, since: str, last: str, seq: int, trusted_by: str, is_here: bool
    ) -> None:
        self.writer = writer
        self.host = host
        self.since = since
        self.last = last
        self.seq = seq
        self.trusted_by = trusted_by
        self.here = is_here
        self.fingerprint = ""


class Pinned(Result):
    """An accepted file, or table of the manifest: its `name`, when it was `agreed` to, the verb `by` which agentws
    changed it last (empty for none), and a sentence on how it has `changed` otherwise (empty if not).
    """

    __slots__ = ("agreed", "by", "changed", "digest", "name")

    def __init__(self, name: str, pin: Pin, changed: str) -> None:
        self.name = name
        self.digest = pin.digest
        self.agreed = pin.at
        self.by = pin.by
        self.changed = changed


class ShownIdentity(Result):
    """The result of `identity show`; `key` and `fingerprint` are empty, and `writer` None, until there is one."""

    __slots__ = (
        "accepted",
        "agent_id",
        "arrived",
        "fingerprint",
        "folder",
        "footing",
        "key",
        "mode",
        "name",
        "notices",
        "pinned",
        "soul",
        "soul_agreed",
        "soul_changed",
        "writer",
        "writers",
    )  # fmt: skip

    def __init__(self, stores: Stores, access: WriteAccess) -> None:
        self.agent_id = stores.manifest.agent_id
        self.name = stores.manifest.name or agent_name.from_folder(stores.root)
        self.mode = str(stores.manifest.setting("identity.mode"))
        self.footing = access
        self.writer: str | None = None
        self.folder: str | None = None
        self.key = self.fingerprint = ""
        self.writers: list[KnownWriter] = []
        self.soul = self.soul_agreed = ""
        self.soul_changed = ""
        self.pinned: list[Pinned] = []
        self.accepted = False
        self.arrived: Sender | None = None
        self.notices: list[str] = []


def show(stores: Stores, *, accept: bool = False) -> ShownIdentity:
    """Return the agent, its writers and their standing. With `accept`, accept the present SOUL.md.

    NeedsYouError if there is nothing to accept, since this installation has no state yet, or for an agent.
    """
    own = stores.installation()
    _, access = write_access.of(stores)
    shown = ShownIdentity(stores, access)
    shown.notices += stores.notices
    state = stores.environment.state
    shown.folder = installation.place(stores.files, shown.agent_id, state)
    lines = writers.lines(stores.files)
    if accept:
        stores.environment.check_person("agentws identity show --accept")
        _accept(stores, own)
        shown.accepted = True
        own = stores.installation()
    _tell_soul(stores, shown, own)
    if own is not None:
        shown.writer = own.writer
        _tell_key(shown, own)
    shown.writers = _writers(stores, own, lines)
    if stores.files.exists(layout.ARRIVAL):
        from agentws.core.identity import arrival  # few workspaces have moved

        shown.arrived = arrival.sender(stores.files, shown.agent_id)
    return shown


def _accept(stores: Stores, own: Installation | None) -> None:
    if own is None and pins.brought(stores.files):
        own = join.register(*stores.machine, stores.moment_us())
    if own is None:
        raise NeedsYouError(
            "This installation has not written here yet, so there is nothing to accept.",
            hint="Its first write accepts the current SOUL.md.",
        )
    stores.check_adopted()  # settings of the manifest are accepted, too
    pins.agree(stores.files, stores.manifest, own.folder, at=stores.now_text())


def _tell_key(shown: ShownIdentity, own: Installation) -> None:
    try:
        key = keys.find(own.folder, socket=own.socket)
    except AgentwsError as error:
        shown.notices.append(error.message)
        return
    if key is not None:
        shown.key, shown.fingerprint = key.public, writer.fingerprint(key.public)


def _tell_soul(stores: Stores, shown: ShownIdentity, own: Installation | None) -> None:
    known = pins.read(own.folder) if own is not None else pins.brought(stores.files)
    changed = {changed_file.name: changed_file for changed_file in identity_drift.changed(stores)}
    shown.pinned = [
        Pinned(name, pin, identity_drift.sentence([changed[name]], stores.clock.now()) if name in changed else "")
        for name, pin in known.items()
    ]
    soul = known.get(layout.SOUL)
    if soul is not None:
        shown.soul, shown.soul_agreed = soul.digest, soul.at
        shown.soul_changed = shown.pinned[0].changed


def _writers(stores: Stores, current: Installation | None, lines: Sequence[WriterLine]) -> list[KnownWriter]:
    own = {current.writer, *installation.former(current)} if current is not None else set()
    signers = Signers.read(stores.files)
    writer_lines = {line.writer: line for line in lines}
    others = writers.all_of(stores.files)
    # The lines are in order of addition; the id of a writer without a line begins with the second of its creation.
    ids = (other.writer for other in others)
    first = lines[0].writer if lines else min(ids, default="")
    return [
        _known(stores, other, writer_lines.get(other.writer), lines, signers, own=own, first=first) for other in others
    ]


def _known(
    stores: Stores,
    other: Other,
    line: WriterLine | None,
    lines: Sequence[WriterLine],
    signers: Signers,
    *,
    own: set[str],
    first: str,
) -> KnownWriter:
    trusted = _trusted_by(stores.manifest.agent_id, other.writer, lines, signers)
    if trusted == NOBODY and other.writer == first:
        trusted = FIRST
    made = KnownWriter(
        other.writer,
        host=other.host,
        since=writers.since(other.writer),
        last=other.at if other.seq else "",
        seq=other.seq,
        trusted_by=trusted,
        is_here=other.writer in own,
    )
    if line is not None and line.key:
        try:
            made.fingerprint = writer.fingerprint(line.key)
        except ValueError:
            made.fingerprint = "not a key"
    return made


def _trusted_by(agent: str, name: str, lines: Sequence[WriterLine], signers: Signers) -> str:
    """Return who admitted a writer by its lines; an invalid signature does not count."""
    for line in lines:
        if line.writer != name:
            continue
        if line.took_over is not None:
            return "takeover"
        if line.vouched_by is not None and _is_good(agent, line, signers):
            return line.vouched_by.by
    return NOBODY


def _is_good(agent: str, line: WriterLine, signers: Signers) -> bool:
    try:
        return not vouch.judge(agent, line, signers)
    except AgentwsError:
        return False
