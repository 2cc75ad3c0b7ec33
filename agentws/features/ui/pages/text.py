"""A file of the workspace with numbered lines: where places lead."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.secrets import redaction
from agentws.errors import UsageError
from agentws.features.ui.page import Page, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.workspace import Workspace

_LINES = 1000
_CHARS = 4000
_MOST = 1 << 31
_READABLE = (f"{layout.JOURNAL}/", f"{layout.CONFLICTS}/")


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the lines of the file `path` around `line`, or from the line `from` on."""
    path = query.get("path", "")
    if not (layout.is_document(path) or path.startswith(_READABLE)):
        raise UsageError(f"{path!r} is not a file that the page shows.", hint="Open it in an editor.")
    lines = lines_of(workspace, path)
    line = number(query, "line", 0, most=_MOST)
    first = number(query, "from", max(1, line - _LINES // 2), most=max(1, len(lines)))
    shown = lines[first - 1 : first - 1 + _LINES]
    return {
        "path": path,
        "line": line,
        "lines": [(place, words[:_CHARS], len(words) > _CHARS) for place, words in enumerate(shown, first)],
        "earlier": max(1, first - _LINES) if first > 1 else 0,
        "later": first + _LINES if first - 1 + _LINES < len(lines) else 0,
        "count": len(lines),
        "is_recorded": layout.is_document(path),
    }


def lines_of(workspace: Workspace, path: str) -> list[str]:
    """Return the lines of a file as the audience may read them; secrets are masked, also those of several lines."""
    data = workspace.stores.visible_to().files.read(path)
    return redaction.lines_without(data.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n"))


def _exported(query: Mapping[str, str], since: str) -> Mapping[str, str] | None:
    return query if query.keys() <= {"path", "from"} else None


PAGE = Page("text", "File", view, in_menu=False, exported=_exported)
