"""The mirrors of earlier versions that a new backup makes superfluous: what they hold stands in it."""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats.travel import backup
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import chain
from agentws.features.copies.backup.store.mirror import medium

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.travel.backup import Header
    from agentws.core.formats.travel.inventory import Inventory
    from agentws.core.formats.travel.mirror import State

_APART = "The mirror {} of an earlier version holds another history, and was kept."


def clear(place: str, name: str, header: Header, entries: Inventory, *, owner: str) -> list[str]:
    """Remove the mirrors that hold nothing beyond the backup `name`, just made by `owner`, with these `entries`.

    Of another installation, nothing goes that cannot be read, or holds a document otherwise than the backup: its own
    next backup takes that along. The own one stays where it holds other events under the same numbers. Returns the
    notices of that.
    """
    notices = []
    tree = Files(f"{place}/{name}/{backup.TREE}")
    for one in medium.all_of(place):
        try:
            state = one.state()
            own = one.owner == owner
            if own and state is not None and _is_other(tree, state):
                notices.append(_APART.format(one.path))
            elif (own and state is None) or (
                state is not None
                and all(header.heads.get(writer, (0, ""))[0] >= seq for writer, seq in state.heads.items())
                and (own or (state.agent == header.agent and _is_in(state, tree, entries)))
            ):
                one.remove()
        except AgentwsError:
            continue  # it stays, is older than the backup, and goes with the next one
    return notices


def _is_in(state: State, tree: Files, entries: Inventory) -> bool:
    """Return whether the backup has the same events and documents, not only as many."""
    if state.odd:
        return False
    for path, told in state.documents.items():
        if told is not None and (path not in entries or entries[path].content != told[3]):
            return False
    return has_events(tree, state)


def _is_other(files: Files, state: State) -> bool:
    """Return whether other events stand under the numbers of those that a mirror holds."""
    newest = [(writer, max(held.values(), key=lambda one: one.seq)) for writer, held in state.segments.items() if held]
    return any(chain.differs(files, writer, one.seq, one.hash) for writer, one in newest)


def has_events(files: Files, state: State) -> bool:
    """Return whether a workspace has the events of a mirror: the same ones, not only as many."""
    for writer, held in state.segments.items():
        newest = max(held.values(), key=lambda one: one.seq, default=None)
        if newest is not None and newest.hash != chain.hash_of(files, writer, newest.seq):
            return False
    return True
