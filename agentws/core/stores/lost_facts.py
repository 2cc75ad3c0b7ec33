"""Finds facts of MEMORY.md that another program took away, and puts them back.

`.agentws/memory` is MEMORY.md as agentws last wrote it. It is a loss if more than half of the entries in it are in no
document, not even in other words; of one or two entries only if the file is gone or blank. Everything else is
an edit.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.errors import AgentwsError, MissingFileError

_FEW = 2
"""So many entries a person may delete at once."""
_SAME = 0.7
"""The share of an entry's words that a line of its new wording has at least."""
_NUMBER_DIGITS = 12
_BULLETS = ("- ", "* ", "+ ")


class Lost:
    """Entries that another program removed from the file `path`: `entries`, its lines, without a newline at the end."""

    WHAT = ""

    def __init__(self, path: str, entries: list[str]) -> None:
        self.path = path
        self.entries = entries

    @property
    def says(self) -> str:
        """Return a sentence about what is missing, without the path."""
        count = len(self.entries)
        are = f"1 acknowledged {self.WHAT} is" if count == 1 else f"{count} acknowledged {self.WHAT}s are"
        return f"{are} missing, as if another program had overwritten the file"

    @property
    def notice(self) -> str:
        """Return the notice of boot and `log`: the path, what is missing, and the command that puts it back."""
        return f"{self.path}: {self.says}: agentws doctor --fix"


class LostFacts(Lost):
    """The acknowledged facts that MEMORY.md lacks; `before` is the whole file as agentws last wrote it."""

    __slots__ = ("before",)
    WHAT = "fact"

    def __init__(self, path: str, entries: list[str], before: bytes) -> None:
        super().__init__(path, entries)
        self.before = before


def keep(files: Files, number: int, *, before: bytes | None = None) -> None:
    """Keep MEMORY.md as change `number` left it, or as it was `before` its loss. Not synced: a torn copy is ignored."""
    from agentws.core.disk import cache

    try:
        data = _read(files, files.real(layout.MEMORY)) if before is None else before
        if data is None:
            return
        head = f"{number:0{_NUMBER_DIGITS}d} {digest.of(data)}\n".encode()
        folder, _, name = local_dir.MEMORY.rpartition("/")
        cache.write_file(f"{files.root}/{folder}", name, head + data)
    except (OSError, AgentwsError):
        return  # a copy of an earlier change counts for nothing


def missing(files: Files) -> LostFacts | None:
    """Return what MEMORY.md lacks of the facts that agentws left in it; None for a mere edit."""
    number, before = _kept(files)
    path = files.real(layout.MEMORY)
    now = _read(files, path) if before else None
    if now is None or now == before or _is_rewritten(files, path, number):
        return None
    text = now.decode("utf-8", "surrogateescape")
    old = before.decode("utf-8", "surrogateescape").splitlines()
    entries = list(dict.fromkeys(entry for line in old if (entry := _entry(line))))
    gone = [entry for entry in entries if entry not in text]
    if not _is_loss(len(gone), len(entries), text):
        return None
    texts = []
    for folder in ("", layout.DAYS, layout.CONTEXTS, layout.TASKS):
        for name, kind in files.names(folder):
            place = f"{folder}/{name}" if folder else name
            if kind == "file" and name.endswith(".md") and place != path:
                texts.append((_read(files, place) or b"").decode("utf-8", "surrogateescape"))
    others = "\n".join(texts)
    gone = _unreworded([entry for entry in gone if entry not in others], set(text.splitlines()) - set(old))
    return LostFacts(path, gone, before) if _is_loss(len(gone), len(entries), text) else None


def put_back(files: Files) -> ChangeSet:
    """Return the change that puts the missing facts back: at the end, or as the file was if nothing is new in it."""
    lost = missing(files)
    if lost is None:
        return ChangeSet("doctor", ())
    now = _read(files, lost.path) or b""
    text, before = now.decode("utf-8", "surrogateescape"), lost.before.decode("utf-8", "surrogateescape")
    lines = before.splitlines()
    data = lost.before
    if any(line not in lines and not before.count(f"\n{line}") for line in text.splitlines()):
        newline = "\r\n" if "\r\n" in text else "\n"
        glue = "" if text.endswith("\n") else newline
        added = "".join(f"{line}{newline}" for line in dict.fromkeys(lines) if _entry(line) in lost.entries)
        data = f"{text}{glue}{added}".encode("utf-8", "surrogateescape")
    expects = digest.of(now) if files.exists(lost.path) else ABSENT
    return ChangeSet("doctor", (Write(lost.path, data, expects=expects),))


def _kept(files: Files) -> tuple[int, bytes]:
    """Return the number of the change that left MEMORY.md, and the file then; empty if that is unknown."""
    try:
        kept = files.read(local_dir.MEMORY)
    except AgentwsError:
        return 0, b""
    head = kept[: local_dir.MEMORY_HEAD_BYTES].decode("ascii", "replace").split()
    data = kept[local_dir.MEMORY_HEAD_BYTES :]
    is_whole = len(head) == 2 and head[0].isdigit() and head[1] == digest.of(data)
    return (int(head[0]), data) if is_whole else (0, b"")


def _read(files: Files, path: str) -> bytes | None:
    """Return the file, empty if it is gone; None if it is unreadable or in another encoding."""
    try:
        data = files.read(path)
    except MissingFileError:
        return b""
    except AgentwsError:
        return None
    from agentws.core.text import utf8

    return None if utf8.other_encoding(data) else data


def _is_rewritten(files: Files, path: str, number: int) -> bool:
    """Return whether a change after this one wrote the file, and was killed before it could keep it."""
    from agentws.core.disk.change import undo_record

    for name, _ in files.names(local_dir.UNDO):
        if name.isdigit() and int(name) > number:
            try:
                steps = undo_record.read(files, f"{local_dir.UNDO}/{name}").get("changes", ())
            except (AgentwsError, ValueError, AttributeError):
                return True
            if any(path in (step.get("path"), step.get("to")) for step in steps):
                return True
    return False


def _is_loss(gone: int, entries: int, text: str) -> bool:
    return gone > 0 and (not text.strip() or (entries > _FEW and 2 * gone > entries))


def _entry(line: str) -> str:
    """Return the words of an entry; empty for a line that is none."""
    line = line.strip()
    return line[2:].strip() if line.startswith(_BULLETS) else ""


def _unreworded(entries: list[str], new: Iterable[str]) -> list[str]:
    """Return the entries that no new line states in other words; a line may state several."""
    from agentws.core.notes import similarity

    lines = [set(similarity.words(line)) for line in new]
    own = {entry: set(similarity.words(entry)) for entry in entries}
    return [
        entry for entry in entries if not any(len(own[entry] & line) >= _SAME * len(own[entry]) > 0 for line in lines)
    ]
