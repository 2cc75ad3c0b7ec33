"""Trust in writers: known writers speak as the agent; text of others is marked, or hidden.

The pins are read only if another writer has written. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.identity import pinned_writers
from agentws.core.installation import installation
from agentws.core.journal import head, read
from agentws.core.text import origin
from agentws.errors import DiskError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.identity.pinned_writers import Pins
    from agentws.core.installation.installation import Installation
    from agentws.core.journal.sealing.seal import Signers
    from agentws.core.journal.sealing.verified import Memory
    from agentws.core.stores.port import Stores

WARN, REQUIRE = "warn", "require"
REMADE = "remade"
"""Why a writer of this installation is a stranger: its journal was rebuilt."""
VERIFY = "agentws identity verify"
_MOST_CHECKS = 8
"""How many signatures of unknown writers are checked: anybody may add lines with bad ones."""
_MOST_SIBLINGS = 1_000


class Stranger(Record):
    """A writer that this machine does not know: its id, its `keys` in the folder, and `why` it is unknown."""

    writer: str
    keys: set[str]
    why: str


class Trust:
    """The writers with a journal here: the `known` ones, oldest first, and the `strangers`.

    `hides` says that events of strangers are not shown at all.
    """

    def __init__(self, known: Sequence[str], strangers: Sequence[Stranger] = (), *, hides: bool = False) -> None:
        self.known = list(known)
        self.strangers = list(strangers)
        self.hides = hides

    @property
    def unknown(self) -> set[str]:
        """The ids of the strangers: writers without trust."""
        return {stranger.writer for stranger in self.strangers}

    @property
    def shown(self) -> list[str]:
        """The writers whose single events may be shown."""
        return self.known if self.hides else sorted([*self.known, *(stranger.writer for stranger in self.strangers)])

    @property
    def notices(self) -> list[str]:
        """A notice if there are strangers among the writers."""
        return _notices(self.strangers)

    @property
    def remade(self) -> list[str]:
        """A notice if another program rewrote the journal of this installation: its events are then quoted."""
        return _notices([stranger for stranger in self.strangers if stranger.why == REMADE])

    def marked(self, event: Event) -> Event:
        """Return the event; one of an unknown writer gets that as its source, whatever it claims."""
        if self.strangers and event.writer in self.unknown:
            event.src = f"{origin.OTHER}:{event.writer}"
        return event


def _notices(strangers: Sequence[Stranger]) -> list[str]:
    return [f"{said(strangers)}. A person runs: {VERIFY}"] if strangers else []


def said(strangers: Sequence[Stranger]) -> str:
    """Return the number of unknown writers, and the writers of journals that were rebuilt, in words."""
    anew = [stranger.writer[-8:] for stranger in strangers if stranger.why == REMADE]
    parts = [f"journal {name} is not the one that this machine wrote, so it is quoted" for name in anew]
    others = len(strangers) - len(anew)
    return "; ".join([*([f"{others} writer{'s' * (others != 1)} not vouched for"] if others else []), *parts])


def of(stores: Stores) -> Trust:
    """Return the known writers and the strangers. If this installation has no pins yet, every writer is known.

    DamagedError, DiskError if its state cannot be read.
    """
    stores = stores.whole  # whom one audience may hear says nothing of who speaks
    names = read.writers(stores.files)
    own = meeting(stores) if names else None
    if own is None:
        return Trust(names)
    strangers = [] if read.is_as_left(stores.files, own) else _remade(stores, own)
    if names != [own.writer]:
        strangers += among(stores.files, own, names, at=stores.now_text())
    unknown = {stranger.writer for stranger in strangers}
    known = [name for name in names if name not in unknown]
    return Trust(known, strangers, hides=stores.manifest.setting("identity.mode") == REQUIRE)


def known(stores: Stores) -> list[str]:
    """Return the known writers, oldest first."""
    return of(stores).known


def present(stores: Stores) -> Installation | None:
    """Return this installation, which trusts writers; if the manifest is unreadable, the one with journals here."""
    if stores.manifest.agent_id:
        return stores.installation()
    from agentws.core.identity import recovered_manifest

    state = stores.environment.state
    names = sorted(recovered_manifest.agents_of(stores.files))
    currents = (installation.find(stores.files, name, state) for name in names)
    return next(filter(None, currents), None)


def meeting(stores: Stores) -> Installation | None:
    """Return this installation, nameless if it has only met the writers here; None without pins, or if unreadable."""
    try:
        own = present(stores)
        if own is not None or not stores.manifest.agent_id:
            return own
        own = pinned_writers.of(stores.files, stores.manifest.agent_id, stores.environment.state)
        return own if pinned_writers.read(own.folder) is not None else None
    except DiskError:
        return None


def reachable(stores: Stores) -> Installation | None:
    """Return this installation, which trusts writers; None if its state cannot be read."""
    try:
        return present(stores)
    except DiskError:
        return None


def _remade(stores: Stores, own: Installation) -> list[Stranger]:
    """Return this installation's writers whose journal has another event where this installation has written one.

    Nothing shows which of its events are older than that, so all of them are quoted until a person takes over.
    """
    from agentws.core.identity import join

    names = {mark.writer for mark in join.replaced(stores.files, own)}
    return [Stranger(name, set(), REMADE) for name in sorted(names)]


def among(files: Files, own: Installation, names: Collection[str], *, at: str) -> list[Stranger]:
    """Return those of these writers that this installation does not know; writers that are proved known are pinned."""
    others = set(names) - {own.writer, *installation.former(own)}
    if not others:
        return []
    from agentws.core.identity import pinned_writers as _pinned_writers

    pins = _pinned_writers.read(own.folder)
    if pins is None:
        return []  # the first write pins who is here
    keys_told = _pinned_writers.keys_told(files)
    strangers = [
        Stranger(name, keys_told.get(name, set()), why)
        for name in sorted(others)
        if (why := pins.missing_proof(name, keys_told.get(name, set())))
    ]
    return _unproved(files, own, pins, strangers, at=at) if strangers else []


def signers(stores: Stores) -> Signers:
    """Return the keys of writers that may sign here, limited to those that this machine trusts."""
    from agentws.core.identity import pinned_writers as _pinned_writers
    from agentws.core.journal.sealing.seal import Signers

    stores = stores.whole
    allowed = Signers.read(stores.files)
    current = present(stores)
    pins = _pinned_writers.read(current.folder) if current is not None else None
    if current is None or pins is None:
        return allowed
    own = own_keys(current, pins)
    return Signers(
        {
            name: keys & (own if name == current.writer else pins.keys(name) or keys)
            for name, keys in allowed.all().items()
        }
    )


def own_keys(own: Installation, pins: Pins) -> set[str]:
    """Return the writer's keys that this installation has, or had when they were pinned."""
    from agentws.core.installation import keys

    return pins.keys(own.writer) | keys.publics(own.folder)


def _unproved(files: Files, own: Installation, pins: Pins, strangers: list[Stranger], *, at: str) -> list[Stranger]:
    """Return the strangers without proof by a known key."""
    from agentws.core.identity import pinned_writers as _pinned_writers, writer_proof

    proof = writer_proof.Proof(files, own, pins, most=_MOST_CHECKS, most_siblings=_MOST_SIBLINGS)
    left, learnt = list(strangers), {}
    more = True
    while more:  # a writer proved now may have vouched for another one
        proved = [(stranger, by) for stranger in left if (by := proof.of(stranger.writer, stranger.keys))]
        for stranger, by in proved:
            pins.add(stranger.writer, stranger.keys, by=by, at=at, head=_pinned_writers.head(files, stranger.writer))
            learnt[stranger.writer] = (stranger.keys, by)
            left.remove(stranger)
        more = bool(proved and left)
    if learnt:
        _pinned_writers.learn(own, pins, learnt, at=at)
    return left


def remembered(stores: Stores) -> Memory:
    """Return what this installation remembers of its writer's journal, empty before its first write. Read it first."""
    current = present(stores)
    from agentws.core.journal.sealing.verified import Memory

    memory = Memory()
    if current is None:
        return memory
    own = {current.writer, *installation.former(current)}
    mark, seal = installation.mark(current), head.newest_seal(current.folder)
    if mark is not None:
        memory.add(mark.writer, mark.seq, mark.hash)
    if seal is not None and seal[0] in own:
        memory.add(*seal)
    names = [name for name in read.writers(stores.files) if name not in own]
    memory.strangers = {stranger.writer for stranger in among(stores.files, current, names, at=stores.now_text())}
    pins = pinned_writers.read(current.folder)
    if pins is None:
        return memory
    for name, record in pins.writers.items():
        seq, hash_ = record.get("seq"), record.get("hash")
        if type(seq) is int and isinstance(hash_, str):
            memory.add(name, seq, hash_)
        memory.keys[name] = pins.keys(name)
    for name in own:
        memory.keys[name] = pins.keys(name) | own_keys(current, pins)
    return memory
