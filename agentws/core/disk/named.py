"""Documents named by a person: by the whole name, or by a unique beginning."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

_SUFFIX = ".md"


def candidates(files: Files, folder: str, name: str) -> list[str]:
    """Return the documents of `folder` that `name` may mean: itself if it exists, else all that begin with it."""
    if not name or files.exists(f"{folder}/{name}{_SUFFIX}"):
        return [name] if name else []
    names = (one.removesuffix(_SUFFIX) for one in files.listing(folder) if one.endswith(_SUFFIX))
    return [one for one in names if one.casefold().startswith(name.casefold())]


def whole(files: Files, folder: str, name: str) -> str:
    """Return the name of the one document that `name` means; `name` itself if none or several begin with it."""
    found = candidates(files, folder, name)
    return found[0] if len(found) == 1 else name
