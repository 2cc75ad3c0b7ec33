"""The user's own program is told of a new request: `ask.notify` in their settings."""

from __future__ import annotations

from agentws.core.disk.system import summarizer, user_settings
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval

_TIMEOUT_S = 10.0
_MOST_BYTES = 1 << 16


def send(stores: Stores, asked: Approval) -> list[str]:
    """Give the program the request as JSON on its standard input; what goes wrong is a notice, and no more."""
    try:
        line = user_settings.read(stores.environment.config).notify
    except AgentwsError as error:
        return [error.message]
    if not line:
        return []
    told = {
        "agent": stores.manifest.name or stores.manifest.agent_id,
        "workspace": stores.root,
        "id": asked.id,
        "question": asked.question,
        "risk": asked.risk,
        "action": asked.action,
        "task": asked.task or None,
        "expires": asked.expires or None,
        "answer": f"agentws ask show {asked.id}",
    }
    program = summarizer.Command(line, timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
    failure = program.summarize(plainjson.dumps(told) + "\n").failure
    if failure in ("", summarizer.SILENT):
        return []
    return [f"{user_settings.NOTIFY}: nobody was notified: {failure}."]
