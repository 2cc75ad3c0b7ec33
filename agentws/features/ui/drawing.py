"""Places the boxes and lines of the drawing of machines and copies. Pure; the template makes the SVG."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 720
_BOX_WIDTH, _BOX_HEIGHT, _GAP = 184, 54, 16
_LEFT, _MIDDLE, _RIGHT = 40, 288, 536
_MOST = 12
_TITLE_CHARS, _CHARS = 18, 22


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its `title` and `text`, its `kind` as a class of CSS, and the id of the box that it is `joined` to."""

    title: str
    text: str
    kind: str = ""
    joined: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A box at its place, with `title` and `text` cut to fit in it."""

    box: Box
    x: int
    y: float
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing; `left_out` counts boxes that are not in it."""

    height: int
    boxes: tuple[Placed, ...]
    lines: tuple[tuple[str, str], ...]
    """(path in SVG, kind as a class of CSS) of each."""
    left_out: int
    width: int = WIDTH
    box_width: int = _BOX_WIDTH
    box_height: int = _BOX_HEIGHT


def drawing(machines: Sequence[Box], middle: Box, copies: Sequence[Box]) -> Drawing:
    """Return the drawing: machines on the left, joined to the one that vouched for them, this copy, its copies.

    At most twelve boxes of a side are drawn.
    """
    most = max(min(_MOST, len(machines)), min(_MOST, len(copies)), 1)
    height = most * (_BOX_HEIGHT + _GAP) - _GAP
    left, right = _column(machines[:_MOST], _LEFT, height), _column(copies[:_MOST], _RIGHT, height)
    centre = _placed(middle, _MIDDLE, (height - _BOX_HEIGHT) / 2)
    vouchers = {place.box.id: place for place in left}
    vouches = [(vouchers.get(place.box.joined), place) for place in left]
    lines = [
        *(_line(place, centre, place.box.kind) for place in left),
        *(_line(centre, place, f"{place.box.joined} {place.box.kind}") for place in right),
        *(_arc(voucher, place) for voucher, place in vouches if voucher is not None and voucher is not place),
    ]
    left_out = len(machines) - len(left) + len(copies) - len(right)
    return Drawing(height, (*left, centre, *right), tuple(lines), left_out)


def _column(boxes: Sequence[Box], x: int, height: int) -> list[Placed]:
    top = (height - len(boxes) * (_BOX_HEIGHT + _GAP) + _GAP) / 2
    return [_placed(box, x, top + number * (_BOX_HEIGHT + _GAP)) for number, box in enumerate(boxes)]


def _placed(box: Box, x: int, y: float) -> Placed:
    return Placed(box, x, y, _cut(box.title, _TITLE_CHARS), _cut(box.text, _CHARS))


def _cut(text: str, most: int) -> str:
    """Return a text that fits in a box; of a long path its end says most."""
    if len(text) <= most:
        return text
    return f"…{text[1 - most :]}" if "/" in text else f"{text[: most - 1]}…"


def _line(start: Placed, end: Placed, kind: str) -> tuple[str, str]:
    x1, y1, x2, y2 = start.x + _BOX_WIDTH, start.y + _BOX_HEIGHT / 2, end.x, end.y + _BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    return (f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}", kind)


def _arc(voucher: Placed, vouched: Placed) -> tuple[str, str]:
    y1, y2 = voucher.y + _BOX_HEIGHT / 2, vouched.y + _BOX_HEIGHT / 2
    return (f"M{_LEFT} {y1:g}C0 {y1:g} 0 {y2:g} {_LEFT} {y2:g}", "vouch")
