"""An event before it is appended to the journal, and blobs for bodies too large for a line."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, segment
from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Body
    from agentws.core.journal.head import Head

_VERIFY = "To list all damage: agentws journal verify"


class PendingEvent:
    """An event to append. `session` is None for the newest session that runs, empty for none.

    Once the line is written, `seq` and `hash` are its number and hash and `stored` its bytes; `seals` is the number
    that a seal covers, else 0.
    """

    __slots__ = ("_blob", "_tail", "at", "hash", "id", "kind", "seals", "segment", "seq", "session", "src", "stored")

    def __init__(
        self, kind: str, body: Body, *, id: str, at: str, salt: str, session: str | None = None, src: str = "agent"
    ) -> None:
        event.check_words(kind=kind, session=session or None, src=src, call=body.get("call"))
        self.kind = kind
        self.id = id
        self.at = at
        self.session = session
        self.src = src
        self.seals: int = body["seq"] if kind == event.SEAL else 0
        text = event.body_text(body)
        self._blob = b""
        # A body with its own key `blob` must not be taken for one that lies in a blob.
        if len(text) > event.BODY_LIMIT_BYTES or "blob" in body:
            self._blob = _blob(text)
            text = event.blob_text(body, self._blob)
        self._tail = event.tail(text, salt)
        self.seq = 0
        self.hash = ""
        self.segment = 0
        self.stored = b""

    @property
    def digest(self) -> str:
        """The digest of the body, as the line's header will hold it."""
        return digest.of(self._tail)

    def settle(self, files: Files, writer: str) -> None:
        """Make the blob that the line refers to durable, if there is one."""
        if self._blob:
            _ensure_blob(files, writer, self._blob)

    def line(self, end: Head) -> bytes:
        """Return the event's line, with its newline, as it follows this end of the journal."""
        head = event.header(
            seq=end.seq + 1,
            id=self.id,
            at=self.at,
            kind=self.kind,
            session=self.session or None,
            src=self.src,
            prev=end.hash,
            tail=self._tail,
        )
        self.stored, self.hash = chain.line(head, self._tail), digest.of(head)
        return self.stored

    def written(self, end: Head) -> None:
        """Record the number and the segment of the written line."""
        self.seq, self.segment = end.seq, end.segment


def _blob(text: str) -> bytes:
    """Return the content of a blob for this body; UsageError if it is too large to be read again."""

    if len(text) > _MOST_BLOB_BYTES:
        raise UsageError(
            f"The body of the event has {len(text):,} bytes, {_MOST_BLOB_BYTES:,} at most.",
            hint="Save the text in a file, and name the file in the event.",
        )
    return text.encode("ascii")


_MOST_BLOB_BYTES = 32 << 20
"""The largest body that an event may have."""


def _ensure_blob(files: Files, writer: str, content: bytes) -> str:
    """Write a blob durably, before a line names it; returns its name."""
    name = digest.of(content)
    path = segment.blob_path(writer, name)
    folder = path.rpartition("/")[0]
    if files.exists(path) and files.digest(path) == name:
        files.sync_way(path)  # a kill may have come before its name was durable
        return name
    files.make_folder(folder)
    try:
        files.replace(path, content, expects=files.digest(path))
    except ChangedUnderneathError:
        files.sync_way(path)  # another process keeps the same content at this moment
    return name


def read_blob(files: Files, writer: str, name: str) -> bytes:
    """Return the content of a blob; DamagedError if it is missing or does not match its name."""
    path = segment.blob_path(writer, name)
    try:
        content = files.read(path, limit_bytes=_MOST_BLOB_BYTES)
    except MissingFileError:
        raise DamagedError(f"{path}: the body of an event is missing.", hint=_VERIFY) from None
    if digest.of(content) != name:
        raise DamagedError(f"{path}: the body of an event was changed.", hint=_VERIFY)
    return content
