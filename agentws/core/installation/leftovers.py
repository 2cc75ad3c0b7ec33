"""Removes what killed processes have left in `.agentws/` and in the state folder of an installation."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.installation import state_dir, state_file
from agentws.errors import AgentwsError

_MARKS = (
    "accepted-loss", "changes.jsonl", "compaction-failures", "curation", "forgetting", "history-failure", "sync-held",
    "history-held-back", "purges", "seal-aside", "seal-failure", "unsynced",
)  # fmt: skip
"""The files of `.agentws/` that are replaced under the append lock."""
_MEMORY = f".{local_dir.MEMORY.rpartition('/')[2]}."
"""How the name of a copy of MEMORY.md begins until it is in place."""
_TEMPORARY = (".agentws-new", ".agentws-old")
_LOCK_TIMEOUT_S = 10.0


def sweep(files: _files.Files, folder: str, agent: str) -> None:
    """Remove the temporary files and folders of dead processes; one listing of both folders if there are none.

    What an `ask use` that was killed has remembered is made durable. Errors are ignored: the next verb tries again.
    """
    try:
        hidden = [name for name in os.listdir(folder) if name.startswith(".")]
        if hidden:
            from agentws.core.installation import keys

            keys.clear(folder)
        own, local = _files.Outside(folder), _files.Files(f"{files.root}/{local_dir.FOLDER}")
        beside = _beside(hidden)
        _clear(files, state_file.LOCK, own, beside.intersection(state_file.FILES))
        _clear(files, lock.APPEND, own, beside.difference(state_file.FILES))
        present = os.listdir(local.root)
        for name in present:
            if name.startswith(_MEMORY):  # of a living process, too: then that copy counts for nothing
                os.unlink(f"{local.root}/{name}")
        _clear(files, lock.APPEND, local, _beside(present).intersection(_MARKS))
        above, name = state_dir.of_used_approvals(folder, agent)
        if lock.is_noted(above, name, folder=""):
            from agentws.core.installation import own_records

            own_records.settle_approvals(above, name)
    except (AgentwsError, OSError):
        return


def _beside(names: Iterable[str]) -> set[str]:
    """Return the files beside which these names are temporary files."""
    return {name[1:].rpartition(".agentws-")[0] for name in names if name[0] == "." and name.endswith(_TEMPORARY)}


def _clear(files: _files.Files, lock_name: str, place: _files.Files, names: Collection[str]) -> None:
    if names:
        with lock.Lock(files, lock_name, timeout_s=_LOCK_TIMEOUT_S):
            for name in names:
                place.clear_beside(name)
