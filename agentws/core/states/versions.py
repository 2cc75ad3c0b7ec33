"""Versioning of the documents: opening the workspace's history, and recording all documents as a state."""

from __future__ import annotations

from agentws.core.disk import local_dir, lock
from agentws.core.formats import layout, manifest
from agentws.core.states import repository
from agentws.core.states.document_index import DocumentIndex
from agentws.errors import OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from agentws.core.disk.cache import Cache
    from agentws.core.disk.files import Files
    from agentws.core.formats.manifest import Manifest
    from agentws.core.states import git_history
    from agentws.core.states.past import Past


AUTO_REF = "refs/agentws/auto"
_RACES = 20
_AUTHOR = ("agentws", "agentws@localhost")


def open_past(files: Files, settings: Manifest) -> Past | None:
    """Return the recorded states for reading; None without history. Writes nothing."""
    git_dir = _repository(files, settings)
    if git_dir is None:
        return None
    return _looked_at(files, settings, git_dir)


def open_past_blindly(files: Files) -> Past | None:
    """Return the recorded states of a workspace whose manifest is unreadable, from the ref that had it last.

    None if there is no such ref: for a workspace inside a larger repository only its manifest names it.
    """
    git_dir = repository.find(files.root)
    if git_dir is None:
        return None
    lines = [_looked_at(files, _recording(commits), git_dir) for commits in ("ref", "branch")]
    held = [past for past in lines if past.touching([layout.MANIFEST])]
    return max(held, key=lambda past: past.states(1)[0][1], default=None)


def _recording(commits: str) -> Manifest:
    settings = manifest.default()
    settings.settings["history.commits"] = commits
    return settings


def open_newest(files: Files, settings: Manifest, *, cache: Cache | None = None) -> git_history.GitHistory | None:
    """Return the history for reading its newest state; None without history. Writes nothing."""
    git_dir = _repository(files, settings)
    return _in_git(files, settings, git_dir, scratch=_scratch(files), keep=(), cache=cache) if git_dir else None


def _looked_at(files: Files, settings: Manifest, git_dir: str) -> Past:
    from agentws.core.states.past import Past

    scratch = _scratch(files)
    kept = _in_git(files, settings, git_dir, scratch=scratch, keep=())
    return Past(git_dir, scratch, kept)


def _scratch(files: Files) -> str:
    """Return a folder to run git in: `.agentws` if it exists, else the root, as in a clone or a read-only copy."""
    is_prepared = (layout.LOCAL, "folder") in files.names()
    return f"{files.root}/{layout.LOCAL}" if is_prepared else files.root


def _repository(files: Files, settings: Manifest) -> str | None:
    """Return the git folder in which history is kept, None for none."""
    return repository.find(files.root) if settings.setting("history.commits") != "off" else None


def _in_git(
    files: Files, settings: Manifest, git_dir: str, *, scratch: str, keep: Collection[str], cache: Cache | None = None
) -> git_history.GitHistory:
    from agentws.core.states import git_history

    return git_history.GitHistory(
        root=files.root,
        git_dir=git_dir,
        mode=settings.setting("history.commits") if _is_within(files.root, git_dir) else "ref",
        ref=own_ref(files.root, git_dir, settings.agent_id),
        author=_AUTHOR,
        scratch=scratch,
        owns=lambda path: layout.is_document(path) and path not in keep,
        cache=cache,
    )


def own_ref(root: str, git_dir: str, agent_id: str) -> str:
    """Return the ref for states that do not go to the branch of this repository.

    For a workspace inside a larger repository it contains the agent's id: another workspace may be beside it.
    """
    return AUTO_REF if _is_within(root, git_dir) else f"refs/agentws/{agent_id or 'unnamed'}"


def _is_within(root: str, git_dir: str) -> bool:
    return git_dir == f"{root}/.git"


def record(
    files: Files, settings: Manifest, message: str, *, at: datetime, cache: Cache | None = None
) -> tuple[list[str], list[str]]:
    """Record every document as one state; returns the paths held back because of secrets, and notices.

    Documents that are unchanged according to `cache` and the newest state are not read.
    """
    git_dir = _repository(files, settings)
    if git_dir is None:
        return [], []
    local_dir.prepare(files)
    held_back: set[str] = set()
    history = _in_git(files, settings, git_dir, scratch=_scratch(files), keep=held_back, cache=cache)
    # A process that has read older documents must not record them after newer ones.
    with lock.Lock(files, lock.HISTORY):
        mended = history.mend()
        document_index = DocumentIndex(files, _include(files, settings), history, cache)
        _record(history, document_index, held_back, message, at)
    secretive = sorted(document_index.secretive)
    notices = [f"Git's file of {mended} was empty, as a power cut leaves it, and was set again."] if mended else []
    notices += [f"Not versioned: {message}" for message in document_index.unread.values()]
    if secretive:
        names = ", ".join(secretive[:3]) + (" …" if len(secretive) > 3 else "")
        notices.append(
            f"Not versioned, because some lines look like secrets: {names} "
            f"(to version a file that holds no secret, add it to history.include in {layout.MANIFEST})"
        )
    return secretive, notices


def _include(files: Files, settings: Manifest) -> list[str]:
    """Return the documents that are versioned although they look secret, as far as this machine agrees."""
    messages: list[str] = settings.setting("history.include")
    if not messages:
        return []
    from agentws.core.installation import scope_changes

    return scope_changes.agreed(files, settings, "history.include")


def _record(
    history: git_history.GitHistory, document_index: DocumentIndex, held_back: set[str], message: str, at: datetime
) -> None:
    """Record the documents except those in `held_back`, which is set to what is not to be versioned now."""
    from agentws.core.states.git_history import TipMovedError

    for _ in range(_RACES):
        document_index.look()
        held_back.clear()
        held_back.update(document_index.secretive, document_index.unread)
        try:
            state = history.record(
                document_index.read, message=message, at=at, since=document_index.since, gone=document_index.gone
            )
        except TipMovedError:
            continue
        document_index.keep(state or document_index.since)
        return
    raise OutsideProgramError("Other processes kept committing.", hint="Re-run later; nothing was changed.")


def paths(files: Files) -> list[str]:
    """Return the paths of all documents of the workspace, sorted."""
    names: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        within = f"{folder}/" if folder else ""
        there = files.names(folder)
        names += [within + name for name in layout.documents(folder, [name for name, kind in there if kind == "file"])]
        inner = [within + name for name, kind in there if kind == "folder" and not name.startswith(".")]
        folders += [path for path in inner if layout.is_document(f"{path}/x.md")]
    return sorted(names)
