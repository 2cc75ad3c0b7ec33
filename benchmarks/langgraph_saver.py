"""LangGraph's checkpoints and memory: our Saver and Store beside LangGraph's own on SQLite, the same calls in turn.

The calls of a real run (an agent that thinks and acts in turn, with the last messages in its state) are recorded once
and replayed to both, 100 calls at a time. SQLite is as LangGraph opens it: WAL, a sync for each commit.

    pip install '.[langgraph]' langgraph langgraph-checkpoint-sqlite
    python benchmarks/langgraph_saver.py [STEPS]
"""

from __future__ import annotations

import operator
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.sqlite import SqliteStore

from agentws import Workspace
from agentws.adapters.langgraph import Saver, Store

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK, _READS, _LISTS, _STARTS, _ITEMS = 100, 500, 100, 5, 500
_LAST = 6
_PLACE = {"thread_id": "bench", "checkpoint_ns": ""}
_WORDS = ("the", "tiles", "of", "north", "side", "were", "counted", "again", "and", "three", "them", "are", "cracked")
Call = tuple[str, tuple[Any, ...]]


def _last(before: list[Any], new: list[Any]) -> list[Any]:
    return (before + new)[-_LAST:]


class State(TypedDict):
    """What the agent knows."""

    goal: str
    count: Annotated[int, operator.add]
    messages: Annotated[list[Any], _last]


class Recording(InMemorySaver):
    """Notes each call that writes."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def put(self, *arguments: Any) -> Any:
        """Note the call."""
        self.calls.append(("put", arguments))
        return {"configurable": {**_PLACE, "checkpoint_id": arguments[1]["id"]}}

    def put_writes(self, *arguments: Any, **named: Any) -> None:
        """Note the call."""
        self.calls.append(("put_writes", (*arguments, *named.values())))


def recorded(steps: int) -> list[Call]:
    """Return the writing calls of a run of so many steps."""
    dice = random.Random(7)

    def think(state: State) -> dict[str, Any]:
        return {"count": 1, "messages": [AIMessage(" ".join(dice.choices(_WORDS, k=30)), id=f"a{state['count']}")]}

    def act(state: State) -> dict[str, Any]:
        return {"count": 1, "messages": [HumanMessage(" ".join(dice.choices(_WORDS, k=12)), id=f"h{state['count']}")]}

    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("act", act)
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", lambda state: "act" if state["count"] < steps else END)
    builder.add_edge("act", "think")
    saver = Recording()
    start = {"goal": "Count the tiles of the roof. " * 10, "count": 0, "messages": []}
    config: Any = {"configurable": _PLACE, "recursion_limit": steps * 2}
    builder.compile(checkpointer=saver).invoke(start, config, durability="sync")
    return saver.calls


class Pairs:
    """The times of both, by what they did."""

    def __init__(self) -> None:
        self.times: dict[str, tuple[list[float], list[float]]] = {}

    def add(self, name: str, do: Callable[[Any], object], theirs: Any, ours: Any) -> None:
        """Time `do` with theirs and with ours, each first in turn: on a busy machine the second is interrupted more."""
        both = list(zip((theirs, ours), self.times.setdefault(name, ([], [])), strict=True))
        for saver, times in both if len(both[0][1]) % 2 else reversed(both):
            start = time.perf_counter()
            do(saver)
            times.append(time.perf_counter() - start)


def _replay(calls: list[Call]) -> Callable[[Any], None]:
    def replay(saver: Any) -> None:
        for name, arguments in calls:
            getattr(saver, name)(*arguments)

    return replay


def _get(key: str | None) -> Callable[[Any], object]:
    place = {**_PLACE, "checkpoint_id": key} if key else _PLACE
    return lambda saver: saver.get_tuple({"configurable": place})


def _store(pairs: Pairs, theirs: Any, ours: Any) -> None:
    """Time puts, gets and searches of a memory."""
    dice = random.Random(3)
    for number in range(_ITEMS):
        value = {"text": " ".join(dice.choices(_WORDS, k=30)), "number": number}
        pairs.add("store: put", lambda store, n=number, v=value: store.put(("a", str(n % 9)), f"k{n}", v), theirs, ours)
    for number in dice.choices(range(_ITEMS), k=_READS):
        pairs.add("store: get", lambda store, n=number: store.get(("a", str(n % 9)), f"k{n}"), theirs, ours)
    for number in range(_LISTS):
        pairs.add("store: filter", lambda store, n=number: store.search(("a",), filter={"number": n}), theirs, ours)


def _size(folder: str) -> int:
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


def main(steps: int) -> None:
    """Print times and sizes."""
    calls = recorded(steps)
    folder = tempfile.mkdtemp(prefix="langgraph-bench-")
    Path(f"{folder}/sqlite").mkdir()
    workspace = Workspace.init(f"{folder}/robin", git=False)

    def sqlite() -> SqliteSaver:
        return SqliteSaver(sqlite3.connect(f"{folder}/sqlite/checkpoints.sqlite", check_same_thread=False))

    theirs, ours, pairs = sqlite(), Saver(workspace), Pairs()
    for start in range(0, len(calls), _BLOCK):
        pairs.add(f"{_BLOCK} writes", _replay(calls[start : start + _BLOCK]), theirs, ours)
    keys = [arguments[1]["id"] for name, arguments in calls if name == "put"]
    dice = random.Random(5)
    for _ in range(_READS):
        pairs.add("newest checkpoint", _get(None), theirs, ours)
        pairs.add("any checkpoint", _get(dice.choice(keys)), theirs, ours)
    for _ in range(_LISTS):
        pairs.add("list of 20", lambda saver: list(saver.list({"configurable": _PLACE}, limit=20)), theirs, ours)
    for _ in range(_STARTS):
        pairs.add("newest after a start", _get(None), sqlite(), Saver(Workspace.open(workspace.root)))
    database = sqlite3.connect(f"{folder}/store.sqlite", check_same_thread=False, isolation_level=None)
    store = SqliteStore(database)
    store.setup()
    _store(pairs, store, Store(workspace))
    theirs.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print(f"{len(calls)} calls of {steps} steps; medians in ms")
    for name, (first, second) in pairs.times.items():
        left, right = statistics.median(first) * 1000, statistics.median(second) * 1000
        print(f"{name:22} SQLite {left:9.3f}   agentws {right:9.3f}   {right / left:5.2f}")
    left, right = _size(f"{folder}/sqlite"), _size(f"{workspace.root}/data/langgraph/threads")
    print(f"{'bytes on disk':22} SQLite {left:9}   agentws {right:9}   {right / left:5.2f}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
