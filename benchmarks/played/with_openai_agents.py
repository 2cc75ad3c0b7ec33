"""The job with OpenAI Agents: a model and its tool, with a session in SQLite."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import job
from agents import Agent, Model, ModelResponse, Runner, SQLiteSession, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


@function_tool
def act(number: int) -> str:
    """Do an action."""
    return job.act(number)


class Played(Model):
    """A model that calls for the next action, by the results in its input."""

    async def get_response(self, *_: Any, **told: Any) -> ModelResponse:
        """Answer with a call, or with the end."""
        items = told["input"] if isinstance(told["input"], list) else []
        number = job.next_action([str(one.get("output")) for one in items])
        if number is None:
            said = ResponseOutputText(type="output_text", text="Done.", annotations=[])
            words = {"id": "end", "type": "message", "role": "assistant", "status": "completed", "content": [said]}
            return ModelResponse(output=[ResponseOutputMessage(**words)], usage=Usage(), response_id=None)
        told = json.dumps({"number": number})
        call = ResponseFunctionToolCall(type="function_call", call_id=f"call-{number}", name="act", arguments=told)
        return ModelResponse(output=[call], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not asked for."""
        raise NotImplementedError


async def main() -> None:
    """Run the agent with the session that is there."""
    set_tracing_disabled(True)
    session = SQLiteSession("job", "session.sqlite")
    agent = Agent(name="Played", model=Played(), tools=[act])
    job.begin()
    await Runner.run(agent, "Go on with the job.", session=session, max_turns=100)


asyncio.run(main())
