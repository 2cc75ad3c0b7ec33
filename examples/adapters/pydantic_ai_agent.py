"""A pydantic-ai agent that measures five rooms, a run each. Kill it, and start it again: it goes on where it was.

pip install 'agentws[pydantic-ai]'
python examples/adapters/pydantic_ai_agent.py FOLDER
"""

from __future__ import annotations

import asyncio
import sys
import time

from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.models.test import TestModel

from agentws import Workspace
from agentws.adapters.pydantic_ai import Conversations

ROOMS = ("kitchen", "hall", "study", "attic", "cellar")


async def main(folder: str) -> None:
    """Begin the job in the workspace `folder`, or go on with it."""
    workspace = Workspace.init(folder, git=False)  # makes or opens it
    store = Conversations(workspace)
    conversation = await store.load("rooms") or Conversation(conversation_id="rooms")
    measured = len(conversation.messages) // 2  # a question and its answer each
    for number, room in enumerate(ROOMS[measured:], measured):
        print(f"step {number + 1}: the {room}", flush=True)
        time.sleep(0.2)  # the work
        agent = Agent(TestModel(custom_output_text=f"{room}: {10 + number} m²"))  # your model
        result = await agent.run(f"Measure the {room}.", conversation=conversation)
        await store.save(result)
        conversation = result.conversation
    print("done:", len(conversation.messages), "messages")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
