"""Write the conflicts of a merge as record files, which are synced like other files."""

from __future__ import annotations

from agentws.core.formats.travel import conflict as _conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from agentws.features.sync.plan.merged import Conflict, Side

    Tell = Callable[[Iterable[Conflict]], dict[str, bytes]]
    """Returns the record files of conflicts."""


def files(
    conflicts: Iterable[Conflict],
    known: Collection[str],
    *,
    at: str,
    between: tuple[str, ...],
    tells_base: bool,
) -> dict[str, bytes]:
    """Return the record files of these conflicts, by path, except those whose record is among the `known` paths.

    With `tells_base` a record also holds the common base of both sides.
    """
    made: dict[str, bytes] = {}
    for one in conflicts:
        place = _conflict.path(one.id)
        if one.path.startswith(f"{_conflict.FOLDER}/") or place in known:
            continue
        first, second = (_side(one, side, number, made) for number, side in enumerate(one.sides, 1))
        base = _conflict.Side(one.base) if tells_base and not isinstance(one.base, bytes) else _conflict.Side()
        told = _conflict.Record(
            one.id,
            one.path,
            one.what,
            one.where,
            base=base,
            sides=(first, second),
            at=at,
            between=between,
            opened=one.opened,
        )
        made[place] = _conflict.encode(told)
    return made


def _side(one: Conflict, side: Side, number: int, made: dict[str, bytes]) -> _conflict.Side:
    if not isinstance(side, bytes):
        return _conflict.Side(side)
    place = f"{_conflict.FOLDER}/{one.id}/{number}-{one.path.rpartition('/')[2]}"
    made[place] = side
    return _conflict.Side(file=place)
