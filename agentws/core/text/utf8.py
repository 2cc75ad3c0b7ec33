"""Checks given texts and files for bytes that are not UTF-8, and names their place; knows UTF-16 and UTF-32."""

from __future__ import annotations

from agentws.errors import DamagedError, UsageError

_UTF_32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNMARKED = {b"\1\0\1\0": "UTF-16LE", b"\0\1\0\1": "UTF-16BE", b"\1\0\0\0": "UTF-32LE", b"\0\0\0\1": "UTF-32BE"}
"""Which of the first four bytes are zero in a text that begins with ASCII and has no byte-order mark."""
_HINT = "Convert it first, for example: iconv -f ISO-8859-1 -t UTF-8 FILE"


def check(*texts: str | None) -> None:
    """Raise UsageError if one of `texts` has a byte that is not UTF-8, held as a lone surrogate.

    A line with one would keep its file from being read and compacted from then on. Surrogates whose bytes are UTF-8, as
    in a locale without it, are accepted.
    """
    for text in texts:
        try:
            data = (text or "").encode("utf-8", "surrogateescape")
            data.decode("utf-8")
        except UnicodeEncodeError as error:
            raise UsageError("The text contains an unpaired surrogate (invalid Unicode).") from error
        except UnicodeDecodeError as error:
            raise UsageError(_message(data, error.start), hint=_HINT) from error


def other_encoding(data: bytes) -> str:
    """Return the encoding of a file that begins with `data`, as iconv names it, if it is UTF-16 or UTF-32; else ""."""
    if data.startswith(_UTF_32_MARKS):
        return "UTF-32"
    if data.startswith(_UTF_16_MARKS):
        return "UTF-16"
    return _UNMARKED.get(bytes(min(byte, 1) for byte in data[:4]), "")


def conversion(path: str, encoding: str) -> str:
    """Return the command that converts the file from this encoding to UTF-8."""
    from agentws.core.text import sh

    path = f"./{path}" if path.startswith("-") else path
    old, new = sh.quote(path), sh.quote(f"{path}.new")
    return f"iconv -f {encoding} -t UTF-8 {old} > {new} && mv {new} {old}"


def check_file(path: str, data: bytes) -> None:
    """Raise DamagedError, with the command that converts the file, if it begins as UTF-16 or UTF-32."""
    if encoding := other_encoding(data):
        raise DamagedError(
            f"{path}: the file is {encoding}; agentws reads and writes UTF-8.",
            hint=f"Convert it: {conversion(path, encoding)}",
        )


def replaced(text: str) -> str:
    """Return a document's text with U+FFFD for bytes that are not UTF-8, for display only."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def bad_line(data: bytes, *, is_cut: bool = False) -> int:
    """Return the first line (from 1) that is not UTF-8, 0 without one.

    With `is_cut`, the end may be half a character.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        is_half = is_cut and error.end == len(data) and error.start > len(data) - 4
        return 0 if is_half else data.count(b"\n", 0, error.start) + 1
    return 0


def _message(data: bytes, at: int) -> str:
    line, byte = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)
    return f"The text is not UTF-8: byte {byte} of line {line} is 0x{data[at]:02X}. Nothing was written."
