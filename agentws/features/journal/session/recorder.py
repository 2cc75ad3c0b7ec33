"""A session for a `with` block of a program: what it thinks, decides and does, each durable when the call returns."""

from __future__ import annotations

import os

from agentws.core.formats.journal import event
from agentws.core.formats.json.plainjson import plain
from agentws.core.stores import record
from agentws.errors import UsageError
from agentws.features.journal.session import bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Literal

    from agentws.core.stores.record import Recorded
    from agentws.core.stores.stores import Stores

_SUCCEEDED, _FAILED = "succeeded", "failed"


def session(
    stores: Stores,
    text: str | None = None,
    *,
    session: str | None = None,
    parent: str | None = None,
    audience: str | None = None,
) -> Session:
    """A session for a `with` block: started when it begins, ended when it is left, also by an exception.

    `parent` is the id of the session that begins this one, as a subagent's; `audience` is `shared` where others hear
    what it says.
    """
    return Session(stores, text, session, parent, audience)


class Session:
    """A run of the agent: what it thinks, decides and does, each durable when the call returns.

    `id` names it; `notices` is what was odd on the way. Several threads may use one object.
    """

    def __init__(
        self, stores: Stores, text: str | None, name: str | None, parent: str | None = None, audience: str | None = None
    ) -> None:
        self._stores = stores
        self._text = text
        self._parent = parent
        self._audience = audience
        self.id = name or bounds.name_of(stores, parent)
        self.notices: list[str] = []

    def __enter__(self) -> Session:
        started = bounds.start_session(
            self._stores, self._text, session=self.id, process=os.getpid(), parent=self._parent, audience=self._audience
        )
        self.notices += started.notices
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        how = {"outcome": _FAILED if error else _SUCCEEDED}
        self.notices += bounds.end(self._stores, self.id, _words(error) if error else None, how).notices

    def event(self, kind: str, text: str | None = None, **words: Any) -> Recorded:
        """Record an event of this session; `words` as `Workspace.event` takes them."""
        for name in ("input", "output", "body"):
            if words.get(name) is not None:
                words[name] = plain(words[name])
        (done,), notices = record.record(self._stores, [record.told(kind, text, **{"session": self.id, **words})])
        self.notices += notices
        return done

    def thought(self, text: str, **words: Any) -> Recorded:
        """Record what the agent considered."""
        return self.event(event.THOUGHT, text, **words)

    def plan(self, text: str, **words: Any) -> Recorded:
        """Record what the agent is going to do."""
        return self.event(event.PLAN, text, **words)

    def decision(self, text: str, **words: Any) -> Recorded:
        """Record what the agent decided."""
        return self.event(event.DECISION, text, **words)

    def note(self, text: str, **words: Any) -> Recorded:
        """Record anything else."""
        return self.event(event.NOTE, text, **words)

    def action(self, tool: str, input: Any = None, *, call: str | None = None, **words: Any) -> Call:
        """An action for a `with` block: its intent is durable before the block begins, its result or error after."""
        return Call(self, tool, input, call, words)


class Call:
    """An action of a session, from its intent to its result."""

    def __init__(self, session: Session, tool: str, input: Any, call: str | None, words: dict[str, Any]) -> None:
        self._session = session
        self._tool = tool
        self._input = input
        self._words = words
        self._ended = False
        self.id = call or f"call-{os.urandom(8).hex()}"

    def __enter__(self) -> Call:
        self._session.event(event.ACTION, tool=self._tool, input=self._input, call=self.id, **self._words)
        return self

    def result(self, output: Any = None) -> Any:
        """Record that the action is done and what it gave; returns the same `output`."""
        self._ended = True
        try:
            self._session.event(event.RESULT, tool=self._tool, output=output, call=self.id)
        except UsageError as error:
            # It is done all the same: that must be on record, or it would be done again.
            self._session.event(event.RESULT, error.message, tool=self._tool, call=self.id)
        return output

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> Literal[False]:
        if error is not None:
            self._session.event(event.ERROR, _words(error), tool=self._tool, call=self.id)
        elif not self._ended:
            self.result()
        return False


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
