"""What earlier versions must know before they read this workspace, said in its manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import digest, layout, manifest
from agentws.storage.disk import lock

if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_LOCK_TIMEOUT_S = 30.0


def require(stores: Stores, feature: str) -> None:
    """Let the manifest say, durably and before it is true, that earlier versions cannot read this workspace."""
    with lock.Lock(stores.files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S):
        before = stores.files.read(layout.MANIFEST)
        after = manifest.with_feature(before.decode(), feature, where=layout.MANIFEST).encode()
        if after != before:
            stores.files.replace(layout.MANIFEST, after, expects=digest.of(before))
        else:
            stores.files.sync_way(layout.MANIFEST)  # whoever wrote it may have been killed before its name was durable
    stores.load()
