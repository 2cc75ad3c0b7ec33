"""Which documents history versions, and the history that keeps them."""

from __future__ import annotations

from agentws.errors import AgentwsError, OutsideProgramError
from agentws.formats import layout, secrets
from agentws.storage import history, local, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from agentws.formats.manifest import Manifest
    from agentws.ports import History
    from agentws.storage.files import Files

AUTO_REF = "refs/agentws/auto"
_AUTHOR = ("agentws", "agentws@localhost")


def open_history(files: Files, settings: Manifest, *, keep: frozenset[str] = frozenset()) -> History:
    """The history of the workspace: git, where there is a repository and the manifest allows it, else none.

    Paths in `keep` stay in new states as they were in the last one, though nothing is recorded for them.
    """
    mode = settings.setting("history.commits")
    git_dir = repository.find(files.root) if mode != "off" else None
    if git_dir is None:
        return history.NoHistory()
    from agentws.storage import git

    if not git.available():
        raise OutsideProgramError("git is not usable here.", hint="Install git 2.30 or later; all else works without.")
    local.prepare(files)
    within = git_dir == f"{files.root}/.git"
    return git.GitHistory(
        root=files.root,
        git_dir=git_dir,
        mode=mode if within else "ref",
        # A workspace inside a larger repository has a ref of its own: another one may lie beside it.
        ref=AUTO_REF if within else f"refs/agentws/{settings.agent_id or 'unnamed'}",
        author=_AUTHOR,
        scratch=f"{files.root}/{layout.LOCAL}",
        owns=lambda path: layout.is_document(path) and path not in keep,
    )


def record(files: Files, settings: Manifest, message: str, *, at: datetime) -> tuple[list[str], list[str]]:
    """Record every document as one state; returns the paths held back for their secrets, and notices."""
    if settings.setting("history.commits") == "off" or repository.find(files.root) is None:
        return [], []
    documents, secretive, unread = read(files, include=settings.setting("history.include"))
    kept = open_history(files, settings, keep=frozenset((*secretive, *unread)))
    kept.record(documents, message=message, at=at)
    notices = [f"Not versioned: {message}" for message in unread.values()]
    if secretive:
        names = ", ".join(secretive[:3]) + (" …" if len(secretive) > 3 else "")
        notices.append(
            f"Not versioned, because lines look like secrets: {names} "
            f"(to version one anyway, add it to history.include in {layout.MANIFEST})"
        )
    return secretive, notices


def read(files: Files, *, include: Collection[str]) -> tuple[dict[str, bytes], list[str], dict[str, str]]:
    """(path → content of what is versioned, paths held back for their secrets, path → why it could not be read)."""
    documents: dict[str, bytes] = {}
    secretive: list[str] = []
    unread: dict[str, str] = {}
    for path in paths(files):
        try:
            data = files.read(path)
        except AgentwsError as error:
            unread[path] = error.message
            continue
        if path not in include and secrets.find(data.decode("utf-8", "replace")):
            secretive.append(path)
        else:
            documents[path] = data
    return documents, secretive, unread


def paths(files: Files) -> list[str]:
    """The paths of every document of the workspace, sorted."""
    found: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        for name, kind in files.names(folder):
            path = f"{folder}/{name}" if folder else name
            if kind == "folder" and not name.startswith("."):
                if layout.is_document(f"{path}/x.md"):
                    folders.append(path)
            elif kind == "file" and layout.is_document(path):
                found.append(path)
    return sorted(found)
