"""Lenient, bounded reading for boot: errors become notices, since an agent must be able to start.

One file is read up to a quarter of a mebibyte, all together up to one; after that each still gets a little. Of a larger
daily log the end is read, of any other file both ends: the newest text is there. No model's context takes more, and
counting it would take longer than an agent waits. For a shared audience only the beginning is read, without its last
item: a part that is not read may say who may see the end.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import document as _document
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.disk.files import Files

LARGEST_READ_BYTES = 1 << 18
_LARGEST_READ_LINES = 6_000
_ALL_READ_BYTES = 1 << 20
_ALL_READ_LINES = 20_000
_LEAST_READ_BYTES = 1 << 15
_LEAST_READ_LINES = 500


class LenientReader:
    """Reads documents and folders leniently beneath a root; `notices` lists errors and oddities, in order.

    `unread` holds, by path, the notice about each document that was not read at all.
    For a `shared` audience only text below headings that were read is shown: of a large file the beginning. In the
    `adopted` folders, the setting `adopted.documents`, files of other programs are left out.
    """

    def __init__(self, files: Files, *, shared: bool = False, adopted: Sequence[str] = ()) -> None:
        self.notices: list[str] = []
        self.unread: dict[str, str] = {}
        self._files = files
        self._shared = shared
        self._adopted = adopted
        self._bytes_left = _ALL_READ_BYTES
        self._lines_left = _ALL_READ_LINES

    def names(self, folder: str) -> list[tuple[str, str]]:
        """Return (name, kind) of a folder's entries, leniently: as Files.names, but none if the listing fails."""
        try:
            return self._files.names(folder)
        except AgentwsError as error:
            self.notices.append(error.message)
            return []

    def listing(self, folder: str) -> list[str]:
        """Return the names in a folder, leniently: as Files.listing, but none if the listing fails."""
        try:
            return self._files.listing(folder)
        except AgentwsError as error:
            self.notices.append(error.message)
            return []

    def markdown(self, folder: str) -> list[str]:
        """Return the paths of the documents in a folder, sorted; leniently, none if the listing fails."""
        paths = [f"{folder}/{name}" for name in layout.markdown_files(self.listing(folder))]
        if folder not in self._adopted:
            return paths
        from agentws.core.disk import adopted_folders

        return adopted_folders.own_documents(self._files, paths)

    def document(self, path: str, *, missing: str = "", from_end: bool = False) -> _document.Document | None:
        """Return the document at `path`, read leniently as far as it is readable, or None.

        `missing` is the notice for a missing one; `from_end` keeps the end of a large file instead of both its ends.
        """
        from_end = from_end and not self._shared
        try:
            limit_bytes = min(LARGEST_READ_BYTES, max(_LEAST_READ_BYTES, self._bytes_left))
            data, size = self._files.part(path, limit_bytes, from_end=from_end)
        except MissingFileError:
            if missing:
                self.notices.append(f"{path} {missing}.")
            return None
        except AgentwsError as error:
            self._leave_out(path, error.message)
            return None
        if not self._is_readable(path, data):
            return None
        limit_lines = min(_LARGEST_READ_LINES, max(_LEAST_READ_LINES, self._lines_left))
        is_whole = size == len(data) and data.count(b"\n") <= limit_lines
        if not is_whole and self._shared:
            data = _known(_beginning(data, limit_lines, is_cut=size > len(data)))
            self.notices.append(
                f"{path}: {_mega(size)} MB; a shared session reads only the first {_mega(len(data))} MB."
            )
        elif not is_whole and from_end:
            data = _end(data, limit_lines, is_cut=size > len(data))
            self.notices.append(f"{path}: {_mega(size)} MB; only the last {_mega(len(data))} MB were read.")
        elif not is_whole:
            data = self._both_ends(path, data, size, limit_lines)
        self._bytes_left -= len(data)
        self._lines_left -= data.count(b"\n")
        return self._decoded(path, data)

    def _is_readable(self, path: str, data: bytes) -> bool:
        """Return False for a file in UTF-16, and a log or MEMORY.md with an unresolved merge conflict; add a notice."""
        if b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff")):
            from agentws.core.text import utf8  # seldom

            if encoding := utf8.other_encoding(data):
                self._leave_out(path, f"{path}: {encoding}, so not read. Convert it: {utf8.conversion(path, encoding)}")
                return False
        if b"<<<<<<<" in data:
            from agentws.core.markdown import conflict

            if line := conflict.line(data.decode("utf-8", "replace")):
                if layout.is_memory(path):
                    says = "an unresolved merge conflict; the file is not read until it is resolved."
                    self._leave_out(path, f"{path}:{line}: {says}")
                    return False
                self.notices.append(f"{path}:{line}: an unresolved merge conflict; both sides are shown.")
        return True

    def _leave_out(self, path: str, notice: str) -> None:
        self.notices.append(notice)
        self.unread[path] = notice

    def _both_ends(self, path: str, data: bytes, size: int, limit_lines: int) -> bytes:
        """Return the beginning and the end of a file, with a line between them that says so."""
        half, is_cut = len(data) // 2, size > len(data)
        try:
            last = self._files.part(path, half, from_end=True)[0] if is_cut else data
        except AgentwsError:
            last = b""  # it went away just now
        first, last = _cut(data[:half] if is_cut else data, last, limit_lines, is_cut=is_cut)
        parts = f"only the first {_mega(len(first))} and the last {_mega(len(last))} MB were read"
        self.notices.append(f"{path}: {_mega(size)} MB; {parts}. Move old content to another file.")
        return b"%s\n\n(%d bytes between were not read.)\n\n%s" % (first, max(0, size - len(first) - len(last)), last)

    def _decoded(self, path: str, data: bytes) -> _document.Document:
        if b"\n" not in data:
            data = data.replace(b"\r", b"\n")  # an old Mac's line ends
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            # A character cut in the middle is due to the cut, not to the file.
            if error.start < len(data) - 4:
                line = data[: error.start].count(b"\n") + 1
                self.notices.append(f"{path}:{line}: not UTF-8; invalid bytes are shown as �.")
        read, damage = _document.lenient(data, where=path)
        if damage is not None and "merge conflict" not in damage.message:  # told of above
            self.notices.append(f"{damage.message.rstrip('.')}. The front matter was read as text.")
        return read


def _known(data: bytes) -> bytes:
    """Return the beginning of a document without its last item, whose unread rest may say who may see it."""
    from agentws.core.markdown import markdown

    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    lines = lines[: markdown.open_fence(lines)]  # what it holds would be taken for headings
    units = markdown.units("\n".join(lines))
    lines = lines[: units[-1].line - 1] if units else []
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def reads_line(data: bytes, line: int) -> bool:
    """Return whether lenient reading for boot reaches this line (1-based) of `data`, if no other file is large."""
    if is_whole(len(data), data):
        return True
    is_cut = len(data) > LARGEST_READ_BYTES
    half = LARGEST_READ_BYTES // 2 if is_cut else len(data)
    first, last = _cut(data[:half], data[-half:], _LARGEST_READ_LINES, is_cut=is_cut)
    return line <= first.count(b"\n") + 1 or line > data.count(b"\n") - last.count(b"\n")


def is_whole(size: int, data: bytes) -> bool:
    """Return whether lenient reading gets a file of `size` bytes completely if no other is large; `data` was read."""
    return size <= LARGEST_READ_BYTES and data.count(b"\n") <= _LARGEST_READ_LINES


def _cut(first: bytes, last: bytes, most_lines: int, *, is_cut: bool) -> tuple[bytes, bytes]:
    """Return the lines of both ends, at most `most_lines` together."""
    return _beginning(first, most_lines // 2, is_cut=is_cut), _end(last, most_lines // 2, is_cut=is_cut)


def _beginning(data: bytes, most_lines: int, *, is_cut: bool) -> bytes:
    """Return the first lines, at most `most_lines`; the last line of `is_cut` data may be incomplete and is dropped."""
    if is_cut:
        data = data.rpartition(b"\n")[0] or data.decode("utf-8", "ignore").encode()
    more = data.count(b"\n") - most_lines
    return data.rsplit(b"\n", more)[0] if more > 0 else data


def _end(data: bytes, most_lines: int, *, is_cut: bool) -> bytes:
    """Return the last lines, at most `most_lines`; the first line of `is_cut` data may be incomplete and is dropped."""
    if is_cut:
        begin = next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
        rest = data.partition(b"\n")[2]
        data = rest if rest.strip() else data[begin:]
    more = data.count(b"\n") - most_lines
    return data.split(b"\n", more)[-1] if more > 0 else data


def _mega(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f}" if size_bytes >= 100_000 else f"{size_bytes / 1e6:.3f}"
