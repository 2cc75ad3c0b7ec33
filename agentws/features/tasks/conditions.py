"""The conditions that a task can wait for: named by `task wait`, and checked by `task due`.

Commands and URLs are in the user's own settings: a workspace only names them.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.notes import transitions
from agentws.errors import AgentwsError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.plan.request_state import Fact

_FACTS = ("process", "started", "boot", "host", "namespace")
_WAITING = transitions.KINDS[transitions.WAIT]
_NUMBERS = ("process", "started", "namespace")


def asked(
    stores: Stores,
    names: tuple[str | None, str | None, str | None, str | None],
    *,
    process: int | None = None,
    writer: str | None = None,
) -> dict[str, str]:
    """Return the condition of `task wait`: at most one of (approval, command, url, event), or a process; else none.

    UsageError or MissingFileError if what it names does not exist.
    """
    approval_id, command, url, kind = names
    if approval_id is not None:
        return _approval_of(stores, approval_id)
    named = task.COMMAND if command is not None else task.URL
    name = url if command is None else command
    if name is not None:
        from agentws.features.approvals import named_waits

        named_waits.get(stores.environment.config, named, name)  # UsageError if the user's settings do not name it
        return {named: name}
    if kind is not None:
        return _event_of(stores, kind, writer)
    return _process_of(process) if process is not None else {}


def _approval_of(stores: Stores, id: str) -> dict[str, str]:
    """Return the condition that a person has answered this request; MissingFileError, UsageError if several fit."""
    wanted = id.strip().lower()
    names = [name.removesuffix(".md") for name in stores.files.listing(layout.APPROVALS) if name.endswith(".md")]
    fits = [name for name in names if name == wanted] or [name for name in names if wanted and name.startswith(wanted)]
    if len(fits) > 1:
        raise UsageError(f"{id!r} fits {len(fits)} requests.", hint=f"Give more of it: {', '.join(fits[:5])}")
    if not fits:
        raise MissingFileError(f"No request {id!r} found.", hint="To list them: agentws ask list")
    return {task.APPROVAL: fits[0]}


def _process_of(pid: int) -> dict[str, str]:
    """Return the condition that a process of this machine ends; UsageError if it is missing."""
    from agentws.core.installation import host_info

    started = host_info.process(pid)["started"] if pid > 0 else None
    if host_info.lives(pid, started if isinstance(started, int) else None) is False or pid <= 0:
        raise UsageError(f"No process {pid} is running.", hint="Give the id of a running process.")
    facts = {
        "process": pid,
        "started": started,
        "boot": host_info.boot_id(),
        "host": host_info.name(),
        "namespace": host_info.namespace(),
    }
    return {key: str(value) for key, value in facts.items() if value is not None}


def _event_of(stores: Stores, kind: str, writer: str | None) -> dict[str, str]:
    """Return the condition that an event of this kind is recorded from now on, by the named writer or by any."""
    from agentws.core.journal import read

    result = {task.EVENT: kind}
    if writer is not None:
        result["writer"] = read.writer_of(stores.files, writer)
    ends = {name: read.last_seq(stores.files, name) for name in read.writers(stores.files)}
    result["after"] = ",".join(f"{name}:{seq}" for name, seq in sorted(ends.items()))
    result["since"] = stores.now_text()
    return result


class Conditions:
    """The conditions of waiting tasks as they are now, each checked once; `notices` says which could not be checked."""

    def __init__(self, stores: Stores) -> None:
        self.notices: list[str] = []
        self._stores = stores
        self._known: dict[tuple[tuple[str, str], ...], bool] = {}
        self._approvals: dict[str, list[Fact]] | None = None

    def holds(self, condition: Mapping[str, str]) -> bool:
        """Return whether the condition is met; False, with a notice, if that cannot be checked."""
        key = tuple(condition.items())
        if key not in self._known:
            try:
                self._known[key] = self._looked(condition)
            except AgentwsError as error:
                self.notices.append(f"{' '.join(key[0])}: {error.message}")
                self._known[key] = False
        return self._known[key]

    def _looked(self, condition: Mapping[str, str]) -> bool:
        kind, name = next(iter(condition.items()))
        if kind == task.APPROVAL:
            return self._is_answered(name)
        if kind == task.PROCESS:
            return self._is_over(condition)
        if kind == task.EVENT:
            return self._has_happened(condition)
        from agentws.core.text import sanitize
        from agentws.features.approvals import named_waits

        wait = named_waits.get(self._stores.environment.config, kind, name)
        holds, message = wait.look()
        if message:
            self.notices.append(f"{kind} {name}: {sanitize.one_line(message)}")
        return holds

    def _is_answered(self, id: str) -> bool:
        """Return whether a person has answered, or the request has expired; the answer's worth is checked at its use.

        If the file is gone, or says that somebody answered, the journal is read.
        """
        from agentws.core.formats.documents import approval
        from agentws.features.approvals import approval_events
        from agentws.features.approvals.approval import latest
        from agentws.features.approvals.plan import request_state

        path = approval.path_of(id)
        try:
            data = self._stores.whole.files.read(path)  # its existence does not depend on the audience
        except MissingFileError:
            request = None
        else:
            request = approval.decode(data, id=id)
            if request_state.is_past(request.text("expires"), latest(self._stores)):
                return True
            if request.text("status") == approval.PENDING:
                return False
        if self._approvals is None:
            self._approvals = approval_events.by_id(self._stores, self.notices)
        events = self._approvals.get(id, [])
        asked = next((fact for fact in events if fact.kind == request_state.ASKED), None)
        ends = (request_state.DECIDED, request_state.CONSUMED, request_state.LAPSED)
        if request is None and asked is None:
            self.notices.append(f"{path} is missing, and the journal knows no such request. Its task wakes.")
        if asked is None or any(fact.kind in ends for fact in events):
            return True
        if request is None:
            if request_state.is_past(asked.text("expires"), latest(self._stores)):
                return True
            self.notices.append(f"{path} is missing. The request can be answered: agentws ask show {id}")
        return False

    def _is_over(self, condition: Mapping[str, str]) -> bool:
        from agentws.core.formats.journal import thread
        from agentws.core.installation import host_info

        facts: dict[str, object] = {
            key: int(value) if key in _NUMBERS and value.isdigit() else value
            for key, value in condition.items()
            if key in _FACTS
        }
        pid, started = facts.get("process"), facts.get("started")
        if not isinstance(pid, int):
            return False
        began = started if isinstance(started, int) else None
        fate, why = thread.fate_of(facts, host_info.this_machine([(pid, began)]))
        if fate == thread.UNKNOWN:
            self.notices.append(f"process {pid}: {why.replace('the session', 'it')}")
        return fate == thread.CRASHED

    def _has_happened(self, condition: Mapping[str, str]) -> bool:
        from agentws.core.journal import read, retractions, select
        from agentws.core.stores import writer_trust

        files, places = self._stores.files, condition.get("after", "")
        after = read.position(files, places) if places else {}
        reader = select.Reader(files, select.Wanted(kinds=[condition[task.EVENT]]), quotes=True)
        named = condition.get("writer")
        known = writer_trust.known(self._stores)
        events: list[Event] = []
        for writer in known:
            if named in (None, writer):
                later = (event for event in reader.behind(writer, after.get(writer, 0)) if not event.wrong)
                # For a writer that was not known here then, only its clock shows what came later.
                since = "" if writer in after else condition.get("since", "")
                events += (event for event in later if event.at >= since and event.kind != _WAITING)
        if not events:
            return False
        gone = retractions.of(files, self._stores.cache, known)
        return any(not gone.by(event) for event in events)
