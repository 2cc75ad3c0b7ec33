"""The resources of the MCP server: the Markdown documents of the workspace, as the audience may see them."""

from __future__ import annotations

from urllib.parse import quote, unquote

from agentws.core.formats import layout
from agentws.errors import MissingFileError
from agentws.features.mcp.plan import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.workspace import Workspace

PREFIX = "agentws:///"
"""The beginning of a resource's URI; its path in the workspace follows."""
TEMPLATE = f"{PREFIX}{{+path}}"
_FOLDERS = ("", layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, layout.DAYS, layout.IMPORTED)


def listed(workspace: Workspace) -> list[str]:
    """Return the paths of all documents but the archives, the newest of dated ones first."""
    files = workspace.stores.visible_to().files
    paths: list[str] = []
    for folder in _FOLDERS:
        names = [name for name, kind in files.names(folder) if kind == "file"]
        documents = sorted(layout.markdown_files(layout.documents(folder, names)), reverse=folder != "")
        paths += [f"{folder}/{name}" if folder else name for name in documents]
    return paths


def uri(path: str) -> str:
    """Return the URI of a document."""
    return PREFIX + quote(path)


def text(workspace: Workspace, given: str) -> str:
    """Return the text of the document with this URI, without secrets; MissingFileError for any other file."""
    path = unquote(given.removeprefix(PREFIX), errors="surrogateescape")
    if not given.startswith(PREFIX) or not path.endswith(".md") or not layout.is_document(path):
        raise MissingFileError(
            f"{given} is not a document of the workspace.", hint=f"For example: {uri(layout.MEMORY)}"
        )
    data = workspace.stores.visible_to().files.read(path)
    result: str = shown.inert(data.decode("utf-8", "replace"))
    return result
