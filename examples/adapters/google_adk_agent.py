"""An agent of Google's ADK that measures five rooms, an event each. Kill it, and start it again: it goes on.

pip install 'agentws[google-adk]'
python examples/adapters/google_adk_agent.py FOLDER
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from google.adk.agents import BaseAgent
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.runners import Runner
from google.genai import types

from agentws import Workspace
from agentws.adapters.google_adk import MemoryService, SessionService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.adk.agents.invocation_context import InvocationContext

ROOMS = ("kitchen", "hall", "study", "attic", "cellar")
PLACE = {"user_id": "tim", "session_id": "rooms"}


class Surveyor(BaseAgent):
    """Measures the rooms that the session's state does not have."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncIterator[Event]:
        for number in range(ctx.session.state.get("measured", 0), len(ROOMS)):
            print(f"step {number + 1}: the {ROOMS[number]}", flush=True)
            time.sleep(0.2)  # the work
            text = types.Part(text=f"The {ROOMS[number]} has {10 + number} m².")
            yield Event(
                author=self.name,
                invocation_id=ctx.invocation_id,
                content=types.Content(role="model", parts=[text]),
                actions=EventActions(state_delta={"measured": number + 1}),
            )


async def main(folder: str) -> None:
    """Begin the job in the workspace `folder`, or go on with it."""
    workspace = Workspace.init(folder, git=False)  # makes or opens it
    sessions, memories = SessionService(workspace), MemoryService(workspace)
    if await sessions.get_session(app_name="house", **PLACE) is None:
        await sessions.create_session(app_name="house", **PLACE)
    runner = Runner(
        agent=Surveyor(name="surveyor"), app_name="house", session_service=sessions, memory_service=memories
    )
    go_on = types.Content(role="user", parts=[types.Part(text="Measure the rooms.")])
    async for _ in runner.run_async(**PLACE, new_message=go_on):
        pass
    await memories.add_session_to_memory(await sessions.get_session(app_name="house", **PLACE))
    matches = (await memories.search_memory(app_name="house", user_id="tim", query="attic")).memories
    print("done:", matches[0].content.parts[0].text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
