"""Record files of conflicts, which are synced like other files: write them, and take forgotten text out of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from agentws.core.formats.travel import conflict as _conflict
from agentws.errors import AgentwsError
from agentws.features.sync.plan.merged import Conflict, Side
from agentws.features.sync.state import State
from agentws.features.sync.store.repo import Repo


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
    for conflict in conflicts:
        place = _conflict.path(conflict.id)
        if conflict.path.startswith(f"{_conflict.FOLDER}/") or place in known:
            continue
        first, second = (_side(conflict, side, number, made) for number, side in enumerate(conflict.sides, 1))
        base = (
            _conflict.Side(conflict.base) if tells_base and not isinstance(conflict.base, bytes) else _conflict.Side()
        )
        record = _conflict.Record(
            conflict.id,
            conflict.path,
            conflict.what,
            conflict.where,
            base=base,
            sides=(first, second),
            at=at,
            between=between,
            opened=conflict.opened,
        )
        made[place] = _conflict.encode(record)
    return made


def _side(conflict: Conflict, side: Side, number: int, made: dict[str, bytes]) -> _conflict.Side:
    if not isinstance(side, bytes):
        return _conflict.Side(side)
    place = f"{_conflict.FOLDER}/{conflict.id}/{number}-{conflict.path.rpartition('/')[2]}"
    made[place] = side
    return _conflict.Side(file=place)


def strike(repo: Repo, state: State, path: str, without: Callable[[bytes], bytes]) -> None:
    """Take text out of the base and the sides of a conflict in a merged state; without any text its record goes.

    A side without text counts as removed. The rest stays to be decided: that a side was forgotten, or edited where
    something was forgotten, is not a decision for the other.
    """
    try:
        record = _conflict.decode(_conflict.id_of(path.rpartition("/")[2]), repo.blob(state.result[path]))
    except AgentwsError:
        return
    is_struck = False
    for side in (record.base, *record.sides):
        if side.file in state.result:
            before = repo.blob(state.result[side.file])
            if (left := without(before)) != before:
                state.put(repo, side.file, left)
        elif side.text is not None:
            before = side.text.encode("utf-8", "surrogateescape")
            if (left := without(before)) != before:
                side.text, is_struck = (left.decode("utf-8", "surrogateescape") if left.strip() else None), True
    if is_struck:
        has_text = any(side.text or side.file for side in record.sides)
        state.put(repo, path, _conflict.encode(record) if has_text else None)
