"""Findings about the location: file systems, conflict copies, free space, and permissions. Pure."""

from __future__ import annotations

import stat
from collections.abc import Collection, Sequence

from agentws.core.findings import ADVICE, CLOSE, OWN, PROBLEM, WARNING, Finding, Mend, quoted
from agentws.core.formats import layout
from agentws.core.text.names import some

_NETWORK = (
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "glusterfs", "fuse.glusterfs", "lustre", "beegfs",
    "davfs", "fuse.davfs2", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "ocfs2",
    "gfs2", "orangefs", "gpfs", "fuse.juicefs", "fuse.curlftpfs",
)  # fmt: skip
_BETWEEN = ("9p", "virtiofs", "vboxsf", "prl_fs", "fuse.vmhgfs-fuse", "fuse.grpcfuse", "fakeowner", "drvfs")
"""File systems that share a folder of another kernel, of a virtual machine or Docker Desktop."""
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
"""Names of files that synchronising programs put in their folders."""
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
_MOST = 20


def network(kind: str, mounted_at: str, root: str) -> list[Finding]:
    """Return a finding if the workspace is not on a local disk; `kind` is the kernel's name of the file system."""
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


def unprotected(root: str, *, is_unsynced: bool, is_unlocked: bool) -> list[Finding]:
    """Return a finding for each protection that the disk of the workspace does not offer."""
    findings = []
    if is_unlocked:
        says = "is on a disk that has no locks, so agentws can only read"
        remedy = "Mount it with locks (NFS: with lockd, or local_lock=flock), or move the workspace to a local disk."
        findings.append(Finding("no-locks", PROBLEM, says, remedy=remedy, path=root))
    if is_unsynced:
        says = "is on a disk that cannot sync folders, so a power cut may take the newest files away"
        remedy = "Move the workspace to a local disk, or make backups on another one: agentws backup create"
        findings.append(Finding("unsynced-folder", WARNING, says, remedy=remedy, path=root))
    return findings


def synced(root: str, marks: Collection[tuple[str, str]]) -> list[Finding]:
    """Return a finding if a program synchronises the folder; `marks` are (folder, name) of MARKS at or above it."""
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
    """Return a finding for each copy that a synchronising program, an editor or a merge put beside a file.

    `also` are further files that may have copies, but are none themselves.
    """
    # There may be ten years of logs, and seldom a copy: all names are searched at once.
    if not layout.may_be_copy("\n".join(paths)):
        return []
    from agentws.core.formats import copies

    known = {*paths, *also}
    remedy = "Delete this file, or rename it to have it read."
    findings = []
    for path in filter(layout.may_be_copy, paths):
        if original := copies.original(path, known):
            says = f"is another version of {original}, and agentws does not read this file"
            findings.append(Finding("conflict-copy", WARNING, says, remedy=_compare(original), path=path))
        elif source := copies.duplicated(path, known):
            says = f"looks like a copy of {source}, and agentws does not read this file"
            findings.append(Finding("stray-copy", ADVICE, says, remedy=remedy, path=path))
        elif path.startswith(f"{layout.DAYS}/") and layout.is_copy_of_day(path.rpartition("/")[2]):
            says = "named like a copy of a daily log, so not read as one"
            remedy_here = "Rename this file to have it read; delete it if the archived log says the same."
            findings.append(Finding("stray-copy", ADVICE, says, remedy=remedy_here, path=path))
    more = len(findings) - _MOST
    if more > 0:
        last = Finding("conflict-copy", WARNING, f"{more} more such files", remedy="Check the folders named above.")
        return [*findings[:_MOST], last]
    return findings


def _compare(original: str) -> str:
    if original.startswith(f"{layout.JOURNAL}/"):
        return "Keep this file until agentws journal verify finds no problem."
    return f"Compare both files, correct {original}, then delete this file."


_FULL_BYTES, _TIGHT_BYTES = 64 << 10, 5 << 20
"""Full: less than a few blocks, so nothing can be recorded. Tight: less than a busy agent writes in a day or two."""
_FULL_FILES, _TIGHT_FILES = 1, 50
MAKE_ROOM = "Free some space. New writes may fail; existing data is safe."


def is_full(left: tuple[int, int] | None) -> bool:
    """Return whether the free (bytes, files) are too few to write anything; False if unknown."""
    return left is not None and (left[0] < _FULL_BYTES or left[1] < _FULL_FILES)


def free_space(left: tuple[int, int] | None) -> str:
    """Return a message if the free space is little, else an empty text."""
    if left is None:
        return ""
    size, files = left
    if is_full(left):
        what = "space is left" if size < _FULL_BYTES else "file can be created"
        return f"the disk is full: no {what}, so nothing can be recorded"
    if size < _TIGHT_BYTES:
        return f"the disk is nearly full: {size // 1024:,} KiB left"
    return f"the disk is nearly full: only {files:,} more files fit" if files < _TIGHT_FILES else ""


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_READ_BY_ALL = stat.S_IROTH | stat.S_IXOTH


def private(folder: str, modes: Sequence[tuple[str, int]]) -> list[Finding]:
    """Return findings for open permissions of private files in a `folder`, from (RelPath, mode) of each.

    The empty RelPath is the folder itself.
    """
    findings = []
    for path, mode in modes:
        if mode & _OTHERS:
            place = f"{folder}/{path}".rstrip("/")
            what = "the private key" if path == "key" else "private state of this installation"
            findings.append(
                Finding(
                    "private-open",
                    PROBLEM,
                    f"{what} is accessible to other users (mode {mode & 0o777:03o})",
                    remedy=f"chmod go= {quoted(place)}",
                    path=place,
                    mends=[Mend(CLOSE, path, base=folder, bits=_OTHERS)],
                )
            )
    return findings


def own(root: str, folders: Sequence[str]) -> list[Finding]:
    """Return the finding for open permissions of the workspace's private `folders`."""
    if not folders:
        return []
    return [
        Finding(
            "own-open",
            WARNING,
            "other users can access the journal or the undo files",
            remedy=f"chmod -R go= {' '.join(quoted(f'{root}/{folder}') for folder in folders)}",
            path=folders[0],
            mends=[Mend(OWN)],
        )
    ]


def unwritable(paths: Sequence[str]) -> list[Finding]:
    """Return the finding for missing write permission on paths in the workspace that commands have to write."""
    if not paths:
        return []
    names = " ".join(quoted(path) for path in paths)
    remedy = f"chmod u+rwX {names}. If another user owns them, run agentws as that user"
    says = f"is not writable for this user, so commands that write here fail{_and_more(paths)}"
    return [Finding("not-writable", PROBLEM, says, remedy=remedy, path=paths[0])]


def grouped(root: str, *, group: str, open_paths: Sequence[str], is_meant: bool) -> list[Finding]:
    """Return the finding for paths in the workspace with write permission for the `group`; empty without any.

    It is only advice if that `is_meant`, which the setgid bit of the workspace's folder shows.
    """
    if not open_paths:
        return []
    if is_meant:
        says = f"group {group} may change this path (setgid bit){_and_more(open_paths)}"
        remedy = f"If not intended: chmod -R g-ws {quoted(root)}"
        return [Finding("group-writable", ADVICE, says, remedy=remedy, path=open_paths[0])]
    says = f"members of group {group} may change this path{_and_more(open_paths)}"
    remedy = f"chmod -R g-w {quoted(root)}; if sharing is intended: chmod g+s {quoted(root)}"
    return [Finding("group-writable", WARNING, says, remedy=remedy, path=open_paths[0])]


def shared(root: str, *, mode: int, reachable: bool, open_paths: Sequence[str]) -> list[Finding]:
    """Return findings for permissions of all users: by the workspace folder's `mode`, and for paths that all may write.

    `reachable` is whether other users can reach the folder at all.
    """
    findings = []
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        findings.append(
            Finding(
                "world-writable",
                PROBLEM,
                "every user may add files here, and agents trust these files",
                remedy=f"chmod o-w {quoted(root)}",
                path=root,
                mends=[Mend(CLOSE, bits=stat.S_IWOTH)],
            )
        )
    if open_paths:
        names = " ".join(quoted(path) for path in open_paths[:3]) + (" …" if len(open_paths) > 3 else "")
        findings.append(
            Finding(
                "world-writable",
                PROBLEM,
                f"every user of this machine may change this path{_and_more(open_paths)}",
                remedy=f"chmod o-w {names}",
                path=open_paths[0],
                mends=[Mend(CLOSE, path, bits=stat.S_IWOTH) for path in open_paths],
            )
        )
    if reachable and mode & _READ_BY_ALL == _READ_BY_ALL:
        says = "other users of this machine may read the agent's memory"
        findings.append(Finding("readable", ADVICE, says, remedy=f"chmod 700 {quoted(root)}", path=root))
    return findings


def _and_more(paths: Sequence[str]) -> str:
    return f"; same for {some(paths[1:])}" if len(paths) > 1 else ""
