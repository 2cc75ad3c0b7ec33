"""Five turns with Claude. Killed and run again, on any machine that has the workspace, it goes on where it was.

Needs `pip install 'agentws[claude-agent-sdk]'` and ANTHROPIC_API_KEY. python examples/adapters/claude_turns.py FOLDER
"""

from __future__ import annotations

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, project_key_for_directory, query

from agentws.adapters.claude_agent_sdk import SessionStore
from agentws.workspace import Workspace

TURNS = 5


async def main(folder: str) -> None:
    """Ask what is missing of five questions, each in the same conversation."""
    workspace = Workspace.init(folder, git=False)  # makes or opens it
    store = SessionStore(workspace)
    project = project_key_for_directory(folder)
    session = next((row["session_id"] for row in await store.list_sessions(project)), None)
    entries = await store.load({"project_key": project, "session_id": session}) if session else None
    done = sum(is_answer(entry) for entry in entries or ())
    for number in range(done + 1, TURNS + 1):
        options = ClaudeAgentOptions(cwd=folder, session_store=store, resume=session)
        async for message in query(prompt=f"Name heron {number}.", options=options):
            if isinstance(message, ResultMessage):
                session = message.session_id
        print(f"step {number}", flush=True)


def is_answer(entry: object) -> bool:
    """Return whether an entry of the transcript ends a turn."""
    return isinstance(entry, dict) and entry.get("type") == "assistant"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
