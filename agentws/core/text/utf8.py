"""Checks of bytes for UTF-8, with the place where they are not: in given text and in documents."""

from __future__ import annotations

from agentws.errors import UsageError

_HINT = "Convert it first, for example: iconv -f ISO-8859-1 -t UTF-8 FILE"


def check(*texts: str | None) -> None:
    """Raise UsageError where one of `texts` holds a byte that is no UTF-8, which stands there as a lone surrogate.

    A line of them would keep its file from being read, and from compaction, ever after. Bytes that are UTF-8 and stand
    there so too, as in a locale that knows none, are well.
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
    """The text of a document with U+FFFD for what is no UTF-8: to be told, where it stands elsewhere as it is."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def bad_line(data: bytes, *, is_cut: bool = False) -> int:
    """The first line (from 1) that is not UTF-8, 0 where each is; the end of what `is_cut` may be half a character."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        is_half = is_cut and error.end == len(data) and error.start > len(data) - 4
        return 0 if is_half else data.count(b"\n", 0, error.start) + 1
    return 0


def _told(data: bytes, at: int) -> str:
    line, byte = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)
    return f"The text is not UTF-8: byte {byte} of line {line} is 0x{data[at]:02X}. Nothing was written."
