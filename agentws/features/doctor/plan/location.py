"""Findings about the place: a network, a folder that some program synchronises, its conflict copies. Pure."""

from __future__ import annotations

from agentws.core.findings import ADVICE, WARNING, Finding
from agentws.core.formats import layout
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


_NETWORK = (
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "glusterfs", "fuse.glusterfs", "lustre", "beegfs",
    "davfs", "fuse.davfs2", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "ocfs2",
    "gfs2", "orangefs", "gpfs", "fuse.juicefs", "fuse.curlftpfs",
)  # fmt: skip
_BETWEEN = ("9p", "virtiofs", "vboxsf", "prl_fs", "fuse.vmhgfs-fuse", "fuse.grpcfuse", "fakeowner", "drvfs")
"""File systems that show a folder of another kernel: a virtual machine's, or that of Docker Desktop."""
_LOSING = ("tmpfs", "ramfs")

_MARKS = {
    ".stfolder": "Syncthing",
    ".stignore": "Syncthing",
    ".dropbox": "Dropbox",
    ".dropbox.cache": "Dropbox",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
    ".tmp.driveupload": "Google Drive",
    ".tmp.drivedownload": "Google Drive",
    ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
}
MARKS = tuple(_MARKS)
"""Names of what programs that synchronise leave in the folders that they keep."""
_FOLDERS = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "my drive": "Google Drive",
    "mobile documents": "iCloud Drive",
    "icloud drive": "iCloud Drive",
    "icloud~": "iCloud Drive",
    "cloudstorage": "a cloud drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pclouddrive": "pCloud",
    "syncthing": "Syncthing",
}
_CONFLICT = Pattern(
    r"^(?P<stem>.+?)(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"
    r"|(?<![ _-])[ _-]*+"
    r"(?>\((?=[^()]*+\))[^()]*?\b(?:conflicted copy|conflict copy|case conflict|in conflict|conflict)\b[^()]*+\))"
    r"|_conf\([^()]*+\))(?P<ending>\.[^.]+)?$",
    "IGNORECASE",
    "DOTALL",
)
_HINT = "conf"
"""What stands in each such name."""
_SURE = ("conflicted copy", "conflict copy", "sync-conflict")
_NUMBERED = Pattern(r"^(?P<stem>.+) \(\d{1,2}\)(?P<ending>\.[^./]+)$", "DOTALL")
_LEFT_BY_PROGRAMS = (".orig", ".rej", ".edited-meanwhile-")
_MOST = 20


def network(kind: str, mounted_at: str, root: str) -> list[Finding]:
    """A finding where the file system that holds the workspace is no local disk; `kind` as the kernel calls it."""
    if kind in _NETWORK:
        says = f"is on a network file system ({kind} at {mounted_at}): locks may not work between machines"
        remedy = "Write from one machine at a time, or use a local disk."
        return [Finding("network-folder", WARNING, says, remedy=remedy, path=root)]
    if kind in _BETWEEN:
        says = f"is shared between two systems ({kind} at {mounted_at}): locks may not work between them"
        return [Finding("shared-folder", ADVICE, says, remedy="Write from one system at a time.", path=root)]
    if kind in _LOSING:
        says = f"is in memory ({kind} at {mounted_at}): a reboot deletes it"
        return [Finding("memory-folder", ADVICE, says, remedy="Move the workspace to a disk.", path=root)]
    return []


def synced(root: str, marks: Collection[tuple[str, str]]) -> list[Finding]:
    """A finding where some program synchronises the folder; `marks` are (folder, name) of MARKS at or above it."""
    for folder, name in sorted(marks, key=lambda mark: len(mark[0]), reverse=True):
        if name in _MARKS:
            return [
                _synced(root, _MARKS[name], f"{folder} is synchronised by {_MARKS[name]} (the folder contains {name})")
            ]
    for part in reversed(root.split("/")):
        program = _program(part)
        if program:
            return [_synced(root, program, f"looks synchronised by {program} (the path contains {part})")]
    return []


def _program(part: str) -> str:
    low = part.casefold()
    known = _FOLDERS.get(low, "")
    if not known and low.startswith(("onedrive -", "dropbox (", "googledrive-", "icloud~", "com~apple~clouddocs")):
        known = "Dropbox" if low[0] == "d" else "OneDrive" if low[0] == "o" else "a cloud drive"
    return known


def _synced(root: str, program: str, says: str) -> Finding:
    ignore = " Add .agentws to .stignore." if program == "Syncthing" else ""
    remedy = f"Write from one machine at a time, or move the workspace out and share the workspace by git.{ignore}"
    return Finding("synced-folder", WARNING, says, remedy=remedy, path=root)


def conflicts(paths: Sequence[str], *, also: Collection[str] = ()) -> list[Finding]:
    """A finding for each file that a synchronising program, an editor or a merge has put beside one of ours.

    `also` are further ones of ours, whose own names are not those of copies.
    """
    # Ten years of logs, and seldom one that is a copy: all names are looked through at once.
    every = "\n".join(paths).casefold()
    if not any(mark in every for mark in (*_LEFT_BY_PROGRAMS, _HINT, " (", "~")):
        return []
    known = {*paths, *also}
    found = []
    for path in paths:
        original = _original(path, known)
        if original:
            says = f"is another version of {original}, and agentws does not read this file"
            found.append(Finding("conflict-copy", WARNING, says, remedy=_compare(original), path=path))
        elif source := _source(path, known):
            says = f"looks like a copy of {source}, and agentws does not read this file"
            found.append(
                Finding("stray-copy", ADVICE, says, remedy="Delete this file if you do not need it.", path=path)
            )
    more = len(found) - _MOST
    if more > 0:
        last = Finding("conflict-copy", WARNING, f"{more} more such files", remedy="Check the folders named above.")
        return [*found[:_MOST], last]
    return found


def _original(path: str, known: Collection[str]) -> str:
    """The file of which the one at `path` is another version, empty where it is none."""
    for mark in _LEFT_BY_PROGRAMS:
        stem, found, rest = path.rpartition(mark)
        if found and stem in known and (not rest or rest.isdigit()):
            return stem
    folder, slash, name = path.rpartition("/")
    match = _CONFLICT.search(name) if _HINT in name.casefold() else None
    if match is None:
        return ""
    original = f"{folder}{slash}{match['stem']}{match['ending'] or ''}"
    # A note may be about a conflict: what says no more than that is a copy only beside its original.
    return original if original in known or any(word in name.casefold() for word in _SURE) else ""


def _source(path: str, known: Collection[str]) -> str:
    """The file that an editor or a browser has copied to `path`, empty where that is not likely."""
    match = _NUMBERED.search(path) if " (" in path else None
    source = path[:-1] if path.endswith("~") else match["stem"] + match["ending"] if match else ""
    return source if source in known else ""


def _compare(original: str) -> str:
    if original.startswith(f"{layout.JOURNAL}/"):
        return "Keep this file until agentws journal verify finds no problem."
    return f"Compare both files, correct {original}, then delete this file."


_FULL_BYTES, _TIGHT_BYTES = 64 << 10, 5 << 20
"""Less than a few blocks: nothing can be recorded. Less than a day or two of a busy agent: soon."""
_FULL_FILES, _TIGHT_FILES = 1, 50
MAKE_ROOM = "Free some space. New writes may fail; existing data is safe."


def is_full(left: tuple[int, int] | None) -> bool:
    """Return whether (bytes, files) is too little for anything; where it is not known, False."""
    return left is not None and (left[0] < _FULL_BYTES or left[1] < _FULL_FILES)


def free_space(left: tuple[int, int] | None) -> str:
    """Return a sentence about the free space, empty where there is enough."""
    if left is None:
        return ""
    size, files = left
    if is_full(left):
        what = "space is left" if size < _FULL_BYTES else "file can be created"
        return f"the disk is full: no {what}, so nothing can be recorded"
    if size < _TIGHT_BYTES:
        return f"the disk is nearly full: {size // 1024:,} KiB left"
    return f"the disk is nearly full: only {files:,} more files fit" if files < _TIGHT_FILES else ""
