"""The repr of a verb's result, within a line or two."""

from __future__ import annotations

from reprlib import Repr

_MOST_CHARS, _MOST_OF_ROW = 60, 240


class ShortRepr(Repr):
    """A repr that shortens long texts and rows, and shows inner objects by their type unless they have a repr."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring, self.maxother = _MOST_CHARS, _MOST_OF_ROW

    def repr_instance(self, x: object, level: int) -> str:
        """Return an object in a field: by its own repr, else only its type."""
        has_repr = any("__repr__" in vars(kind) for kind in type(x).__mro__[:-1])
        return super().repr_instance(x, level) if has_repr else f"{type(x).__name__}(…)"
