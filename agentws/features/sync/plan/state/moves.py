"""Moves: bring files that one side moved or renamed to one path; names that some file systems take for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from agentws.core.formats import digest, layout
from agentws.core.formats.documents import document, sources, task
from agentws.errors import AgentwsError
from agentws.features.sync.plan.plan import Blobs, Value
from agentws.features.sync.plan.state import late

Files = dict[str, Value]


_ARCHIVED = (f"{layout.HANDOFFS}/", f"{layout.TASKS}/", f"{layout.APPROVALS}/")
_MD = ".md"


def align(base: Files, ours: Files, theirs: Files, blobs: Blobs) -> None:
    """Change the three states so that every moved file has the same path in all of them."""
    sides = (ours, theirs), (theirs, ours)
    for moved, other in sides:
        for path, to in sorted(_unfolded(base, moved, blobs).items()):
            _follow(base, other, path, to)
    mine, others = (folded_since(base, side, blobs) for side in (ours, theirs))
    added: list[tuple[Files, str, Sequence[late.Passage]]] = []
    for path, to in sorted({**others, **mine}.items()):
        if path in mine and path in others:
            if mine[path] == others[path] and path in base:
                base[to] = base.pop(path)
        else:
            moved, other = sides[path in others]
            target = path if path in moved else late.place(path)
            added.append((other, target, _archived(base, moved, other, path, to, blobs)))
    for moved, other in sides:
        for second in sorted(path for path in moved if late.is_second(path)):
            # Lines of a day that an earlier merge moved to its second file on one side move in all states.
            day = second.rpartition("/")[2].removesuffix(late.SECOND)
            if not blobs.same(moved[second], base.get(second)):
                for first in (layout.day_path(day), f"{layout.ARCHIVE}/{day[:4]}/{day}{_MD}"):
                    if first in base and first in moved:
                        _part(base, moved, other, first, second, blobs)
    for side, path, lines in added:  # behind those that stood there before
        _add(side, path, lines, blobs)
    _same_name(base, ours, theirs, blobs)
    for moved, other in sides:
        for path, to in sorted(_renamed(base, moved, blobs).items()):
            _follow(base, other, path, to)


def folded_since(base: Files, side: Files, blobs: Blobs) -> dict[str, str]:
    """Return the files that a side moved to the archive since the base, each with its path in the archive."""
    result: dict[str, str] = {}
    for path, value in side.items():
        if is_month(path) and not blobs.same(value, base.get(path)):
            known = sources.decode(blobs.bytes_of(value).decode("utf-8", "surrogateescape"))
            for folded in known.every():
                is_gone = folded.path not in side or not blobs.same(side[folded.path], base.get(folded.path))
                if is_gone and folded.to in side and folded.to not in base and not folded.is_deleted:
                    result.setdefault(folded.path, folded.to)
    return result


def is_month(path: str) -> bool:
    """Return whether a path is that of a month file, which records the archived files."""
    return path.startswith(f"{layout.ARCHIVE}/") and sources.is_month(path.rpartition("/")[2])


def _archived(base: Files, moved: Files, other: Files, path: str, to: str, blobs: Blobs) -> Sequence[late.Passage]:
    """Move a file that one side archived in the other states too; return the lines that `other` added to it since."""
    before, now = base.get(path), other.get(path)
    if path.startswith(_ARCHIVED) and path in moved:
        return ()
    if path.startswith(_ARCHIVED) and now is not None and not blobs.same(now, before):
        moved[path] = moved.pop(to)  # it is open again, or was rewritten: a later compaction archives it
        return ()
    if now is not None and to in other:
        return ()  # the other side archived another file under this name
    if before is not None:
        base[to] = base.pop(path)
    added: Sequence[late.Passage] = ()
    if now is not None:
        del other[path]
        start = moved[to] if before is None else before
        other[to] = start
        if not blobs.same(now, start):
            gone, added = late.compared(blobs.bytes_of(start), blobs.bytes_of(now))
            added = late.leaving(blobs.bytes_of(now), added)
            other[to] = late.without(blobs.bytes_of(start), gone) if gone and before is not None else start
    if path in moved:
        _part(base, moved, other, to, path, blobs)
    return added


def _part(base: Files, moved: Files, other: Files, first: str, second: str, blobs: Blobs) -> None:
    """Move lines from file `first` to `second` in the other states too, if one side moved them."""
    if first not in base or blobs.same(moved[first], base[first]):
        return
    gone, _ = late.compared(blobs.bytes_of(base[first]), blobs.bytes_of(moved[first]))
    _, new = late.compared(blobs.bytes_of(base.get(second)), blobs.bytes_of(moved[second]))
    words = {text for *_, text in gone} & {text for *_, text in new}
    for side in (base, other) if words else ():
        if side.get(first) is not None:
            data = blobs.bytes_of(side[first])
            those = [pair for pair in late.compared(data, b"")[0] if pair[2] in words]
            side[first] = late.without(data, those)
            _add(side, second, those, blobs)
    if words and other.get(second) is None:
        other[second] = late.added_to(second, b"", ())  # this side removed the lines, but not the file


def _add(side: Files, path: str, lines: Sequence[late.Passage], blobs: Blobs) -> None:
    if lines:
        side[path] = late.added_to(path, blobs.bytes_of(side.get(path)), lines)


def _unfolded(base: Files, side: Files, blobs: Blobs) -> dict[str, str]:
    """Return the archived files that a side moved back since the base, each with its original path."""
    result: dict[str, str] = {}
    for path, value in base.items():
        if is_month(path) and not blobs.same(value, side.get(path)):
            known = sources.decode(blobs.bytes_of(value).decode("utf-8", "surrogateescape"))
            for folded in known.every():
                if folded.to in base and folded.to not in side and folded.path in side and folded.path not in base:
                    result.setdefault(folded.to, folded.path)
    return result


def _follow(base: Files, other: Files, path: str, to: str) -> None:
    """Move the file at `path` in the other states to where one side moved it, unless it is there already."""
    if path not in base or to in base or (path in other and to in other):
        return
    base[to] = base.pop(path)
    if path in other:
        other[to] = other.pop(path)


def _same_name(base: Files, ours: Files, theirs: Files, blobs: Blobs) -> None:
    """Give a task that both sides renamed one of the two names; the other becomes one of its former names."""
    mine, others = (_renamed(base, side, blobs) for side in (ours, theirs))
    for path in sorted(mine.keys() & others.keys()):
        to, left = sorted((mine[path], others[path]))
        side = ours if mine[path] == left else theirs
        if to == left or to in side:
            continue
        side[to] = _called(left, side.pop(left), blobs)
        base[to] = base.pop(path)


def _called(path: str, value: Value, blobs: Blobs) -> Value:
    """Return a task with its present name added to its former names."""
    data = blobs.bytes_of(value)
    try:
        made = document.decode(data, where=path)
        slug = path.rpartition("/")[2].removesuffix(_MD)
        return document.encode(document.with_fields(made, {"was": [*task.Task(slug, made).was, slug]}, where=path))
    except AgentwsError:
        return value


def _renamed(base: Files, side: Files, blobs: Blobs) -> dict[str, str]:
    """Return the files that a side renamed, each with its new path: by equal content, or a task's former names."""
    gone = [path for path in base if path not in side]
    if not gone:
        return {}
    new = [path for path in side if path not in base]
    by_content: dict[Value, list[str]] = {}
    for path in new:
        by_content.setdefault(side[path], []).append(path)
    earlier = dict(_earlier(side, [path for path in new if path.startswith(f"{layout.TASKS}/")], blobs))
    result: dict[str, str] = {}
    for path in gone:
        same = by_content.get(base[path], [])
        to = same[0] if len(same) == 1 and blobs.bytes_of(base[path]) else earlier.get(path)
        if to and to not in result.values():
            result[path] = to
    return result


def _earlier(side: Files, paths: list[str], blobs: Blobs) -> Iterator[tuple[str, str]]:
    """Yield (path that a task had before, path that it has now)."""
    for path in paths:
        try:
            made = document.decode(blobs.bytes_of(side[path]), where=path)
            names = task.Task(path.rpartition("/")[2].removesuffix(_MD), made).was
        except AgentwsError:
            continue
        for name in names:
            yield f"{layout.TASKS}/{name}{_MD}", path


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

    def rank(path: str) -> tuple[bool, bool, bool, str]:
        return wanted[path].rpartition("/")[2] not in _OWN, wanted[path] != path, path not in known, path

    for path in sorted(wanted, key=rank):
        name = wanted[path]
        new = name
        number = 0
        while (key := folded(new)) in names or key in spelt:
            new = _beside_name(name, f"{path}{number or ''}")
            number += 1
        names.add(key)
        if new != path:
            result[path] = new
    return result


def folded(path: str) -> str:
    """Return the folded form of a path, equal for names that a file system may take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


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


def _beside_name(path: str, seed: str) -> str:
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
