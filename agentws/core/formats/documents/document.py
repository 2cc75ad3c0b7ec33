"""Markdown files with optional front matter, kept byte for byte. Specified in docs/format/document.md.

Front matter is read by python-frontmatter with a strict loader, and edited by splicing the lines that change.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.documents import plain_header
from agentws.errors import DamagedError, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from agentws.core.formats.documents.strict_yaml import Header

Value = str | list["Value"] | dict[str, "Value"]
"""Value of a field. Scalars are strings: `no`, `012` and `2026-11-20` stay as written."""

_BOM = "\ufeff"
_FENCE = "---"
_OPENING = f"{_FENCE}\n"
_MOST_BYTES = 16_384  # as in strict_yaml, which is not imported for files without a header
_SHORT_CHARS = 4_000
"""Fewer than fit into `_MOST_BYTES`, whatever they are."""


class Document(Result):
    """A Markdown document: the whole `text`, the front matter's `fields`, and the `body` after it.

    `text` is the file decoded as UTF-8, with other bytes as lone surrogates, so that nothing is lost. `body_line` is
    the line of the file (from 1) at which the body begins. Immutable: changes go through `with_fields` and `with_body`.
    """

    __slots__ = ("body", "body_line", "fields", "has_header", "text")

    def __init__(self, *, text: str, body: str, body_line: int, fields: dict[str, Value], has_header: bool) -> None:
        self.text = text
        self.body = body
        self.body_line = body_line
        self.fields = fields
        self.has_header = has_header


def decode(data: bytes, *, where: str) -> Document:
    """Return the document in `data`; DamagedError for UTF-16, UTF-32 or a header that is unreadable or in conflict."""
    if b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        from agentws.core.text import utf8  # seldom

        utf8.check_file(where, data)
    text = data.decode("utf-8", "surrogateescape")
    if end := _plain_end(text):
        lines = text[:end].split("\n")
        plain = plain_header.fields(lines)
        if plain is not None:
            return Document(text=text, body=text[end + 1 :], body_line=len(lines) + 1, fields=plain, has_header=True)
    if text.startswith("<<<<<<<"):  # each side may have a front matter
        from agentws.core.markdown import conflict

        conflict.check(where, text)
    lines = _header_lines(text, where)
    return Document(
        text=text,
        body=text[len(_bom(text)) + len("".join(lines)) :],
        body_line=len(lines) + 1,
        fields=_fields(lines, where) if lines else {},
        has_header=bool(lines),
    )


def lenient(data: bytes, *, where: str) -> tuple[Document, DamagedError | None]:
    """Return the document in `data` and the damage of its front matter, if any: then all of the file is its body.

    A damaged document counts as private, since its header may say so. Changes of its fields are refused.
    """
    try:
        return decode(data, where=where), None
    except DamagedError as error:
        text = data.decode("utf-8", "surrogateescape")
        return Document(text=text, body=text, body_line=1, fields={"private": "unreadable"}, has_header=True), error


def encode(document: Document) -> bytes:
    """Return the bytes of a document: exactly those that were decoded."""
    return document.text.encode("utf-8", "surrogateescape")


def with_fields(document: Document, changes: Mapping[str, Value | None], *, where: str) -> Document:
    """Return the document with these top-level fields set, or removed if None; no other line changes.

    A field that is already as wanted keeps its lines. New ones are appended to the header in the order given; a
    file without a header gets one on top. The result is read again, and DamagedError raised if it says anything
    else than the old fields with the changes applied; TooLargeError if the header would outgrow its limit.
    """
    wanted = {key: value for key, value in changes.items() if document.fields.get(key) != value}
    if not wanted:
        return document
    if not document.has_header and "\r" not in document.text and not _bom(document.text):
        made = _made(wanted, document.text)
        if made is not None:
            return made
    _check_writable(wanted, where)
    line_end = _line_end(document.text)
    lines = _header_lines(document.text, where) or [_FENCE + line_end, _FENCE + line_end]
    spliced = _spliced(lines, wanted, where)
    if _size_bytes(spliced) > _MOST_BYTES:
        raise TooLargeError(
            f"{where}: The front matter would exceed {_MOST_BYTES:,} bytes.",
            hint="Keep long text in the body. Nothing was changed.",
        )
    if not _header_lines("".join(spliced), where):
        spliced = _without_blanks_on_top(spliced)
    edited = _bom(document.text) + "".join(spliced) + document.body
    return _read_again(document, edited, lines, wanted, where)


def _made(fields: Mapping[str, Value | None], body: str) -> Document | None:
    """Return a new document with a header of these fields, if that works without YAML; else None."""
    lines = plain_header.written({key: value for key, value in fields.items() if value is not None})
    if lines is None:
        return None
    text = "".join(f"{line}\n" for line in lines) + body
    made = decode(text.encode("utf-8", "surrogateescape"), where="")
    return made if made.fields == fields and made.body == body else None


def with_body(document: Document, body: str) -> Document:
    """Return the document with another body under the same header.

    DamagedError for a body that would not read back as given.
    """
    if body == document.body:
        return document
    head = document.text[: len(document.text) - len(document.body)]
    if document.has_header and not head.endswith("\n"):
        head += _line_end(document.text)
    try:
        new = decode((head + body).encode("utf-8", "surrogateescape"), where="the new text")
    except UnicodeEncodeError as error:
        raise DamagedError(
            "The new text contains an unpaired surrogate (invalid Unicode).", hint="Write the text as valid UTF-8."
        ) from error
    if new.body != body or new.fields != document.fields or new.has_header != document.has_header:
        raise DamagedError(
            "The new text begins like front matter or with a byte-order mark.",
            hint="Start the text with an empty line.",
        )
    return new


def _bom(text: str) -> str:
    return _BOM if text.startswith(_BOM) else ""


def _line_end(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _fields(lines: list[str], where: str) -> dict[str, Value]:
    plain = plain_header.fields(lines)
    return _header(lines, where).fields if plain is None else plain


def _header(lines: list[str], where: str) -> Header:
    from agentws.core.formats.documents import strict_yaml

    return strict_yaml.Header(lines, where)


def _check_writable(wanted: Mapping[str, Value | None], where: str) -> None:
    from agentws.core.formats.documents import strict_yaml

    for key, value in wanted.items():
        strict_yaml.check_writable(key, value, where=where)


def _header_lines(text: str, where: str) -> list[str]:
    """Return the lines of the header with both fences; none for a text without a header."""
    begin = len(_bom(text))
    if not text.startswith(_FENCE, begin):
        return []
    if end := _plain_end(text):
        return [line + "\n" for line in text[:end].split("\n")]
    pieces = text[begin : begin + _MOST_BYTES + 1].split("\n")
    is_cut = len(text) - begin > _MOST_BYTES
    whole = pieces[:-1] if is_cut else pieces
    if not whole or not _is_fence(whole[0]):
        return []
    closing = next((at for at, piece in enumerate(whole) if at and piece.startswith(_FENCE) and _is_fence(piece)), 0)
    if _is_rule(pieces, closing):
        return []
    lines = [piece + "\n" for piece in pieces[: closing + 1]]
    if begin + sum(map(len, lines)) > len(text):
        lines[-1] = pieces[closing]  # the file ends with its header, without a line end
    if not closing or _size_bytes(lines) > _MOST_BYTES:
        raise DamagedError(
            f"{where}:1: The front matter starting here is not closed within {_MOST_BYTES:,} bytes.",
            hint="Close the front matter with a line ---. For a horizontal rule, write ***.",
        )
    return lines


def _plain_end(text: str) -> int:
    """Return the index after a plain header, found by its fences alone; 0 for any other or no header.

    A plain header is short, and its first line is not blank.
    """
    if not text.startswith(_OPENING) or text[4:5].isspace():
        return 0
    fence = text.find(f"\n{_FENCE}", len(_FENCE), _SHORT_CHARS)
    return fence + 4 if fence > 0 and text[fence + 4 : fence + 5] == "\n" else 0


def _is_fence(line: str) -> bool:
    # Not str.rstrip(): it takes form feeds and Unicode's line separators for blanks.
    return line.rstrip(" \t\r") == _FENCE


def _size_bytes(lines: list[str]) -> int:
    text = "".join(lines)
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _is_rule(lines: list[str], closing: int) -> bool:
    """Return whether the opening `---` is a horizontal rule. `closing` is the place of the next fence, else 0.

    Markdown files often begin with a rule. As for Pandoc, a header does not begin with an empty line; unless a key
    follows and it is closed, as python-frontmatter and Jekyll allow.
    """
    inside = [line.strip() for line in lines[1 : closing or None]]
    begins_blank = bool(inside) and not inside[0]
    if closing and not begins_blank:
        return False
    if begins_blank and not closing:
        return True
    begin = next((at for at, line in enumerate(inside) if line), len(inside))
    first = next((line for line in inside[begin:] if not line.startswith("#")), "")
    key, colon, rest = first.partition(":")
    key = key.rstrip()
    quoted = len(key) > 1 and key[0] in "'\"" and key[-1] == key[0]
    word = key.strip("-") == key and key.translate({ord(mark): "a" for mark in "-_."}).isalnum()
    return not (bool(colon) and (not rest or rest[0] in " \t") and (quoted or word))


def _spliced(lines: list[str], wanted: Mapping[str, Value | None], where: str) -> list[str]:
    """The header's lines with the wanted entries replaced, removed or appended."""
    from agentws.core.formats.documents import strict_yaml

    entries = _header(lines, where).entries()
    new = dict(wanted)
    result: list[str] = []
    done = 0
    for entry in entries:
        if entry.key in new:
            written = strict_yaml.entry_lines(entry.written, new.pop(entry.key), entry.indent, entry.comment)
            result += lines[done : entry.start] + _ended_like(lines[entry.start], written)
            done = entry.end
    result += lines[done:-1]
    indent = entries[0].indent if entries else ""
    for key, value in new.items():
        result += _ended_like(lines[-2], strict_yaml.entry_lines(strict_yaml.key_text(key), value, indent))
    return [*result, lines[-1]]


def _ended_like(sample: str, lines: list[str]) -> list[str]:
    line_end = _line_end(sample)
    return [line + line_end for line in lines]


def _read_again(
    old: Document, edited: str, lines: list[str], wanted: Mapping[str, Value | None], where: str
) -> Document:
    """Return the edited text as a document, verified to be the old one with only the wanted fields changed."""
    new = decode(edited.encode("utf-8", "surrogateescape"), where=f"{where} (as it would be after the change)")
    fields = {key: value for key, value in {**old.fields, **wanted}.items() if value is not None}
    others = _lines_besides(wanted, lines, where)
    if (
        new.fields != fields
        or new.body != old.body
        or _lines_besides(wanted, _header_lines(edited, where), where) != others
    ):
        raise DamagedError(
            f"{where}: The front matter cannot be edited without changing more than {', '.join(wanted)}.",
            hint="Nothing was changed. Edit the front matter by hand.",
        )
    return new


def _without_blanks_on_top(lines: list[str]) -> list[str]:
    """The header without the blank lines below its opening `---`, where they would make a rule of it."""
    begin = next(at for at in range(1, len(lines)) if lines[at].strip())
    return [lines[0], *lines[begin:]]


def _lines_besides(keys: Container[str], lines: list[str], where: str) -> list[str]:
    named = [entry for entry in _header(lines, where).entries() if entry.key in keys]
    return _without_blanks_on_top(
        [line for at, line in enumerate(lines) if not any(entry.start <= at < entry.end for entry in named)]
    )
