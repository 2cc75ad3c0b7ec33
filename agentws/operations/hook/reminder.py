"""A boot that an agent could not be told when it forgot: a mark in `.agentws/` for the next prompt of its session."""

from __future__ import annotations

from agentws.formats import digest
from agentws.storage.disk import local_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

FOLDER = f"{local_dir.FOLDER}/boot-due"


def remind(stores: Stores, session: str) -> None:
    """Note, durably, that the next prompt of this session is to bring a boot."""
    stores.check_writable()
    path = _path(session)
    local_dir.prepare(stores.files)
    stores.files.make_folder(FOLDER)
    if not stores.files.exists(path):
        stores.files.replace(path, session.encode() + b"\n", expects=digest.ABSENT)


def is_due(stores: Stores, session: str) -> bool:
    """True where a boot is due."""
    return stores.files.exists(_path(session))


def forget(stores: Stores, session: str) -> None:
    """The agent has been told."""
    path = _path(session)
    if stores.files.exists(path):
        stores.files.remove(path, expects=stores.files.digest(path))


def _path(session: str) -> str:
    return f"{FOLDER}/{digest.quick(session.encode())}"
