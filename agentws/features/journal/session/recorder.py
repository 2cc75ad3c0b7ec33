"""The recorder of a session for programs: a `with` block that records thoughts, decisions and actions durably."""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.formats.json.plainjson import plain
from agentws.core.stores import record
from agentws.errors import UnknownResultError, UsageError
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
    """Return a session to record in a `with` block: it starts with the block and ends with it, also by an exception.

    `parent` is the id of the session that starts this one, as for a subagent; `audience` is `shared` if others can read
    the session.
    """
    return Session(stores, text, session, parent, audience)


class Session(Result):
    """The recorder of one session, a run of the agent; each event is durable when its call returns.

    `id` is the session's id; `notices` are those of its events. Several threads may use one object.
    """

    def __init__(
        self, stores: Stores, text: str | None, name: str | None, parent: str | None = None, audience: str | None = None
    ) -> None:
        self._stores = stores
        self._text = text
        self._parent = parent
        self._audience = audience
        self._has_ended = False
        self.id = name or bounds.name_of(stores, parent)
        self.notices: list[str] = []

    def __enter__(self) -> Session:
        started = bounds.start_session(
            self._stores, self._text, session=self.id, process=os.getpid(), parent=self._parent, audience=self._audience
        )
        self.notices += started.notices
        self._has_ended = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._has_ended = True
        how = {"outcome": _FAILED if error else _SUCCEEDED}
        self.notices += bounds.end(self._stores, self.id, _words(error) if error else None, how).notices

    def event(self, kind: str, text: str | None = None, **words: Any) -> Recorded:
        """Record an event of this session; `words` are further arguments of `Workspace.event`.

        UsageError after the session's end, except for the result of a call that was in flight then.
        """
        if kind not in event.ENDS:
            self._check_open()
        for name in ("input", "output", "body"):
            if words.get(name) is not None:
                words[name] = plain(words[name])
        happening = record.told(kind, text, **{"session": self.id, **words})
        # What a call has done must be recorded, or it would be done again: forgotten text is only left out of it.
        (done,), notices = record.record(self._stores, [happening], refuses=kind not in event.ENDS)
        self.notices += notices
        return done

    def thought(self, text: str, **words: Any) -> Recorded:
        """Record a thought of the agent."""
        return self.event(event.THOUGHT, text, **words)

    def plan(self, text: str, **words: Any) -> Recorded:
        """Record what the agent plans to do."""
        return self.event(event.PLAN, text, **words)

    def decision(self, text: str, **words: Any) -> Recorded:
        """Record a decision of the agent."""
        return self.event(event.DECISION, text, **words)

    def note(self, text: str, **words: Any) -> Recorded:
        """Record a note of the agent."""
        return self.event(event.NOTE, text, **words)

    def action(self, tool: str, input: Any = None, *, call: str | None = None, **words: Any) -> Call:
        """Return an action for a `with` block: its intent is durable before the block, its result or error after it.

        UnknownResultError, once a session, if an identical call was in flight when a session crashed; the block is
        then not run. TypeError for an input by which another process could not recognise the same call.
        """
        try:
            input = plain(input, refuses=True)
        except TypeError as error:
            raise TypeError(
                f"The input of the action {tool!r} holds a value of type {error}. Another process could not tell "
                "that a call with it is the same one. Pass dicts, lists, sets, texts and numbers, such as its id or "
                "its fields."
            ) from None
        return Call(self, tool, input, call, words)

    def _check_open(self) -> None:
        if self._has_ended:
            raise UsageError(
                f"The session {self.id} has ended: nothing was recorded, and no action was begun.",
                hint="Begin another one: with ws.session() as session",
            )

    def _begin(self, call: str, tool: str, input: Any, words: dict[str, Any]) -> None:
        self._check_open()
        stores = self._stores
        if stores.files.is_missing(layout.FENCE):
            self.event(event.ACTION, tool=tool, input=input, call=call, **words)
            return
        from agentws.core.stores import fence

        def told(kind: str, name: object, **more: Any) -> record.Happening:
            return record.told(kind, **{"session": self.id, "tool": tool, "call": name, **more})

        begun = {**words, "input": input}
        repeated = fence.find(stores, told(event.ACTION, call, **begun).body, session=self.id, heard_by=self._audience)
        if repeated is None:
            self.event(event.ACTION, tool=tool, input=input, call=call, **words)
        elif repeated.is_decided:
            closing = repeated.closing(session=self.id)
            self.notices += record.record(stores, [closing, told(event.ACTION, call, **begun)])[1]
            fence.lift(stores, repeated)
        else:
            says, name = repeated.question(stores), repeated.own_id(call)
            refused = told(event.ERROR, name, text=says, body={event.REFUSED: True})
            asked = [told(event.ACTION, name, **begun), refused]
            self.notices += fence.refuse(stores, repeated, asked, session=self.id)
            what, _, ways = says.partition(" Check first")
            raise UnknownResultError(what, call=repeated.call, hint=f"Check first{ways}")


class Call(Result):
    """The recorder of one action of a session, from its intent to its result; `id` is its call."""

    def __init__(self, session: Session, tool: str, input: Any, call: str | None, words: dict[str, Any]) -> None:
        self.id = call or f"call-{os.urandom(8).hex()}"
        self._session = session
        self.tool = tool
        self._input = input
        self._words = words
        self.is_ended = False

    def __enter__(self) -> Call:
        self._session._begin(self.id, self.tool, self._input, self._words)
        return self

    def result(self, output: Any = None) -> Any:
        """Record that the action is done, with its result; return the same `output`."""
        self.is_ended = True
        try:
            self._session.event(event.RESULT, tool=self.tool, output=output, call=self.id)
        except UsageError as error:
            # The action is done in any case, which must be recorded, or it would be done again.
            self._session.event(event.RESULT, error.message, tool=self.tool, call=self.id)
        return output

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> Literal[False]:
        if error is not None:
            self._session.event(event.ERROR, _words(error), tool=self.tool, call=self.id)
        elif not self.is_ended:
            self.result()
        return False


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
