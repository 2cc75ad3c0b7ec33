"""Recognize the orders of this machine's own journal that come back after a snapshot was restored."""

from __future__ import annotations

from agentws.core.disk import lock
from agentws.core.installation import keys, own_records
from agentws.core.journal.sealing import proof, purge
from agentws.core.journal.sealing.seal import Signers
from agentws.core.stores.stores import Stores


def regain(stores: Stores) -> None:
    """Record the own orders that came back: given here, if a seal with the key of this installation covers them.

    Their record in the installation's state went with the snapshot, and `journal verify` would call them forged.
    """
    own = stores.installation()
    key = keys.find(own.folder, socket=own.socket) if own is not None else None
    if own is None or key is None or not keys.is_possible():
        return
    through = own_records.known_orders(own).through.get(own.writer, 0)
    orders = [*purge.given(stores.files, own.writer, through)]
    if not orders:
        return
    signers = Signers({own.writer: {key.public}})
    proved = proof.prove(stores.files, own.agent, own.writer, after=through, notices=[], signers=signers)
    with lock.Lock(stores.files, lock.APPEND):
        own_records.note_orders(own.folder, own.agent, [order.digest for order in orders if proved.covers_order(order)])
