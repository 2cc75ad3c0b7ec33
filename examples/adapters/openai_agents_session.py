"""An agent of the OpenAI Agents SDK that measures five rooms, a turn each. Kill it, and start it again: it goes on.

pip install 'agentws[openai-agents]'
python examples/adapters/openai_agents_session.py FOLDER
"""

from __future__ import annotations

import asyncio
import sys
import time

from agents import Agent, Runner, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message

from agentws import Workspace
from agentws.adapters.openai_agents import Session

ROOMS = ("kitchen", "hall", "study", "attic", "cellar")


async def main(folder: str) -> None:
    """Begin the job in the workspace `folder`, or go on with it."""
    workspace = Workspace.init(folder, git=False)  # makes or opens it
    session = Session(workspace, "rooms")
    set_tracing_disabled(True)
    measured = len(await session.get_items()) // 2  # a question and its answer each
    for number, room in enumerate(ROOMS[measured:], measured):
        print(f"step {number + 1}: the {room}", flush=True)
        time.sleep(0.2)  # the work
        model = ScriptedModel([[assistant_message(f"{room}: {10 + number} m²")]])  # your model
        await Runner.run(Agent("surveyor", model=model), f"Measure the {room}.", session=session)
    print("done:", len(await session.get_items()), "items")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
