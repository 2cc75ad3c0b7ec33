"""Open the transport of a migration: local folder, ssh or git repository."""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.ports import Transport


@contextmanager
def reach(host: str, user: str, *, url: str = "", within: str = "") -> Iterator[Transport]:
    """The way to `host` (empty: to a folder of this machine), for as long as it is needed.

    With `url` it goes through that git repository, and private files of this machine lie in the folder `within`.
    """
    transport = _open(host, user) if not url else _through(url, within)
    try:
        yield transport
    finally:
        transport.close()


def absolute(path: str) -> str:
    """Return the absolute path of a local folder."""
    return os.path.abspath(os.path.expanduser(path))


def _open(host: str, user: str) -> Transport:
    if not host:
        from agentws.features.copies.migrate.store.local import Local

        return Local()
    from agentws.features.copies.migrate.store.ssh import OverSsh

    return OverSsh(host, user)


def _through(url: str, within: str) -> Transport:
    from agentws.features.copies.migrate.store.git import ByGit

    return ByGit(url, within)
