"""Makes text harmless for terminals and readers: active or hidden characters become visible codes (P16)."""

from __future__ import annotations

from agentws.core.text import invisible

_FEW = 8
"""So many characters are looked for one by one; more in one pass over the text, which is slow."""
_CONTROLS = ((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F))
_ACTING = (
    *_CONTROLS,
    (0x2028, 0x2029),  # line and paragraph separators
    (0xFFF9, 0xFFFB),  # interlinear annotation
)


def _table(ranges: tuple[tuple[int, int], ...]) -> dict[int, str]:
    return {code: f"{invisible.CODE}{code:x}}}" for low, high in ranges for code in range(low, high + 1)}


_TABLE: dict[int, str] = {}
_WRITTEN: dict[int, str] = {}


def inert(text: str) -> str:
    """Return `text` sanitized: control, escape, BiDi and invisible characters made visible; newlines and tabs stay.

    Joiners and selectors stay if they have a use: in words of Persian or Sinhala, in emoji.
    """
    if text.isascii() and text.isprintable():
        return text
    if not _TABLE:
        _TABLE.update(_table(_ACTING))
        # Bytes that are no UTF-8 were decoded to lone surrogates, so that the file can be kept as it is.
        _TABLE.update(dict.fromkeys(range(0xD800, 0xE000), "�"))
    # The CR of a CRLF file says nothing, nor does a BOM at the beginning; one inside a line would overwrite what stands
    # before it.
    text = text.replace("\r\n", "\n").removesuffix("\r").removeprefix("\ufeff")
    names = invisible.among(text)
    if not names:
        return text if _TABLE.keys().isdisjoint(map(ord, set(text))) else text.translate(_TABLE)
    from agentws.core.text import joiners

    # Only those that stand there go into the table: there are thousands.
    table = {**_TABLE, **{ord(char): f"{invisible.CODE}{ord(char):x}}}" for char in names}}
    kept = [at for at in _places(text, names) if joiners.useful(text, at)]
    shown, start = [], 0
    for at in kept:
        shown += [text[start:at].translate(table), text[at]]
        start = at + 1
    return "".join(shown) + text[start:].translate(table)


def _places(text: str, chars: set[str]) -> list[int]:
    """Yield the positions of `chars` in order."""
    if len(chars) > _FEW:
        return [at for at, char in enumerate(text) if char in chars]
    places = []
    for char in chars:
        at = text.find(char)
        while at >= 0:
            places.append(at)
            at = text.find(char, at + 1)
    return sorted(places)


def written(text: str) -> str:
    """Return `text` sanitized for writing into a document: control characters become codes, harmless in `cat`."""
    if text.isprintable():
        return text
    if not _WRITTEN:
        _WRITTEN.update(_table(_CONTROLS))
    return text.replace("\r\n", "\n").translate(_WRITTEN)


def unbroken(text: str) -> str:
    """Return a line with each line feed as a code: what follows that of a file's name would look like our words."""
    return text.replace("\n", f"{invisible.CODE}a}}") if "\n" in text else text


def one_line(text: str) -> str:
    """Return `text` sanitized (inert) on one line, white space folded."""
    return " ".join(inert(text).split())
