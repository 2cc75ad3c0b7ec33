"""Findings about permissions of the workspace and of this installation's private state. Pure."""

from __future__ import annotations

import stat

from agentws.core.findings import ADVICE, CLOSE, OWN, PROBLEM, WARNING, Finding, Mend, quoted
from agentws.core.text.names import some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Return the finding for paths in the workspace with write permission for the `group`, empty if there are none.

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
