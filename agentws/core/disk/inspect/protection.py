"""Protections that the disk of a workspace does not offer: durable names of files, and locks."""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir, lock
from agentws.core.formats import digest
from agentws.errors import AgentwsError


def warning(files: _files.Files) -> list[str]:
    """Return the warning that the disk of the workspace cannot sync folders: once, and never again."""
    try:
        if os.stat(files.root).st_dev not in _files.unsynced or files.exists(local_dir.UNSYNCED):
            return []
        files.replace(local_dir.UNSYNCED, b"", expects=digest.ABSENT)
    except (OSError, AgentwsError):
        return []  # status and the next change try again
    says = "The disk of the workspace cannot sync folders, so a power cut may take the newest files away."
    return [f"{says} Make backups on another disk: agentws backup create"]


def is_unsynced(files: _files.Files) -> bool:
    """Return whether the disk of the workspace cannot sync folders, as far as a change has found that out."""
    if not files.exists(local_dir.UNSYNCED):
        return False
    files.sync_folder(local_dir.FOLDER)  # the workspace may have been moved to another disk
    return os.stat(files.root).st_dev in _files.unsynced


def is_unlocked(files: _files.Files) -> bool:
    """Return whether the disk of the workspace has no locks."""
    try:
        return lock.is_missing(files, lock.APPEND)
    except OSError:
        return False
