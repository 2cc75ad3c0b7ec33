"""A LangGraph agent that measures five rooms. Kill it at any moment and start it again: it goes on where it was.

pip install 'agentws[langgraph]' langgraph
python examples/adapters/langgraph_agent.py FOLDER
"""

from __future__ import annotations

import operator
import sys
import time
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph

from agentws import Workspace
from agentws.adapters.langgraph import Saver, Store

ROOMS = ("kitchen", "hall", "study", "attic", "cellar")
CONFIG = {"configurable": {"thread_id": "rooms"}}


class State(TypedDict):
    """What the agent has measured: a line for each room."""

    measured: Annotated[list[str], operator.add]


def measure(state: State) -> dict[str, list[str]]:
    """Measure the next room."""
    number = len(state["measured"])
    print(f"step {number + 1}: the {ROOMS[number]}", flush=True)
    time.sleep(0.2)  # the work
    return {"measured": [f"{ROOMS[number]}: {10 + number} m²"]}


def main(folder: str) -> None:
    """Begin the job in the workspace `folder`, or go on with it."""
    workspace = Workspace.init(folder, git=False)  # makes or opens it
    builder = StateGraph(State)
    builder.add_node("measure", measure)
    builder.add_edge(START, "measure")
    builder.add_conditional_edges("measure", lambda state: "measure" if len(state["measured"]) < len(ROOMS) else END)
    store = Store(workspace)
    graph = builder.compile(checkpointer=Saver(workspace), store=store)

    is_begun = bool(graph.get_state(CONFIG).values)
    result = graph.invoke(None if is_begun else {"measured": []}, CONFIG, durability="sync")
    store.put(("house",), "rooms", {"text": ", ".join(result["measured"])})
    print("done:", store.search(("house",), query="attic")[0].value["text"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
