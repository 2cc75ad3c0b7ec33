"""Require a feature in the manifest, so that earlier versions do not misread a journal with new file formats."""

from __future__ import annotations

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout, manifest
from agentws.core.stores.stores import Stores

_OLD = f".{layout.MANIFEST}.agentws-old"


def require(stores: Stores, feature: str) -> None:
    """Add a feature to the manifest, durably and before it is used, so that versions without it refuse to read on."""
    with lock.Lock(stores.files, lock.TRANSACTION):
        before = stores.files.read(layout.MANIFEST)
        after = manifest.with_feature(before.decode(), feature, where=layout.MANIFEST).encode()
        if after != before:
            stores.files.replace(layout.MANIFEST, after, expects=digest.of(before))
        else:  # the process that wrote it may have been killed before the file name was durable
            _settle(stores.files, before, feature)
            stores.files.sync_way(layout.MANIFEST)
    stores.load()


def _settle(files: Files, now: bytes, feature: str) -> None:
    """Remove the old manifest that a killed run left; a concurrent edit in it is kept."""
    if not files.exists(_OLD):
        return
    old = files.read(_OLD)
    is_ours = manifest.with_feature(old.decode(), feature, where=_OLD).encode() == now
    files.settle(layout.MANIFEST, expects=digest.of(old if is_ours else now))
