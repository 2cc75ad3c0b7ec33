"""Trust in writers: known writers speak as the agent; text of others is marked, or hidden.

The pins are read only if another writer has written. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core.identity import pinned_writers
from agentws.core.installation import installation
from agentws.core.journal import lastseal, read
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
"""Why a writer of this installation is a stranger: its journal was made anew."""
VERIFY = "agentws identity verify"
_MOST_CHECKS = 8
"""How many signatures of unknown writers are checked: anybody may add lines with bad ones."""
_MOST_SIBLINGS = 1_000


class Stranger:
    """A writer that this machine does not know: its id, its `keys` in the folder, and `why` it is unknown."""

    __slots__ = ("keys", "why", "writer")

    def __init__(self, writer: str, keys: set[str], why: str) -> None:
        self.writer = writer
        self.keys = keys
        self.why = why


class Trust:
    """The writers with a journal here: the `known` ones, oldest first, and the `strangers`.

    `hides` says that events of strangers are not shown at all.
    """

    __slots__ = ("hides", "known", "strangers")

    def __init__(self, known: Sequence[str], strangers: Sequence[Stranger] = (), *, hides: bool = False) -> None:
        self.known = list(known)
        self.strangers = list(strangers)
        self.hides = hides

    @property
    def unknown(self) -> set[str]:
        """The ids of the strangers: writers without trust."""
        return {one.writer for one in self.strangers}

    @property
    def shown(self) -> list[str]:
        """The writers whose single events may be shown."""
        return self.known if self.hides else sorted([*self.known, *(one.writer for one in self.strangers)])

    @property
    def notices(self) -> list[str]:
        """A notice if there are strangers among the writers."""
        return _notices(self.strangers)

    @property
    def remade(self) -> list[str]:
        """A notice if another program rewrote the journal of this installation: its events are then quoted."""
        return _notices([one for one in self.strangers if one.why == REMADE])

    def marked(self, found: Event) -> Event:
        """Return the event; one of an unknown writer gets that as its source, whatever it claims."""
        if self.strangers and found.writer in self.unknown:
            found.src = f"{origin.OTHER}:{found.writer}"
        return found


def _notices(strangers: Sequence[Stranger]) -> list[str]:
    return [f"{said(strangers)}. A person runs: {VERIFY}"] if strangers else []


def said(strangers: Sequence[Stranger]) -> str:
    """Return the number of unknown writers, and the writers of journals that were made anew, in words."""
    anew = [one.writer[-8:] for one in strangers if one.why == REMADE]
    told = [f"journal {name} is not the one that this machine wrote, so it is quoted" for name in anew]
    others = len(strangers) - len(anew)
    return "; ".join([*([f"{others} writer{'s' * (others != 1)} not vouched for"] if others else []), *told])


def of(stores: Stores) -> Trust:
    """Return the known writers and the strangers. If this installation has no pins yet, every writer is known.

    DamagedError, DiskError if its state cannot be read.
    """
    stores = stores.whole  # whom one audience may hear says nothing of who speaks
    names = read.writers(stores.files)
    here = meeting(stores) if names else None
    if here is None:
        return Trust(names)
    strangers = [] if read.is_as_left(stores.files, here) else _remade(stores, here)
    if names != [here.writer]:
        strangers += among(stores.files, here, names, at=stores.now_text())
    unknown = {one.writer for one in strangers}
    known = [name for name in names if name not in unknown]
    return Trust(known, strangers, hides=stores.manifest.setting("identity.mode") == REQUIRE)


def known(stores: Stores) -> list[str]:
    """Return the known writers, oldest first."""
    return of(stores).known


def present(stores: Stores) -> Installation | None:
    """Return this installation, which trusts writers; if the manifest is unreadable, the one with journals here."""
    agent, state = stores.manifest.agent_id, stores.environment.state
    if agent:
        return installation.find(stores.files, agent, state)
    from agentws.core.identity import recovered_manifest

    found = (installation.find(stores.files, one, state) for one in sorted(recovered_manifest.agents_of(stores.files)))
    return next(filter(None, found), None)


def meeting(stores: Stores) -> Installation | None:
    """Return this installation, nameless if it has only met the writers here; None without pins, or if unreadable."""
    try:
        here = present(stores)
        agent, state = stores.manifest.agent_id, stores.environment.state
        if here is not None or not agent:
            return here
        here = pinned_writers.of(stores.files, agent, state)
        return here if pinned_writers.read(here.folder) is not None else None
    except DiskError:
        return None


def reachable(stores: Stores) -> Installation | None:
    """Return this installation, which trusts writers; None if its state cannot be read."""
    try:
        return present(stores)
    except DiskError:
        return None


def _remade(stores: Stores, here: Installation) -> list[Stranger]:
    """Return this installation's writers whose journal has another event where this installation has written one.

    Nothing shows which of its events are older than that, so all of them are quoted until a person takes over.
    """
    from agentws.core.identity import join

    names = {mark.writer for mark in join.replaced(stores.files, here)}
    return [Stranger(name, set(), REMADE) for name in sorted(names)]


def among(files: Files, here: Installation, names: Collection[str], *, at: str) -> list[Stranger]:
    """Return those of these writers that this installation does not know; writers that are proved known are pinned."""
    others = set(names) - {here.writer, *installation.former(here)}
    if not others:
        return []
    from agentws.core.identity import pinned_writers as _pinned_writers

    pins = _pinned_writers.read(here.folder)
    if pins is None:
        return []  # the first write pins who is here
    told = _pinned_writers.keys_told(files)
    found = [
        Stranger(name, told.get(name, set()), why)
        for name in sorted(others)
        if (why := pins.missing_proof(name, told.get(name, set())))
    ]
    return _unproved(files, here, pins, found, at=at) if found else []


def signers(stores: Stores) -> Signers:
    """Return the keys of writers that may sign here, limited to those that this machine trusts."""
    from agentws.core.identity import pinned_writers as _pinned_writers
    from agentws.core.journal.sealing.seal import Signers

    stores = stores.whole
    allowed = Signers.read(stores.files)
    here = present(stores)
    pins = _pinned_writers.read(here.folder) if here is not None else None
    if here is None or pins is None:
        return allowed
    own = own_keys(here, pins)
    return Signers(
        {name: keys & (own if name == here.writer else pins.keys(name) or keys) for name, keys in allowed.all().items()}
    )


def own_keys(here: Installation, pins: Pins) -> set[str]:
    """Return the writer's keys that this installation has, or had when they were pinned."""
    from agentws.core.installation import keys

    return pins.keys(here.writer) | keys.publics(here.folder)


def _unproved(files: Files, here: Installation, pins: Pins, found: list[Stranger], *, at: str) -> list[Stranger]:
    """Return the strangers without proof by a known key."""
    from agentws.core.identity import pinned_writers as _pinned_writers
    from agentws.core.identity import writer_proof

    proof = writer_proof.Proof(files, here, pins, most=_MOST_CHECKS, most_siblings=_MOST_SIBLINGS)
    left, learnt = list(found), {}
    more = True
    while more:  # a writer proved now may have vouched for another one
        proved = [(one, by) for one in left if (by := proof.of(one.writer, one.keys))]
        for one, by in proved:
            pins.add(one.writer, one.keys, by=by, at=at, head=_pinned_writers.head(files, one.writer))
            learnt[one.writer] = (one.keys, by)
            left.remove(one)
        more = bool(proved and left)
    if learnt:
        _pinned_writers.learn(here, pins, learnt, at=at)
    return left


def remembered(stores: Stores) -> Memory:
    """Return what this installation remembers of its writer's journal, empty before its first write. Read it first."""
    here = present(stores)
    from agentws.core.journal.sealing.verified import Memory

    memory = Memory()
    if here is None:
        return memory
    own = {here.writer, *installation.former(here)}
    mark, seal = installation.mark(here), lastseal.newest(here.folder)
    if mark is not None:
        memory.add(mark.writer, mark.seq, mark.hash)
    if seal is not None and seal[0] in own:
        memory.add(*seal)
    names = [name for name in read.writers(stores.files) if name not in own]
    memory.strangers = {one.writer for one in among(stores.files, here, names, at=stores.now_text())}
    pins = pinned_writers.read(here.folder)
    if pins is None:
        return memory
    for name, record in pins.writers.items():
        seq, hash_ = record.get("seq"), record.get("hash")
        if type(seq) is int and isinstance(hash_, str):
            memory.add(name, seq, hash_)
        memory.keys[name] = pins.keys(name)
    for name in own:
        memory.keys[name] = pins.keys(name) | own_keys(here, pins)
    return memory
