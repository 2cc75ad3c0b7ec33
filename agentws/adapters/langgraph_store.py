"""LangGraph's long-term memory in a workspace, searched by the words of a question."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from agentws.adapters.row_index import RowIndex, in_thread
from agentws.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentws.adapters.row_index import Row
    from agentws.workspace import Workspace

_NAME = "langgraph/store"
_MOST_OLD = 1000
"""The file is replaced if it has more rows of former values than this, and than of present ones."""
_WILDCARD = "*"
Namespace = tuple[str, ...]


class Items(RowIndex):
    """The newest row of each item, and how many rows there are."""

    def reset(self) -> None:
        """Forget all rows: the file was replaced."""
        self.rows = 0
        self.by_namespace: dict[Namespace, dict[str, Row]] = {}

    def index(self, offset: int, row: Row) -> None:
        """Remember a row."""
        items = self.by_namespace.setdefault(tuple(cast("list[str]", row["ns"])), {})
        items.pop(str(row["key"]), None)
        if "value" in row:
            items[str(row["key"])] = row
        self.rows += 1


class Store(BaseStore):
    """Keeps items in the workspace, in `data/langgraph/store.jsonl`: a row for each `put`. Values must be JSON.

    `search` with a query finds items by words, as `agentws search` does: in the `fields` (JSON paths), or in the whole
    value. A put's `index` names other fields, or False for none. Items do not expire.
    """

    __slots__ = ("_fields", "_items", "_workspace")

    def __init__(self, workspace: Workspace, *, fields: Sequence[str] = ("$",)) -> None:
        self._workspace = workspace
        self._fields = list(fields)
        self._items = Items(workspace.data.rows(_NAME))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the result of each operation; all puts are stored durably in one step, after the others."""
        puts: dict[tuple[Namespace, str], PutOp] = {}
        reads: list[Op] = []
        for op in ops:
            reads.append(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
        results = self._items.read(lambda: [None if isinstance(op, PutOp) else self._answer(op) for op in reads])
        if puts:
            self._put(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, without stopping the event loop."""
        return await in_thread(self.batch, list(ops))

    def _answer(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            row = self._items.by_namespace.get(op.namespace, {}).get(op.key)
            return None if row is None else Item(**_fields_of(row))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        raise UsageError(f"Unknown operation: {type(op).__name__}.")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        rows = list(self._below(op.namespace_prefix))
        for key, wanted in (op.filter or {}).items():
            rows = [row for row in rows if _passes(_value(row).get(key), wanted)]
        rows.sort(key=lambda row: str(row["updated"]), reverse=True)
        hits: Iterable[tuple[int, float | None]] = ((number, None) for number in range(len(rows)))
        if op.query:
            hits = self._workspace.search.texts(op.query, [self._text(row) for row in rows])
        chosen = list(hits)[op.offset : op.offset + op.limit]
        return [SearchItem(**_fields_of(rows[number]), score=score) for number, score in chosen]

    def _below(self, prefix: Namespace) -> Iterator[Row]:
        for namespace, items in self._items.by_namespace.items():
            if namespace[: len(prefix)] == prefix:
                yield from items.values()

    def _text(self, row: Row) -> str:
        """Return what a query is compared with."""
        fields = self._fields if row.get("index") is None else row["index"] or []
        return "\n".join(
            text
            for path in cast("Sequence[str]", fields)
            for text in get_text_at_path(_value(row), tokenize_path(path) if path != "$" else "$")
        )

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        namespaces = {
            namespace[: op.max_depth]
            for namespace, items in self._items.by_namespace.items()
            if items and all(_matches(condition, namespace) for condition in op.match_conditions or ())
        }
        return sorted(namespaces)[op.offset : op.offset + op.limit]

    def _put(self, ops: Sequence[PutOp]) -> None:
        items = self._items
        with items.changing():
            now = self._workspace.stores.clock.now().isoformat()
            items.log.append(*(row for op in ops if (row := self._row(op, now)) is not None))
            items.catch_up()  # from the file: the caller may change the values that it gave
            live = [row for each in items.by_namespace.values() for row in each.values()]
            if items.rows - len(live) > max(_MOST_OLD, len(live)):
                items.log.replace(live)

    def _row(self, op: PutOp, now: str) -> Row | None:
        """Return the row of a put; None if it deletes an item that does not exist."""
        former = self._items.by_namespace.get(op.namespace, {}).get(op.key)
        row: dict[str, object] = {"ns": list(op.namespace), "key": op.key}
        if op.value is None:
            return {**row, "deleted": now} if former else None
        row |= {"value": dict(op.value), "created": former["created"] if former else now, "updated": now}
        return row if op.index is None else {**row, "index": op.index}


def _value(row: Row) -> dict[str, object]:
    return cast("dict[str, object]", row["value"])


def _fields_of(row: Row) -> dict[str, object]:
    """Return the arguments for an Item, whose value the caller may change."""
    return {
        "namespace": tuple(cast("list[str]", row["ns"])),
        "key": row["key"],
        "value": copy.deepcopy(_value(row)),
        "created_at": row["created"],
        "updated_at": row["updated"],
    }


def _passes(value: object, wanted: object) -> bool:
    """Return whether a value passes a filter: equal to it, or by its operators ($eq, $ne, $gt, $gte, $lt, $lte)."""
    if not isinstance(wanted, dict):
        return value == wanted
    if not any(str(key).startswith("$") for key in wanted):
        return isinstance(value, dict) and all(_passes(value.get(key), part) for key, part in wanted.items())
    return all(_compares(value, str(operator), operand) for operator, operand in wanted.items())


def _compares(value: object, operator: str, operand: object) -> bool:
    if operator == "$eq":
        return value == operand
    if operator == "$ne":
        return value != operand
    try:
        number, bound = float(cast("float", value)), float(cast("float", operand))
    except (TypeError, ValueError):
        return False
    if operator == "$gt":
        return number > bound
    if operator == "$gte":
        return number >= bound
    if operator == "$lt":
        return number < bound
    if operator == "$lte":
        return number <= bound
    raise UsageError(f"Unknown operator of a filter: {operator!r}.", hint="Use $eq, $ne, $gt, $gte, $lt or $lte.")


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in (_WILDCARD, name) for name, wanted in zip(part, path, strict=True))
