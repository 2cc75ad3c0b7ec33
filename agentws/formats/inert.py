"""Text that does nothing to a terminal or a reader: control characters are shown, never obeyed (P16)."""

from __future__ import annotations


def _table() -> dict[int, str]:
    ranges = (
        (0x00, 0x08),
        (0x0B, 0x1F),
        (0x7F, 0x9F),
        (0x061C, 0x061C),  # Arabic letter mark
        (0x200E, 0x200F),  # left-to-right and right-to-left marks
        (0x2028, 0x202E),  # line and paragraph separators, BiDi embeddings and overrides
        (0x2066, 0x206F),  # BiDi isolates, deprecated format characters
        (0xFFF9, 0xFFFB),  # interlinear annotation
        (0xE0000, 0xE007F),  # tag characters: text that no person sees and every model reads
        (0xE0100, 0xE01EF),  # variation selectors that can carry hidden bytes
    )
    table = {code: f"\\u{{{code:x}}}" for low, high in ranges for code in range(low, high + 1)}
    table[0xFEFF] = ""  # a BOM says nothing
    # Bytes that are no UTF-8 were decoded to lone surrogates, so that the file can be kept as it is.
    table.update(dict.fromkeys(range(0xD800, 0xE000), "�"))
    return table


_TABLE: dict[int, str] = {}


def inert(text: str) -> str:
    """`text` with every control, escape, BiDi and tag character made visible; newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    if not _TABLE:
        _TABLE.update(_table())
    # The CR of a CRLF file says nothing; one inside a line would overwrite what stands before it.
    return text.replace("\r\n", "\n").removesuffix("\r").translate(_TABLE)


def one_line(text: str) -> str:
    """`text` made inert and put on one line, white space folded."""
    return " ".join(inert(text).split())
