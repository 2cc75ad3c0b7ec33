"""What this machine remembers of the journals outside of the folder: events that were here, and keys that may sign.

Whoever changes the journal, or makes it anew with another key, does not change that too.
"""

from __future__ import annotations

from agentws.storage.identity import pinned_writers
from agentws.storage.installation import installation
from agentws.storage.journal import lastseal, read
from agentws.storage.journal.verify import Memory
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores


def of(stores: Stores) -> Memory:
    """All of it; nothing where this installation has written nothing here. To be asked before a journal is read."""
    here = writer_trust.present(stores)
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
    memory.strangers = {one.writer for one in writer_trust.among(stores.files, here, names, at=stores.now_text())}
    pins = pinned_writers.read(here.folder)
    if pins is None:
        return memory
    for name, record in pins.writers.items():
        seq, hash_ = record.get("seq"), record.get("hash")
        if type(seq) is int and isinstance(hash_, str):
            memory.add(name, seq, hash_)
        memory.keys[name] = pins.keys(name)
    for name in own:
        memory.keys[name] = pins.keys(name) | writer_trust.own_keys(here, pins)
    return memory
