"""The hook file `.agentws/hook`: the shell script that the hooks of agent programs start on this machine.

Settings that a project shares hold no path of a machine: those are in this file. Specified in docs/format/local.md.
"""

from __future__ import annotations

from agentws.core.disk import external_files, local_dir
from agentws.core.formats import layout
from agentws.core.hosts import plan
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.hosts.plan import Wired, Wiring


def write(files: Files, wiring: Wiring) -> None:
    """Write the hook file durably, unless it is right already."""
    text = wiring.hook_file().encode()
    before = files.read(layout.HOOK) if files.exists(layout.HOOK) else None
    if before != text:
        local_dir.prepare(files)
        files.replace(layout.HOOK, text, expects=files.digest(layout.HOOK))


def remove(files: Files) -> None:
    """Remove the hook file, if there is one."""
    if files.exists(layout.HOOK):
        files.remove(layout.HOOK, expects=files.digest(layout.HOOK))


def filled(wired: Wired, folder: str) -> Wired:
    """Return the wiring in the settings in `folder`, with the script and launcher that its hook file names.

    If that file is missing, it is itself the script that does not exist.
    """
    if not wired.file:
        return wired
    workspace, file = (plan.in_folder(path, folder) for path in (wired.workspace, wired.file))
    try:
        text = external_files.read(external_files.locate(workspace, layout.HOOK, anywhere=True))
    except AgentwsError:
        text = None
    connection = plan.read_file(text or "")
    if connection is None:
        return plan.Wired(file, workspace, file=file)
    return plan.Wired(connection.script, workspace, connection.launcher, file)
