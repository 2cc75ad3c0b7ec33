"""Checks given texts and documents for bytes that are not UTF-8, and names their place."""

from __future__ import annotations

from agentws.errors import UsageError

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
            raise UsageError(_told(data, error.start), hint=_HINT) from error


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


def _told(data: bytes, at: int) -> str:
    line, byte = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)
    return f"The text is not UTF-8: byte {byte} of line {line} is 0x{data[at]:02X}. Nothing was written."
