"""journal renew: continues in a new journal beside a damaged one."""

from __future__ import annotations

from agentws.core.installation import installation
from agentws.core.journal.sealing import renew as _renew
from agentws.core.stores import record
from agentws.core.stores.record import Happening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.installation import Installation
    from agentws.core.stores.stores import Stores


class Renewed:
    """The result of a renewal: this installation's new `writer`, the one `before`, and its last valid event `seq`."""

    __slots__ = ("before", "damage", "notices", "seq", "writer")

    def __init__(self, writer: str, before: str, *, seq: object, damage: str, notices: list[str]) -> None:
        self.writer = writer
        self.before = before
        self.seq = seq
        self.damage = damage
        self.notices = notices


def renew(stores: Stores, *, reason: str = "") -> Renewed:
    """Begin a new journal for this installation; the damaged one is unchanged and can still be read.

    UsageError if the journal is not damaged. An interrupted renewal is completed by the next one.
    """
    stores.check_writable()
    agent = stores.manifest.agent_id
    here = installation.ensure(stores.files, agent, stores.environment.state, second=lambda: stores.here().second)
    damage = _renew.damage(stores.files, here)
    if damage:
        before = here.writer
        here = installation.renew(stores.files, here, second=stores.here().second)
    else:
        before, damage = _renew.unfinished(stores.files, here), "its renewal was interrupted"
    head = _renew.last_good(stores.files, agent, before)
    return _joined(stores, here, before, head, damage, reason or damage)


def _joined(
    stores: Stores, here: Installation, before: str, head: dict[str, object], damage: str, reason: str
) -> Renewed:
    stores.close_journal()
    happening = Happening(_renew.JOINED, _renew.body(before, head, reason))
    _, notices = record.record(stores, [happening])
    return Renewed(here.writer, before, seq=head["seq"], damage=damage, notices=[*stores.notices, *notices])
