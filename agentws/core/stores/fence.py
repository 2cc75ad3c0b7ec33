"""The fence: a call without a result is not repeated by a later session before its agent was asked once.

`.agentws/fence.json` (docs/format/local.md) names the calls in flight of sessions that crashed or ended, those that the
user has interrupted, and the sessions that run side by side, whose processes are watched. Without any there is no file,
and this module is not loaded.
"""

from __future__ import annotations

from agentws.core.disk import local_dir, lock
from agentws.core.formats import audience, digest, layout
from agentws.core.formats.journal import event, segment, segment_index, shell_call, thread
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import redaction
from agentws.core.installation import host_info
from agentws.core.journal import read, reference, session_audience
from agentws.core.stores import record
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.stores.record import Happening
    from agentws.core.stores.stores import Stores

    Entry = dict[str, Any]
    State = dict[str, dict[str, Any]]

_CRASHED = "crashed"
_ENDED = "ended"
"""The key of a call that was in flight when its session ended by itself."""
_LOCK, _LOCK_TIMEOUT_S = "fence", 2.0
_MOST_CALLS, _MOST_BYTES = 64, 1 << 20
_NEWEST = 2
"""The segments of another writer in which a result is looked for."""
_REPEATED = "#repeated"
"""The ending of a denied call's id, if the host gives a repeated call the id of the first one."""


class Repeated:
    """A call in flight that is about to be repeated: its id, and when its session began, which crashed or ended.

    `is_interrupted`: the user has interrupted the call, whatever became of its session. `has_ended`: the session ended
    by itself. `is_decided`: this session was asked before, so the repeat is its decision.
    """

    def __init__(self, call: str, entry: Entry, *, is_decided: bool) -> None:
        self.call = call
        self.tool = str(entry["tool"])
        self.session_at = str(entry["session_at"])
        self.is_interrupted = entry.get(segment_index.INTERRUPTED) is True
        self.has_ended = entry.get(_ENDED) is True
        self.is_decided = is_decided

    def question(self, stores: Stores, command: str = "agentws") -> str:
        """Return what the agent reads instead of the call; `command` is how it calls agentws."""
        from datetime import datetime

        from agentws.core.text import sh

        now = stores.clock.now()
        try:
            began = datetime.fromisoformat(self.session_at).astimezone(now.tzinfo)
            when = f"{began:%H:%M}" if began.date() == now.date() else f"{began:%Y-%m-%d %H:%M}"
        except (ValueError, OverflowError):
            when = "an unknown time"
        fate = "ended" if self.has_ended else "crashed"
        became = (
            f"An identical call of the session of {when} was interrupted by the user, and may still run or have run."
            if self.is_interrupted
            else f"An identical call was running when the session of {when} {fate}. Its result is unknown."
        )
        return f"{became} Check first, then run `{command} done --call {sh.join([self.call])}` or repeat the call."

    def closing(self, *, session: str | None, via: str | None = None) -> Happening:
        """Return the event that ends the call in flight, to be recorded in front of the action that repeats it."""
        return record.told(event.RESULT, thread.REPEATED, tool=self.tool, call=self.call, session=session, via=via)

    def own_id(self, call: object) -> object:
        """Return an id for the denied call that is not the one of the call in flight, which would end with it."""
        return f"{call}{_REPEATED}" if call == self.call else call


def find(stores: Stores, body: Body, *, session: str, heard_by: str | None = None) -> Repeated | None:
    """Return the fenced call that an action with this `body` would repeat in a session; None for none.

    The body is that of its event. A call of a session for the main audience is not revealed to a shared one.
    """
    files = stores.files
    state = _read(files)
    others = {name: facts for name, facts in state["watched"].items() if name != session}
    if _fates(others, thread.CRASHED):
        renew(stores)
        state = _read(files)
    if not state["calls"]:
        return None  # other sessions only run beside this one
    wanted, hears_all = key(_as_recorded(stores, body)), stores.audience(heard_by) == audience.MAIN
    for call, entry in reversed(state["calls"].items()):
        if entry.get("key") == wanted and (hears_all or entry.get("shared")):
            if call in _ended(stores, {call: entry}):
                _change(stores, lambda fence_state, over=call: fence_state["calls"].pop(over, None))
                continue
            return Repeated(call, entry, is_decided=session in entry["asked"])
    return None


def refuse(stores: Stores, repeated: Repeated, happenings: Sequence[Happening], *, session: str) -> list[str]:
    """Record durably that the session is asked about its call: the events, then the mark; return notices."""
    notices = record.record(stores, happenings)[1] if happenings else []

    def ask(state: State) -> None:
        entry = state["calls"].get(repeated.call)
        if entry is not None and session not in entry["asked"]:
            entry["asked"].append(session)

    _change(stores, ask)
    return notices


def lift(stores: Stores, repeated: Repeated) -> None:
    """Take a call out of the fence, after the event that ends it was recorded."""
    _change(stores, lambda state: state["calls"].pop(repeated.call, None))


def renew(stores: Stores, *, starting: str = "", facts: Body | None = None, ending: str = "") -> list[str]:
    """Note this installation's calls that sessions left in flight or the user interrupted, and sessions side by side.

    `starting` is a session that is about to start, and `facts` the body of its start; it may have crashed before.
    `ending` is a session that is about to end; a refused call that its host did not report counts as in flight.
    An error is a notice: it must not keep a session from starting or ending.
    """
    try:
        _renew(stores, starting, facts or {}, ending)
    except AgentwsError as error:
        return [f"Calls that were in flight are not held back: {error.message}"]
    return []


def _renew(stores: Stores, starting: str, facts: Body, ending: str) -> None:
    files = stores.files
    if stores.manifest.setting("fence") != _CRASHED:
        if files.exists(layout.FENCE):
            files.remove(layout.FENCE, expects=files.digest(layout.FENCE))
        return
    writer = stores.appender().writer
    outline = reference.outlined(files, writer)
    begun = {name: reference.at(files, writer, ref) for name, ref in outline.begun.items()}
    known = {
        name: thread.process_facts(beginning.body or {}) for name, beginning in begun.items() if beginning is not None
    }
    crashed = _fates(known, thread.CRASHED)
    running = {name: known[name] for name in _fates(known, thread.RUNNING)}
    if starting:
        running[starting] = thread.process_facts(facts)
    running.pop(ending, None)
    calls = _in_flight(stores, crashed, begun, ending) if outline.open else {}

    def take(state: State) -> None:
        before = state["calls"]
        for call in _ended(stores, {call: entry for call, entry in before.items() if call not in calls}):
            del before[call]
        for call, entry in calls.items():
            if call not in before or before[call]["seq"] != entry["seq"]:
                before[call] = entry
        while len(before) > _MOST_CALLS:
            del before[next(iter(before))]
        state["watched"] = running if len(running) > 1 else {}

    _change(stores, take)


def _as_recorded(stores: Stores, body: Body) -> Body:
    """Return a body as the journal would have it, without forgotten text."""
    if stores.files.is_missing(layout.KEPT_OUT):
        return body
    from agentws.core.stores import kept_out  # only where something was forgotten

    kept = kept_out.read(stores)
    return kept_out.without_in_body(kept, body, []) if kept is not None else body


def key(body: Body) -> str:
    """Return a digest of the tool and canonical input in an action's body: equal for calls that do the same.

    Secrets count by their kind alone, since the journal keeps no more of them.
    """
    (given,), _ = redaction.redact([{"input": body.get("input")}], lambda: "")
    tool, value = str(body.get("tool", "")), given["input"]
    act = shell_call.shell_act(tool, value)
    if act is not None and (command := _collapsed(act["command"])):
        tool, value = "", command  # nothing else in the input of a shell counts
    elif isinstance(value, dict) and (command := _collapsed(value.get("command"))):
        value = {**value, "command": command}
    text = plainjson.dumps([tool, _in_order(value), (body.get("cut") or {}).get("input", 0)])
    if "\\u2039redacted:" in text:
        import re

        text = re.sub(r"\\u2039redacted:([^:]*):[^:]*?\\u203a", r"<\1>", text)
    return digest.quick(text.encode())


def _collapsed(command: Any) -> str:
    """Return a command with its white space collapsed, empty without one."""
    words = command if isinstance(command, list) else [command]
    return " ".join(" ".join(words).split()) if all(isinstance(word, str) for word in words) else ""


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, list) else value


def _fates(facts: Mapping[str, Body], fate: str) -> list[str]:
    """Return the sessions with this fate."""
    if not facts:
        return []
    machine = host_info.this_machine({process for body in facts.values() for process in thread.processes(body)})
    return [name for name, body in facts.items() if thread.fate_of(body, machine)[0] == fate]


def _in_flight(
    stores: Stores, crashed: Iterable[str], begun: Mapping[str, Event | None], ending: str
) -> dict[str, Entry]:
    """Return the interrupted calls, and those of the `crashed` and the `ending` sessions; oldest first."""
    from agentws.core.stores import writer_trust

    files, writer = stores.files, stores.appender().writer
    open_calls = reference.open_calls(files, writer_trust.known(stores))
    in_flight: dict[str, Entry] = {}
    for ref in (ref for name, ref in open_calls if name == writer):
        entry = reference.at(files, writer, ref)
        is_interrupted = ref.get(segment_index.INTERRUPTED) is True
        if entry is None or not entry.session or not (is_interrupted or entry.session in (ending, *crashed)):
            continue
        try:
            body = read.body(files, entry)
        except AgentwsError:
            continue  # `journal verify` names what is damaged
        if body is None or shell_call.verb(body):  # agentws's own calls may be repeated
            continue
        start = begun.get(entry.session)
        in_flight[ref["call"]] = {
            "key": key(body),
            "tool": body.get("tool", ""),
            "segment": ref["segment"],
            "seq": entry.seq,
            "session_at": start.at if start is not None else entry.at,
            "shared": session_audience.recorded(files, entry.session) == audience.SHARED,
            "asked": [],
            **({segment_index.INTERRUPTED: True} if is_interrupted else {}),
            **({} if is_interrupted or entry.session in crashed else {_ENDED: True}),
        }
    return in_flight


def _ended(stores: Stores, entries: Mapping[str, Entry]) -> set[str]:
    """Return which of these calls have a recorded result by now."""
    if not entries:
        return set()
    files, mine = stores.files, stores.appender().writer
    first = min(entry["segment"] for entry in entries.values())
    result: set[str] = set()
    for writer in read.writers(files):
        numbers = read.later(files, mine, first - 1) if writer == mine else read.newest(files, writer, _NEWEST)
        for number in numbers:
            for _, line in read.lines(files, writer, number):
                if segment.kind_of(line) not in event.ENDS:
                    continue
                call, _ = segment_index.glance(line)
                if call and call in entries and (writer != mine or segment.seq_of(line) > entries[call]["seq"]):
                    result.add(call)
    return result


def _read(files: Files) -> State:
    try:
        state = plainjson.loads(files.read(layout.FENCE, limit_bytes=_MOST_BYTES))
        if isinstance(state["calls"], dict) and isinstance(state["watched"], dict):
            calls = {call: entry for call, entry in state["calls"].items() if _is_entry(entry)}
            watched = {name: facts for name, facts in state["watched"].items() if isinstance(facts, dict)}
            return {"calls": calls, "watched": watched}
    except (AgentwsError, ValueError, TypeError, KeyError):
        pass  # missing; or not written by agentws, and rebuilt at the next start
    return {"calls": {}, "watched": {}}


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    are_texts = all(isinstance(entry.get(name), str) for name in ("key", "tool", "session_at"))
    are_numbers = all(isinstance(entry.get(name), int) for name in ("segment", "seq"))
    return are_texts and are_numbers and isinstance(entry.get("asked"), list)


def _change(stores: Stores, change: Any) -> None:
    """Change the file durably, under its lock; no file is left without content."""
    files = stores.files
    local_dir.prepare(files)
    with lock.Lock(files, _LOCK, timeout_s=_LOCK_TIMEOUT_S):
        before = files.digest(layout.FENCE)
        state = _read(files)
        change(state)
        if not state["calls"] and not state["watched"]:
            if before != digest.ABSENT:
                files.remove(layout.FENCE, expects=before)
            return
        data = plainjson.dumps(state).encode() + b"\n"
        if before != digest.of(data):
            files.replace(layout.FENCE, data, expects=before)
