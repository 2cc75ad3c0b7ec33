"""Recognize the orders of this machine's own journal that come back after a snapshot was restored."""

from __future__ import annotations

from agentws.core.disk import lock
from agentws.core.installation import given_orders, installation, keys
from agentws.core.journal.sealing import proof, purge
from agentws.core.journal.sealing.seal import Signers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

_LOCK_TIMEOUT_S = 30.0


def regain(stores: Stores) -> None:
    """Record the own orders that came back: given here, if a seal with the key of this installation covers them.

    Their record in the installation's state went with the snapshot, and `journal verify` would call them forged.
    """
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    key = keys.find(here.folder, socket=here.socket) if here is not None else None
    if here is None or key is None or not keys.is_possible():
        return
    through = given_orders.known(here).through.get(here.writer, 0)
    orders = [*purge.given(stores.files, here.writer, through)]
    if not orders:
        return
    signers = Signers({here.writer: {key.public}})
    proved = proof.prove(stores.files, here.agent, here.writer, after=through, notices=[], signers=signers)
    with lock.Lock(stores.files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        given_orders.note(here.folder, here.agent, [one.digest for one in orders if proved.covers_order(one)])
