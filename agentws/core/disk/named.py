"""Documents named by a person: by the whole name, or by a unique beginning."""

from __future__ import annotations

from collections.abc import Iterable

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.text import names as names_

_SUFFIX = ".md"


def candidates(files: Files, folder: str, name: str) -> list[str]:
    """Return the documents of `folder` that a person named: `name` itself if it exists, else all that begin with it."""
    if not name or files.exists(f"{folder}/{name}{_SUFFIX}"):
        return [name] if name else []
    return alike(name, (file.removesuffix(_SUFFIX) for file in layout.markdown_files(files.listing(folder))))


def alike(name: str, names: Iterable[str]) -> list[str]:
    """Return the document named but for case and Unicode's normal form, else all of `names` that begin with `name`."""
    wanted = names_.key(name)
    keys = {item: names_.key(item) for item in names}
    same = [text for text, its_key in keys.items() if its_key == wanted]
    return same if len(same) == 1 else [text for text, its_key in keys.items() if its_key.startswith(wanted)]


def path(files: Files, given: str) -> str:
    """Return the path of the file that a person named, in the normal form of Unicode that its names have on disk, and
    for an agent's file in the letters that its name has there.

    Without such a file it is the given path.
    """
    given = files.real(given)
    if given.isascii() or files.exists(given):
        return given
    import unicodedata

    folder, slash, name = given.rpartition("/")
    folder = path(files, folder) if folder else ""
    wanted = unicodedata.normalize("NFC", name)
    there = (text for text, _ in files.names(folder) if unicodedata.normalize("NFC", text) == wanted)
    return folder + slash + next(there, name)


def whole(files: Files, folder: str, name: str) -> str:
    """Return the whole name of the one document that a person named; `name` itself if none or several begin with it."""
    names = candidates(files, folder, name)
    return names[0] if len(names) == 1 else name
