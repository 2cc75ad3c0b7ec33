"""The job with LangGraph: a model and its tool, with a checkpoint in SQLite after each step."""

from __future__ import annotations

from typing import Any

import job
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def act(number: int) -> str:
    """Do an action."""
    return job.act(number)


def model(state: MessagesState) -> dict[str, Any]:
    """Call for the next action, by the results in the state."""
    number = job.next_action([str(one.content) for one in state["messages"] if isinstance(one, ToolMessage)])
    if number is None:
        return {"messages": [AIMessage("Done.")]}
    call = {"name": "act", "args": {"number": number}, "id": f"call-{number}"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def main() -> None:
    """Run the graph, or go on from its last checkpoint, as its guide to durable execution says."""
    graph = StateGraph(MessagesState).add_node("model", model).add_node("tools", ToolNode([act]))
    graph.add_edge(START, "model").add_conditional_edges("model", tools_condition).add_edge("tools", "model")
    with SqliteSaver.from_conn_string("checkpoints.sqlite") as saver:
        agent = graph.compile(checkpointer=saver)
        thread: Any = {"configurable": {"thread_id": "job"}, "recursion_limit": 100}
        begins = None if agent.get_state(thread).next else {"messages": [("user", "Go on with the job.")]}
        job.begin()
        agent.invoke(begins, thread, durability="sync")


main()
