"""Documents named by a person: the whole name, or a beginning that only one of the folder has."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

_SUFFIX = ".md"


def candidates(files: Files, folder: str, name: str) -> list[str]:
    """Names of the documents of `folder` that `name` may stand for: itself where it exists, else all that begin so."""
    if not name or files.exists(f"{folder}/{name}{_SUFFIX}"):
        return [name] if name else []
    names = (one.removesuffix(_SUFFIX) for one in files.listing(folder) if one.endswith(_SUFFIX))
    return [one for one in names if one.casefold().startswith(name.casefold())]


def whole(files: Files, folder: str, name: str) -> str:
    """The name of the one document that `name` stands for; `name` itself where none or several begin so."""
    found = candidates(files, folder, name)
    return found[0] if len(found) == 1 else name
