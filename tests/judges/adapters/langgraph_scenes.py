"""What the judges of agentws.adapters.langgraph run with LangGraph: `python langgraph_scenes.py SCENE FOLDER`."""

from __future__ import annotations

import asyncio
import json
import operator
import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Annotated, Any, TypedDict

from langgraph.channels.delta import DeltaChannel
from langgraph.graph import END, START, StateGraph

from agentws import Workspace
from agentws.adapters.langgraph import Saver, Store


def added(before: list[int], writes: Any) -> list[int]:
    """Return the numbers with those that several writes add."""
    return [*before, *(number for part in writes for number in part)]


class Numbers(TypedDict):
    """A state with a delta channel."""

    numbers: Annotated[list[int], DeltaChannel(added, snapshot_frequency=4)]
    count: Annotated[int, operator.add]


class Colour(Enum):
    """A class of a graph's own."""

    RED = "red"


def conformance(folder: str) -> None:
    """Print the result of each capability, and how often each method of the Saver was called."""
    from langgraph.checkpoint.conformance import checkpointer_test, validate
    from langgraph.checkpoint.conformance.capabilities import DetectedCapabilities

    calls: dict[str, int] = {}

    class Counted(Saver):
        def __getattribute__(self, name: str) -> Any:
            calls[name] = calls.get(name, 0) + 1
            return super().__getattribute__(name)

    workspace = Workspace.init(folder, git=False)

    @checkpointer_test(name="Saver")
    async def factory() -> AsyncIterator[Saver]:
        yield Counted(workspace)

    report = asyncio.run(validate(factory))
    print(
        json.dumps(
            {
                "missing": sorted(DetectedCapabilities.from_instance(Saver(workspace)).missing),
                "failures": [failure for result in report.results.values() for failure in result.failures or ()],
                "passed": {name: result.tests_passed for name, result in report.results.items()},
                "calls": calls,
            }
        )
    )


def put(saver: Saver, thread: str, number: int, value: object, parent: str | None = None) -> Any:
    """Store a checkpoint with one channel, and a write to it."""
    key = f"{number:08}-{os.getpid()}"
    config = {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": parent}}
    checkpoint: Any = {
        "v": 4,
        "id": key,
        "ts": "2026-11-20T07:15:00+00:00",
        "versions_seen": {},
        "updated_channels": None,
    }
    checkpoint |= {"channel_values": {"tiles": value}, "channel_versions": {"tiles": key}}
    stored = saver.put(config, checkpoint, {"source": "loop", "step": number}, {"tiles": key})
    saver.put_writes(stored, [("tiles", number)], f"task-{number}")
    return stored


def write(folder: str) -> None:
    """Store 25 checkpoints in each of four threads of this process."""
    saver = Saver(Workspace.open(folder))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: put(saver, "shared", number, number), range(100)))


def classes(folder: str) -> None:
    """Print what becomes of a graph's own class and of a call in a row that somebody has changed."""
    workspace = Workspace.init(folder, git=False)
    put(Saver(workspace), "own", 1, {"colour": Colour.RED, "when": None})
    put(Saver(workspace), "changed", 1, "CALL")
    log = workspace.data.rows("langgraph/threads/changed")
    call = {"$": "value", "of": {"$": "ext", "code": 1, "of": ["os", "system", [f"touch {folder}/ran"]]}}
    log.replace([{**row, "value": call} if row.get("value") == "CALL" else row for _, row in log.read()])

    def value(saver: Saver, thread: str) -> object:
        found = saver.get_tuple({"configurable": {"thread_id": thread}})
        return found and found.checkpoint["channel_values"]["tiles"]

    print(
        json.dumps(
            {
                "strict": repr(value(Saver(workspace), "own")),
                "allowed": repr(value(Saver(workspace, allow=[Colour]), "own")),
                "call": repr(value(Saver(workspace), "changed")),
                "ran": os.path.exists(f"{folder}/ran"),
            }
        )
    )


def pickle(folder: str) -> None:
    """Print how a serializer that pickles is refused."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    workspace = Workspace.init(folder, git=False)
    try:
        put(Saver(workspace, serde=JsonPlusSerializer(pickle_fallback=True)), "pickled", 1, object())
    except Exception as error:
        count = len(list(workspace.data.rows("langgraph/threads/pickled").read()))
        print(json.dumps({"error": str(error), "rows": count}))


def expiry(folder: str) -> None:
    """Print which threads are left after `retention.threads = "30d"`."""
    os.environ["AGENTWS_NOW"] = "2026-11-25T07:15:00+00:00"
    workspace = Workspace.init(folder, git=False)
    saver = Saver(workspace)
    put(saver, "old", 1, "a")
    workspace.config.set("retention.threads", "30d")
    put(Saver(workspace), "new", 2, "b")
    left = workspace.data.row_logs("langgraph/threads/")
    os.environ["AGENTWS_NOW"] = "2027-01-20T07:15:00+00:00"
    Saver(Workspace.open(folder))
    print(json.dumps({"before": left, "after": workspace.data.row_logs("langgraph/threads/")}))


def deltas(folder: str) -> None:
    """Print a delta channel's value before and after `prune`, and how many checkpoints that keeps."""
    saver = Saver(Workspace.init(folder, git=False))
    builder = StateGraph(Numbers)
    builder.add_node("count", lambda state: {"numbers": [state["count"]], "count": 1})
    builder.add_edge(START, "count")
    builder.add_conditional_edges("count", lambda state: "count" if state["count"] < 10 else END)
    graph = builder.compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "deltas"}}
    graph.invoke({"count": 0}, config)
    before, stored = graph.get_state(config).values["numbers"], len(list(saver.list(config)))
    saver.prune(["deltas"])
    print(json.dumps([before, graph.get_state(config).values["numbers"], stored, len(list(saver.list(config)))]))


def memory(folder: str) -> None:
    """Print what a Store answers, in this process and in another object."""
    workspace = Workspace.init(folder, git=False)
    store = Store(workspace)
    store.put(("house", "roof"), "tiles", {"text": "Three tiles of the north side are cracked", "count": 3})
    store.put(("house", "cellar"), "boiler", {"text": "The boiler was serviced in May", "count": 1})
    store.put(("garden",), "secret", {"text": "The key lies under the tiles"}, index=False)
    store.put(("house", "roof"), "tiles", {"text": "Four tiles of the north side are cracked", "count": 4})
    store.delete(("house", "cellar"), "none")
    other = Store(Workspace.open(folder))
    item = other.get(("house", "roof"), "tiles")
    assert item is not None
    print(
        json.dumps(
            {
                "value": item.value,
                "order": item.created_at < item.updated_at,
                "query": [found.key for found in other.search((), query="cracked tile")],
                "filter": [found.key for found in other.search(("house",), filter={"count": {"$gte": 2}})],
                "namespaces": other.list_namespaces(prefix=("house",)),
                "depth": other.list_namespaces(max_depth=1),
                "async": asyncio.run(other.aget(("house", "cellar"), "boiler")).value["count"],  # type: ignore[union-attr]
            }
        )
    )


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
