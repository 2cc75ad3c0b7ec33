"""session: one run of the agent, as its events say it; for a library's caller also the place to record them."""

from __future__ import annotations

import os

from agentws.errors import NeedsYouError
from agentws.formats import event as _event
from agentws.formats.plainvalue import plain
from agentws.storage import machine, recording, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any, Literal

    from agentws.storage.recording import Recorded
    from agentws.storage.stores import Stores

_SUCCEEDED, _FAILED = "succeeded", "failed"


class Started:
    """A session that began: its `session` id and its event."""

    __slots__ = ("event", "notices", "session")

    def __init__(self, session: str, event: Recorded, notices: list[str]) -> None:
        self.session = session
        self.event = event
        self.notices = notices


def start_session(
    stores: Stores, text: str | None = None, *, session: str | None = None, process: int | None = None
) -> Started:
    """Begin a session; events that name none belong to the newest that runs.

    `session` is its id, else one is made; `process` is the id of the process whose end would be its end.
    """
    name = session or stores.environment.session or _name(stores)
    body = {"host": machine.name(), "boot": machine.boot_id(), **(machine.process(process) if process else {})}
    told = recording.told(_event.STARTED, text, session=name, body=body)
    (done,), notices = recording.record(stores, [told])
    return Started(name, done, [*stores.notices, *notices])


def end_session(stores: Stores, text: str | None = None, *, session: str | None = None) -> Started:
    """End the session, by its id, else that of the environment, else the newest that runs, and seal the journal.

    NeedsYouError where it does not run. A seal that cannot be made is a notice.
    """
    running = stores.journal().sessions()
    name = session or stores.environment.session or (running[-1] if running else None)
    if name not in running:
        named = f"Session {name} does not run" if name else "No session runs"
        raise NeedsYouError(f"{named} here.", hint=f"Running: {', '.join(running) or 'none'}.")
    return _end(stores, name, text, {})


def session(stores: Stores, text: str | None = None, *, session: str | None = None) -> Session:
    """A session for a `with` block: started when it begins, ended when it is left, also by an exception."""
    return Session(stores, text, session)


def _end(stores: Stores, name: str, text: str | None, body: Mapping[str, Any]) -> Started:
    (done,), notices = recording.record(stores, [recording.told(_event.ENDED, text, session=name, body=body)])
    notices += seals.quietly(stores)
    return Started(name, done, [*stores.notices, *notices])


def _name(stores: Stores) -> str:
    """A name that says when: `20261120-0715-3fa9c1`."""
    here = stores.here()
    return f"{here.day.replace('-', '')}-{here.time.replace(':', '')}-{os.urandom(3).hex()}"


class Session:
    """A run of the agent: what it thinks, decides and does, each durable when the call returns.

    `id` names it; `notices` is what was odd on the way.
    """

    def __init__(self, stores: Stores, text: str | None, name: str | None) -> None:
        self._stores = stores
        self._text = text
        self.id = name or stores.environment.session or _name(stores)
        self.notices: list[str] = []

    def __enter__(self) -> Session:
        started = start_session(self._stores, self._text, session=self.id, process=os.getpid())
        self.notices += started.notices
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        how = {"outcome": _FAILED if error else _SUCCEEDED}
        self.notices += _end(self._stores, self.id, _words(error) if error else None, how).notices

    def event(self, kind: str, text: str | None = None, **words: Any) -> Recorded:
        """Record an event of this session; `words` as `Workspace.event` takes them."""
        for name in ("input", "output", "body"):
            if words.get(name) is not None:
                words[name] = plain(words[name])
        (done,), notices = recording.record(self._stores, [recording.told(kind, text, **{"session": self.id, **words})])
        self.notices += notices
        return done

    def thought(self, text: str, **words: Any) -> Recorded:
        """Record what the agent considered."""
        return self.event(_event.THOUGHT, text, **words)

    def plan(self, text: str, **words: Any) -> Recorded:
        """Record what the agent is going to do."""
        return self.event(_event.PLAN, text, **words)

    def decision(self, text: str, **words: Any) -> Recorded:
        """Record what the agent decided."""
        return self.event(_event.DECISION, text, **words)

    def note(self, text: str, **words: Any) -> Recorded:
        """Record anything else."""
        return self.event(_event.NOTE, text, **words)

    def action(self, tool: str, input: Any = None, *, call: str | None = None, **words: Any) -> Call:
        """An action for a `with` block: its intent is durable before the block begins, its result or error after."""
        return Call(self, tool, input, call, words)


class Call:
    """One action of a session, from its intent to its result."""

    def __init__(self, session: Session, tool: str, input: Any, call: str | None, words: dict[str, Any]) -> None:
        self._session = session
        self._tool = tool
        self._input = input
        self._words = words
        self._ended = False
        self.id = call or f"call-{os.urandom(8).hex()}"

    def __enter__(self) -> Call:
        self._session.event(_event.ACTION, tool=self._tool, input=self._input, call=self.id, **self._words)
        return self

    def result(self, output: Any = None) -> Any:
        """Record that the action is done and what it gave; returns the same `output`."""
        self._ended = True
        self._session.event(_event.RESULT, tool=self._tool, output=output, call=self.id)
        return output

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> Literal[False]:
        if error is not None:
            self._session.event(_event.ERROR, _words(error), tool=self._tool, call=self.id)
        elif not self._ended:
            self.result()
        return False


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
