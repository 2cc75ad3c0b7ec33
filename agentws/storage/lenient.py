"""Reading for an agent that must be able to start: whatever is odd becomes a notice, and nothing is read without bound.

One file is read up to a quarter of a mebibyte (a daily log from its end), all together up to one; each still gets a
little when that is used up. No model's context takes more, and counting it would take longer than an agent waits.
"""

from __future__ import annotations

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import document as _document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.files import Files

LARGEST_READ_BYTES = 1 << 18
_LARGEST_READ_LINES = 6_000
_ALL_READ_BYTES = 1 << 20
_ALL_READ_LINES = 20_000
_LEAST_READ_BYTES = 1 << 15
_LEAST_READ_LINES = 500


class LenientReader:
    """Reads documents and folders beneath a root; `notices` says what was odd, in the order in which it was met."""

    __slots__ = ("_bytes_left", "_files", "_lines_left", "notices")

    def __init__(self, files: Files) -> None:
        self.notices: list[str] = []
        self._files = files
        self._bytes_left = _ALL_READ_BYTES
        self._lines_left = _ALL_READ_LINES

    def names(self, folder: str) -> list[tuple[str, str]]:
        """(name, kind) of what lies in a folder, as Files.names; none where it cannot be listed."""
        try:
            return self._files.names(folder)
        except AgentwsError as error:
            self.notices.append(error.message)
            return []

    def listing(self, folder: str) -> list[str]:
        """The names of what lies in a folder, as Files.listing; none where it cannot be listed."""
        try:
            return self._files.listing(folder)
        except AgentwsError as error:
            self.notices.append(error.message)
            return []

    def markdown(self, folder: str) -> list[str]:
        """Paths of what is called `*.md` in a folder, sorted."""
        return [f"{folder}/{name}" for name in self.listing(folder) if name.endswith(".md")]

    def document(self, path: str, *, missing: str = "", from_end: bool = False) -> _document.Document | None:
        """The document at `path`, as much of it as is sane, None where there is none.

        `missing` is said where that is odd; `from_end` keeps the end of a large file instead of its beginning.
        """
        try:
            limit_bytes = min(LARGEST_READ_BYTES, max(_LEAST_READ_BYTES, self._bytes_left))
            data, size = self._files.part(path, limit_bytes, from_end=from_end)
        except MissingFileError:
            if missing:
                self.notices.append(f"{path} {missing}.")
            return None
        except AgentwsError as error:
            self.notices.append(error.message)
            return None
        kept = self._cut(data, whole=size == len(data), from_end=from_end)
        if size > len(kept) + 1:  # a last newline is not missed
            end = "last" if from_end else "first"
            self.notices.append(f"{path}: {_mega(size)} MB; only the {end} {_mega(len(kept))} MB were read.")
        return self._decoded(path, kept)

    def _cut(self, data: bytes, *, whole: bool, from_end: bool) -> bytes:
        """`data` from a line's beginning to a line's end, and no more lines than there is patience for."""
        if not whole:
            data = (data.partition(b"\n")[2] if from_end else data.rpartition(b"\n")[0]) or data
        limit_lines = min(_LARGEST_READ_LINES, max(_LEAST_READ_LINES, self._lines_left))
        lines = data.count(b"\n")
        if lines > limit_lines:
            most = lines - limit_lines
            data = data.split(b"\n", most)[-1] if from_end else data.rsplit(b"\n", most)[0]
        self._bytes_left -= len(data)
        self._lines_left -= min(lines, limit_lines)
        return data

    def _decoded(self, path: str, data: bytes) -> _document.Document:
        if b"\n" not in data:
            data = data.replace(b"\r", b"\n")  # an old Mac's line ends
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            # A cut in the middle of a character is ours, not the file's.
            if error.start < len(data) - 4:
                line = data[: error.start].count(b"\n") + 1
                self.notices.append(f"{path}:{line}: not UTF-8; the odd bytes are shown as �.")
        try:
            return _document.decode(data, where=path)
        except AgentwsError as error:
            self.notices.append(f"{error.message.rstrip('.')}. Its front matter was read as text.")
            text = data.decode("utf-8", "surrogateescape")
            # Who may see it stands in the header that cannot be read: then only its owner may.
            fields: dict[str, _document.Value] = {"private": "unreadable"}
            return _document.Document(text=text, body=text, body_line=1, fields=fields, has_header=False)


def _mega(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f}" if size_bytes >= 100_000 else f"{size_bytes / 1e6:.3f}"
