"""Names that some file systems take for the same: `Notes.md` and `notes.md`, a file `a` and a folder `a`. Pure.

One of them keeps its name, whatever side it came from; the others get six digits of a digest added to theirs.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from agentws.core.formats import digest, layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_DIGITS = 6
_OWN = {layout.DAYS, layout.TASKS, layout.CONTEXTS, layout.HANDOFFS, layout.JOURNAL, "identity", "conflicts", "archive"}
_OWN |= {layout.MANIFEST, *layout.AGENT_FILES, *layout.HOST_FILES}


def settled(paths: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return the new names of paths that clash with others; paths in `known` keep their names first."""
    every = sorted(paths)
    spelt = _folders(every, known)
    keys = {folded(path) for path in every}
    if len(keys) == len(every) and keys.isdisjoint(spelt) and all(_under(path, spelt) == path for path in every):
        return {}  # as usual: what follows takes memory for each path
    wanted = {path: _under(path, spelt) for path in every}
    result: dict[str, str] = {}
    names: set[str] = set()
    for path, name in sorted(wanted.items(), key=lambda pair: _rank(pair[1], pair[0], known)):
        new = name
        number = 0
        while (key := folded(new)) in names or key in spelt:
            new = _beside(name, f"{path}{number or ''}")
            number += 1
        names.add(key)
        if new != path:
            result[path] = new
    return result


def folded(path: str) -> str:
    """Return the folded form of a path, equal for names that a file system may take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _rank(name: str, path: str, known: Collection[str]) -> tuple[bool, bool, bool, str]:
    return name.rpartition("/")[2] not in _OWN, name != path, path not in known, path


def _folders(paths: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Return the one spelling to use for each folder, by its folded form."""
    spellings: dict[str, set[str]] = {}
    for folder in _above(paths):
        spellings.setdefault(folded(folder), set()).add(folder)
    if all(len(each) == 1 for each in spellings.values()):
        return {key: each.pop() for key, each in spellings.items()}
    old = _above(known)
    chosen: dict[str, str] = {}
    for key in sorted(spellings, key=lambda name: name.count("/")):
        best = min(spellings[key], key=lambda name: (name.rpartition("/")[2] not in _OWN, name not in old, name))
        above = chosen.get(key.rpartition("/")[0])
        chosen[key] = f"{above}/{best.rpartition('/')[2]}" if above else best
    return chosen


def _under(path: str, spelt: Mapping[str, str]) -> str:
    """Return the path with the chosen spelling of its folders."""
    folder, slash, name = path.rpartition("/")
    return f"{spelt[folded(folder)]}/{name}" if slash else path


def _beside(path: str, seed: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.partition(".") if not name.startswith(".") else (name, "", "")
    return f"{folder}{slash}{stem}-{digest.of(seed.encode('utf-8', 'surrogateescape'))[:_DIGITS]}{dot}{ending}"


def _above(paths: Iterable[str]) -> set[str]:
    """Return all folders above these paths."""
    result: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in result:
            result.add(folder)
            folder = folder.rpartition("/")[0]
    return result
