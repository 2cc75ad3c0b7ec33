"""A session of a host begins, once: its hooks are several processes, and they are called again as it goes on."""

from __future__ import annotations

import contextlib

from agentws.errors import LockHeldError
from agentws.formats.journal import event
from agentws.storage.disk import local_dir, lock
from agentws.storage.hosts import external_files
from agentws.storage.installation import host_info
from agentws.storage.journal import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from agentws.storage.workspace.stores import Stores

    class Begun(Protocol):
        """What begins a session gives back."""

        notices: list[str]

    class Start(Protocol):
        """What begins a session: Workspace.start_session."""

        def __call__(self, text: str, *, session: str, process: int) -> Begun:
            """Begin the session."""


_LOCK = "hook"
_LOCK_TIMEOUT_S = 2.0


def begin_once(stores: Stores, session: str, *, process: int, text: str, start: Start) -> list[str]:
    """Begin the session by `start`, unless it runs in this very process of its host; returns notices.

    `process` is the parent of the hook. Where it is a shell that only calls it, the host is the program behind it.
    """
    stores.check_writable()
    host = _host(process)
    local_dir.prepare(stores.files)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, idle=True))
        except LockHeldError:
            return ["Another hook begins this session."]
        return [] if _runs(stores, session, host) else start(text, session=session, process=host).notices


def stands_elsewhere(stores: Stores, folder: str) -> bool:
    """True where a host that stands in `folder` is not in the workspace's own, where it loads files by itself."""
    return folder.startswith("/") and external_files.resolved(folder) != stores.root


def is_running(stores: Stores, session: str) -> bool:
    """True where the session began here and has not ended."""
    return session in stores.journal().sessions()


def _host(process: int) -> int:
    outer = host_info.process(process).get("outer")
    found = outer.get("process") if isinstance(outer, dict) else None
    return found if isinstance(found, int) else process


def _runs(stores: Stores, session: str, host: int) -> bool:
    """True where it has not ended, and its newest beginning names this process."""
    if not is_running(stores, session):
        return False
    wanted = select.Wanted(session=session, kinds=(event.STARTED,))
    found = select.Reader(stores.files, wanted).newest(stores.journal().writer, 1)
    body = (found[-1].body if found else None) or {}
    here = {**host_info.process(host), "boot": host_info.boot_id(), "namespace": host_info.namespace()}
    return all(body.get(name) == here.get(name) for name in ("process", "started", "boot", "namespace"))
