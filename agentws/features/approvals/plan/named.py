"""The paths and hosts that a call names, and whether a glob of a rule may be about them. Pure.

What a shell makes of a word is not always known: where it may be several things, a rule is about each of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANY, RUN, ONE = "\0", "\1", "\2"
"""In a path what stands for any characters, any but `/` (no dot at the beginning of a name), and any one of these."""
_WILD = frozenset((ANY, RUN, ONE))
ODD_HOST = "\0"
"""Stands for a host of which nobody can tell what a program makes of it: rules but `allow` fit it."""
_MOST_FOLDERS, _MOST_ADDRESS, _MOST_WILD = 8, 1 << 13, 1 << 9
_SPECIAL = ("http:", "https:", "ftp:", "ws:", "wss:")
_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._:[]$`(){}")
_PARTS = str.maketrans(dict.fromkeys("=@:,", "\n"))


class Place:
    """The place of a call: the folders that relative paths may begin in, and the home."""

    def __init__(self, folder: str, home: str) -> None:
        self._folders = [folder]
        self._home = home
        self._is_lost = False

    def enter(self, path: str) -> None:
        """Note that a command may have gone to another folder."""
        new = [one for one in self.absolute(path) if one not in self._folders][:1]
        if len(self._folders) < _MOST_FOLDERS:
            self._folders += new
        else:
            self._is_lost = True

    def absolute(self, path: str) -> list[str]:
        """Return the paths from the root that this may be, without `.` and `..`."""
        for name in ("~", "$HOME", "${HOME}"):
            if self._home and (path == name or path.startswith(f"{name}/")):
                path = self._home + path[len(name) :]
        if path[:5].lower() == "file:":
            path = f"/{path[5:].lstrip('/').removeprefix('localhost/')}"
        if path.startswith("~+"):
            path = path[2:].lstrip("/") or "."
        if path.startswith("~"):  # somebody's home, or the folder before
            path = f"/{ANY}/{path.partition('/')[2]}"
        if path.startswith("/"):
            return [_plain(path)]
        lost = [_plain(f"/{ANY}/{path}")] if self._is_lost else []
        return [*lost, *(_plain(f"{folder}/{path}" if folder else path) for folder in reversed(self._folders))]


def _plain(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            if parts[-1] != ANY:
                parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    while parts and parts[-1] in (RUN, ANY):  # all that a folder holds is told by the folder
        parts.pop()
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def pieces(word: str) -> Iterator[str]:
    """Yield what of a word may be a path: the word, and what stands between `=`, `@`, `:` and `,`, or behind `-X`."""
    yield word
    if len(parts := word.translate(_PARTS).split("\n")) > 1:
        yield from (part for part in parts if part)
    if word.startswith("-"):
        at = min((found for sign in "/~" if (found := word.find(sign)) > 0), default=2)
        yield word[at:]


def glob_of(path: str, home: str) -> str:
    """Return the glob for whole paths: one that does not begin at the root or at home fits below any folder."""
    if path.startswith("~/"):
        return home + path[1:]
    return path if path.startswith(("/", "*")) else f"*/{path}"


def is_below(path: str, glob: str, *, surely: bool = False) -> bool:
    """Return whether a glob for paths fits, or may fit where not `surely`; one for all in a folder fits that too."""
    both = (glob, glob[:-2]) if glob.endswith("/*") else (glob,)
    if _WILD.isdisjoint(path):
        return any(matches(path, one) for one in both)
    return not surely and any(_may_match(path, one) for one in both)


def _may_match(path: str, glob: str) -> bool:
    """Return whether there is a path that both fit: `path` holds ANY, RUN or ONE."""
    if len(path) + len(glob) > _MOST_WILD:
        return True
    ways, before = _closed({0}, glob), "/"
    for char in path:
        if char == before == RUN:
            continue  # `**` is `*`: behind the first of them, the second would be no beginning of a name
        if char in (ANY, RUN):
            ways = _run(ways, glob, before, crosses=char == ANY)
        else:
            ways = _stepped(ways, glob, char, before)
        if not ways:
            return False
        before = char
    return len(glob) in ways


def _run(ways: set[int], glob: str, before: str, *, crosses: bool) -> set[int]:
    char = ANY if crosses else ONE
    # Only the first letter of a name is no dot, so only the first step knows what stands before it.
    new = found = _stepped(ways, glob, char, before)
    while new:
        new = _stepped(new, glob, char, "") - found
        found = found | new
    return found | ways


def _stepped(ways: Iterable[int], glob: str, char: str, before: str) -> set[int]:
    """Return the places in the glob that are reached by this character, or by one that it may be."""
    found = set()
    for at in ways:
        if at == len(glob):
            continue
        is_same = glob[at] in ("?", char) or char == ANY
        if char == ONE:
            is_same = glob[at] != "/" and not (before == "/" and glob[at] == ".")
        if glob[at] == "*":
            found.add(at)
        elif is_same:
            found.add(at + 1)
    return _closed(found, glob)


def _closed(ways: set[int], glob: str) -> set[int]:
    found = set(ways)
    for at in ways:
        behind = at
        while behind < len(glob) and glob[behind] == "*":
            behind += 1
            found.add(behind)
    return found


def hosts(text: str, *, is_address: bool) -> Iterator[str]:
    """Yield the hosts of an address, as browsers read it; of words that are no address (`is_address`) those of a URL or
    of `user@host`. ODD_HOST for one that programs read in more than one way.
    """
    head = text[:_MOST_ADDRESS].strip()
    if is_address:
        head = head.replace("\t", "").replace("\n", "").replace("\r", "")
    elif len(head.split()) != 1:
        return
    first, *rest = head.split("://")
    lowered = first.lower()
    if not rest and lowered.startswith(_SPECIAL) and (is_address or "/" in first[:8] or "\\" in first[:8]):
        rest = [first.partition(":")[2]]
    elif not rest and is_address and first[:2] in ("//", "\\\\"):
        rest = [first]
    for piece in rest or [first]:
        place = piece.lstrip("/\\") if rest else piece
        for end in "/?#\\\"'":
            place = place.split(end, 1)[0]
        _, at, host = place.rpartition("@")
        if rest or at or is_address:
            yield _host(host, is_url=bool(rest))


def _host(told: str, *, is_url: bool) -> str:
    host = told.lower()
    name = host if host.startswith("[") else host.split(":", 1)[0].rstrip(".")
    last = name.rpartition(".")[2]
    is_number = last.isdigit() or last.startswith("0x")
    if is_url and (not _HOST_CHARS.issuperset(host) or "{" in host.replace("${", "")):
        return ODD_HOST
    if is_number and is_url and not _is_dotted(name):
        return ODD_HOST
    return name


def _is_dotted(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and all(part.isdigit() and (part == "0" or part[0] != "0") for part in parts)


def matches(text: str, glob: str) -> bool:
    """Return whether a glob fits the whole text: `*` is any run of characters, `?` any one."""
    first, *rest = glob.split("*")
    if not rest:
        return len(text) == len(first) and _find(text, first, 0) == 0
    if len(text) < len(first) or _find(text[: len(first)], first, 0) != 0:
        return False
    *middle, last = rest
    at, end = len(first), len(text) - len(last)
    for part in middle:
        place = _find(text, part, at)
        if place < 0:
            return False
        at = place + len(part)
    return at <= end and _find(text[end:], last, 0) == 0


def _find(text: str, part: str, start: int) -> int:
    """Return where the part begins, at `start` or behind it; `?` in it stands for any character. Negative: nowhere."""
    if "?" not in part:
        return text.find(part, start)
    found = [(at, piece) for at, piece in _pieces(part) if piece]
    for place in range(start, len(text) - len(part) + 1):
        if all(text.startswith(piece, place + at) for at, piece in found):
            return place
    return -1


def _pieces(part: str) -> Iterator[tuple[int, str]]:
    at = 0
    for piece in part.split("?"):
        yield at, piece
        at += len(piece) + 1
