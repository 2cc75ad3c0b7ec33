"""Which file changes matter to a watcher, and which file systems need polling. Pure."""

from __future__ import annotations

from agentws.core.formats import layout

FOLDERS = ("memory", "tasks", "contexts", "handoffs", "approvals", "identity")
"""The folders of the root that hold documents."""
FLOOD = 4_096
"""After so many irrelevant changes the files are checked: the system drops events after too many."""
REMOTE = (
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "glusterfs", "lustre", "beegfs", "davfs", "ocfs2",
    "gfs2", "orangefs", "gpfs", "9p", "virtiofs", "vboxsf", "prl_fs", "fakeowner", "drvfs",
)  # fmt: skip
"""File systems that other kernels change too, of which this one gets no events."""


def matters(path: layout.RelPath, *, is_folder: bool) -> bool:
    """Return whether a change at `path` is relevant to history and the watcher; editors' temporary files are not."""
    if is_folder:
        top = path.partition("/")[0]
        return top in FOLDERS and "/." not in path
    return layout.is_document(path)


def needs_polling(kind: str) -> bool:
    """Return whether a watcher must poll a file system of this kind, which does not report all changes."""
    return kind in REMOTE or kind.startswith("fuse")
