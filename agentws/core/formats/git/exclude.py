"""The workspace's block in a repository's `info/exclude`. Specified in docs/format/git.md."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDERS = (
    layout.LOCAL, layout.DAYS, layout.JOURNAL, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, "identity", "approvals",
    "checkpoints",
)  # fmt: skip
FILES = (layout.MANIFEST, *layout.AGENT_FILES)
_SPECIAL = str.maketrans({special: f"\\{special}" for special in "\\*?["})


def patterns(prefix: str, added: Iterable[str] = ()) -> list[str]:
    """Return git exclude lines for each file and folder of a workspace at `prefix`, and for the `added` paths.

    UsageError if the path of the workspace contains a line break.
    """
    if "\n" in prefix or "\r" in prefix:
        raise UsageError(
            "The folder's path contains a line break, which git cannot exclude.", hint="Rename the folder."
        )
    more = [path for path in added if path not in FILES and path.partition("/")[0] not in FOLDERS]
    base = f"/{prefix}/" if prefix else "/"
    return [f"{base}{path}".translate(_SPECIAL) for path in (*FILES, *(f"{name}/" for name in FOLDERS), *more)]


def whole(prefix: str) -> list[str]:
    """Return the exclude line for a workspace that is a repository of its own within another one."""
    patterns(prefix)
    return [f"/{prefix}/".translate(_SPECIAL)]


def with_block(text: str, prefix: str, lines: Iterable[str]) -> str:
    """Return the exclude file with exactly these lines for the workspace at `prefix`; all else unchanged."""
    rest = without_block(text, prefix)
    glue = "\n" if rest and not rest.endswith("\n") else ""
    first, last = _marks(prefix)
    return f"{rest}{glue}{first}\n" + "".join(f"{line}\n" for line in lines) + f"{last}\n"


def without_block(text: str, prefix: str) -> str:
    """Return the exclude file without the block of the workspace at `prefix`."""
    lines = text.split("\n")
    first, last = _marks(prefix)
    while first in lines and last in lines[lines.index(first) :]:
        start = lines.index(first)
        del lines[start : lines.index(last, start) + 1]
    return "\n".join(lines)


def _marks(prefix: str) -> tuple[str, str]:
    return f"# agentws: private, {prefix or '.'}", f"# agentws: end of {prefix or '.'}"
