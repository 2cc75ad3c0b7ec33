"""The git repository around a workspace: found, checked and made durable without running git."""

from __future__ import annotations

import contextlib
import os
import stat
import time

from agentws.core.disk import cache, files, local_time
from agentws.errors import AgentwsError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KEEPER = "agentws"
"""The content of the `.keep` file of a pack that is kept for a state being recorded."""
_LEFT_S = 3600.0
_HEX = "0123456789abcdef"
_MOST_CONFIG_BYTES = 1 << 18
_LOG_BYTES = 1 << 12
_LOCKS = ("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def find(root: str) -> str | None:
    """Return the `.git` folder of the repository that contains the folder `root`, or None; git is not run.

    None also in cases that git accepts: `.git` is a symbolic link, belongs to a third person, is on another file
    system, or redirects to a place that does not point back (`commondir`, `git init --separate-git-dir`).
    """
    folder = os.path.realpath(root)
    try:
        start = os.stat(folder)
        while os.stat(folder).st_dev == start.st_dev:
            place = os.path.join(folder, ".git")
            if os.path.lexists(place):
                status = os.lstat(place)
                # Somebody may have put up a /tmp/.git to be given our documents.
                if status.st_uid not in (os.geteuid(), start.st_uid):
                    return None
                if stat.S_ISREG(status.st_mode):
                    return _redirected(place)
                if not stat.S_ISDIR(status.st_mode) or _is_repository(place):
                    return place if stat.S_ISDIR(status.st_mode) else None
            if folder == os.path.dirname(folder):
                return None
            folder = os.path.dirname(folder)
    except OSError:
        return None
    return None


def common(git_dir: str) -> str:
    """Return the folder of objects and refs: `git_dir` itself, or the one that linked worktrees share."""
    if not os.path.lexists(f"{git_dir}/commondir"):
        return git_dir
    return os.path.realpath(os.path.join(git_dir, _line(f"{git_dir}/commondir")))


def refuse_busy(git_dir: str) -> None:
    """Raise OutsideProgramError if a merge, rebase or the like is in progress: states cannot go to HEAD then."""
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"):
        if os.path.lexists(f"{git_dir}/{name}"):
            raise OutsideProgramError(
                f"A git merge or rebase is in progress ({name}).",
                hint="Finish or abort the merge or rebase. The next change is then recorded.",
            )


def refuse_links(git_dir: str, ref: str) -> None:
    """Raise OutsideProgramError if moving `ref` would make git write through a link.

    Git follows links at its reflogs, index and object folders: a repository sent by somebody could so have a line added
    to any file of its reader.
    """
    shared = common(git_dir)
    places = {f"{git_dir}/index", f"{git_dir}/logs", f"{git_dir}/logs/HEAD", f"{shared}/objects/pack"}
    for name in (ref, f"logs/{ref}"):
        parts = name.split("/")
        places |= {"/".join([shared, *parts[: n + 1]]) for n in range(len(parts))}
    with contextlib.suppress(FileNotFoundError), os.scandir(f"{shared}/objects") as entries:
        places |= {each.path for each in entries}
    for place in sorted(places):
        mode = os.lstat(place).st_mode if os.path.lexists(place) else stat.S_IFREG
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise OutsideProgramError(
                f"{place} is a link or a device, and git would write to its target.",
                hint="Nothing was changed. Find out who created the link or device.",
            )


def wait_for(lock: str, *, scratch: str) -> None:
    """Return once git's lock file is gone; a stale one is never removed, since it may be live."""
    for _ in range(10):
        if not os.path.lexists(lock):
            return
        time.sleep(0.05)
    raise locked(lock, scratch=scratch)


def locked(lock: str, *, scratch: str) -> OutsideProgramError:
    """Return the error that names the lock file, its age and the remedy."""
    import tempfile

    since = "since a moment ago"
    # The age is measured by the file system's own clock, which also set the lock's time.
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=scratch) as now:
        since = _for(os.fstat(now.fileno()).st_mtime - os.lstat(lock).st_mtime)
    return OutsideProgramError(
        f"git is locked by {lock}, {since}.",
        hint=f"If no git command is running, remove {lock}. Nothing was changed.",
    )


def _for(age_s: float) -> str:
    """Return an age in words, in the largest unit that fits."""
    for unit, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(age_s // seconds)
        if count > 0:
            return f"for {count} {unit}{'s' if count > 1 else ''}"
    return "since a moment ago"


def branch(git_dir: str) -> str | None:
    """Return the branch that HEAD names, read from its file; None if git must be asked."""
    try:
        line = _line(f"{git_dir}/HEAD")
    except OSError:
        return None
    name = line.removeprefix("ref: ")
    # Repositories whose refs are in tables name this one, and none of their files holds a ref.
    is_plain = name.startswith("refs/heads/") and name != line and not name.endswith("/.invalid")
    return name if is_plain and name.isprintable() else None


def tip(git_dir: str, ref: str) -> str | None:
    """Return the id in the file of a ref; None if git must be asked: it may not exist, or be packed."""
    try:
        line = _line(f"{common(git_dir)}/{ref}")
    except OSError:
        return None
    return line if len(line) in (40, 64) and not line.strip(_HEX) else None


def is_emptied(git_dir: str, ref: str) -> bool:
    """Return whether the file of a ref is empty, zeros, or a part of an id, as after a power cut."""
    try:
        left = _line(f"{common(git_dir)}/{ref}").strip("\0\n")
    except OSError:
        return False
    return len(left) not in (40, 64) and not left.strip(_HEX)


def logged(git_dir: str, ref: str) -> list[str]:
    """Return the ids that git's log of a ref names as its newest ones, the newest first."""
    try:
        tail = files.Files(common(git_dir)).part(f"logs/{ref}", _LOG_BYTES, from_end=True)[0]
    except AgentwsError:
        return []
    ids = [line.split(b" ")[1] for line in tail.split(b"\n") if line.count(b" ") > 1]
    return [id.decode() for id in reversed(ids) if len(id) in (40, 64) and not id.strip(_HEX.encode())]


def set_emptied(git_dir: str, ref: str, commit: str) -> None:
    """Write the id of a commit into the emptied file of a ref, which git itself refuses to move."""
    folder, _, name = f"{common(git_dir)}/{ref}".rpartition("/")
    cache.write_file(folder, name, f"{commit}\n".encode(), mode=0o644, synced=True)


def packs(git_dir: str) -> list[str]:
    """Return the paths, without `.pack`, of the packs to repack; none in a partial clone, which git alone can
    repack.
    """
    folder = f"{common(git_dir)}/objects/pack"
    try:
        names = set(os.listdir(folder))
    except OSError:
        return []
    if any(name.endswith(".promisor") for name in names):
        return []
    stems = (name.removesuffix(".pack") for name in names if name.endswith(".pack"))
    return [f"{folder}/{stem}" for stem in stems if f"{stem}.keep" not in names]


def release(git_dir: str, pack: str) -> None:
    """Let git repack the pack of this name, which was kept while no ref led to it."""
    place = f"{common(git_dir)}/objects/pack/pack-{pack}.keep"
    with contextlib.suppress(OSError):
        if _line(place) == KEEPER:
            os.unlink(place)


def release_left(git_dir: str) -> None:
    """Let git repack the packs that killed processes had kept."""
    from agentws.core.disk import local_time

    before = local_time.now() - _LEFT_S
    with contextlib.suppress(OSError), os.scandir(f"{common(git_dir)}/objects/pack") as entries:
        for each in entries:
            is_old = each.name.endswith(".keep") and each.stat(follow_symlinks=False).st_mtime < before
            if is_old and _line(each.path) == KEEPER:
                os.unlink(each.path)


def measured(packs: Iterable[str]) -> list[tuple[int, int]]:
    """Return (objects, bytes) of each of these packs that still exists."""
    result = []
    for path in packs:
        with contextlib.suppress(OSError):
            result.append((_objects(f"{path}.idx"), os.stat(f"{path}.pack").st_size))
    return result


def _objects(index: str) -> int:
    """Return the number of objects in a pack, from its index: the last count of the fan-out table (gitformat-pack)."""
    fd = os.open(index, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return int.from_bytes(os.pread(fd, 4, 8 + 255 * 4), "big")
    finally:
        os.close(fd)


def sync_packs(git_dir: str) -> None:
    """Make the names of the packs durable, which git does not do. Best effort: no acknowledgement depends on it."""
    with contextlib.suppress(OSError):
        fd = os.open(f"{common(git_dir)}/objects/pack", _FOLDER)
        try:
            files.sync(fd)
        finally:
            os.close(fd)


def _is_repository(git_dir: str) -> bool:
    # A `commondir` or a link here would send every object and ref to another repository of the sender's choice.
    folders = all(
        os.path.isdir(path) and not os.path.islink(path) for path in (git_dir, f"{git_dir}/objects", f"{git_dir}/refs")
    )
    return folders and os.path.lexists(f"{git_dir}/HEAD") and not os.path.lexists(f"{git_dir}/commondir")


def _redirected(file: str) -> str | None:
    """Return the target of a `.git` file: a linked worktree or a submodule that points back."""
    text = _line(file)
    if not text.startswith("gitdir: "):
        return None
    folder = os.path.dirname(file)
    target = os.path.realpath(os.path.join(folder, text.removeprefix("gitdir: ")))
    if os.path.lexists(f"{target}/commondir"):
        back = os.path.realpath(os.path.join(target, _line(f"{target}/gitdir")))
        shared = common(target)
        ours = back == file and os.path.dirname(target) == f"{shared}/worktrees" and _is_repository(shared)
    else:
        above = find(os.path.dirname(folder))
        ours = above is not None and target.startswith(f"{above}/modules/") and _is_repository(target)
    return target if ours else None


def _line(path: str) -> str:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096).decode(errors="surrogateescape").rstrip("\n")
    finally:
        os.close(fd)


def has_remote(git_dir: str) -> bool:
    """Return whether the repository has a remote; True also if its config cannot be read."""
    try:
        text = files.Files(common(git_dir)).part("config", _MOST_CONFIG_BYTES)[0].decode("utf-8", "replace")
    except (AgentwsError, OSError):
        return True
    lines = [line.strip().casefold() for line in text.split("\n")]
    return any(line.startswith(("[remote ", "[include]", "[includeif ")) for line in lines)


def locks(git_dir: str) -> list[tuple[str, float]]:
    """Return (absolute path, age in seconds) of each of git's lock files in the repository."""
    result = []
    for name in _LOCKS:
        path = os.path.join(git_dir, name)
        try:
            result.append((path, local_time.now() - os.lstat(path).st_mtime))
        except OSError:
            continue
    return result
