"""The core that every feature builds on. It imports no feature."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """Return a decorator that changes nothing: only type checkers need the one in `typing`."""
        return lambda kind: kind


@dataclass_transform(eq_default=False)
class Record:
    """A value with a field for each annotation of its class, like a dataclass, whose module takes 25 ms to import.

    Fields are given in their order or by name. TypeError for a value too many, an unknown name or a missing field.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: object, **fields: object) -> None:
        own, kind = vars(self), type(self)
        own.update(zip(self._fields, values, strict=False), **fields)
        is_surplus = len(own) < len(values) + len(fields)
        try:
            for name in self._fields[len(values) :]:
                if name not in fields:
                    own[name] = getattr(kind, name)
        except AttributeError:
            raise TypeError(f"{kind.__name__} lacks a value for {name}.") from None
        if is_surplus or len(own) > len(self._fields):
            raise TypeError(f"{kind.__name__} has only these fields, each once: {', '.join(self._fields)}.")


class Result:
    """A value that a verb returns. Its repr shows the fields; long texts, rows and inner values are shortened.

    A class with many fields, or whose fields are properties, names in SHOWN those that a reader needs.
    """

    __slots__ = ()
    SHOWN: tuple[str, ...] = ()

    def __repr__(self) -> str:
        from agentws.core.short_repr import ShortRepr  # seldom needed

        short = ShortRepr()
        slots = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        names = self.SHOWN or slots or list(vars(self))
        fields = [f"{name}={short.repr(getattr(self, name, None))}" for name in names if not name.startswith("_")]
        return f"{type(self).__name__}({', '.join(fields)})"


def several(texts: str | Iterable[str] | None) -> list[str]:
    """Return texts as a list. A single text is one text, not a list of its letters."""
    return [texts] if isinstance(texts, str) else list(texts or ())
