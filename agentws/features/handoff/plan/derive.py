"""Derives handoff sections from journal events, for a session without a handoff or after one. Pure.

The rules: docs/guides/handoffs.md. The same events give the same words, and no sentence is interpreted.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.documents import handoff
from agentws.core.formats.journal import event, thread
from agentws.core.journal.events import describe, replay
from agentws.core.journal.events.activity import when
from agentws.core.text import origin
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from agentws.core.formats.documents.handoff import Sections
    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.describe import Cut

    Lists = dict[str, list[str]]
    Derived = tuple[Sections, int]
    """Sections that nobody wrote, and how many secrets were hidden in them."""

ASKED, PLAN = "Asked", "Plan"
"""What lines of `Doing` begin with: a request of the user, and the newest plan."""
_SUBSTANCE_WIDTH = 30
"""A later request without a call of a tool behind it needs so many columns: "thanks, great" has fewer."""
_MOST_NOTES, _MOST_DECISIONS, _MOST_FAILED, _MOST_FILES = 40, 40, 20, 30
_MOST_LINE, _MOST_PATH = 360, 160
_WRITING = frozenset(
    ("write", "edit", "multiedit", "create", "patch", "replace", "insert", "append", "save", "update", "move", "rename",
     "delete", "remove")
)  # fmt: skip
_READING = ("view", "read", "list")
"""Values of `command` with which a tool that may write only reads."""
_WORD = Pattern(r"[A-Z]?[a-z]+")
_PATCHED = Pattern(r"^\*\*\* (?:Add|Update|Delete) File: (\S.*)$", "MULTILINE")
_PATCH = "*** Begin Patch"
_MOST_PATCH = 8192


class Facts(Record):
    """The input of a derived handoff: the `events` of a session, oldest first, and its actions without a result.

    `open` are these actions, newest first; `interrupted` the places of those that the user has interrupted, and
    `unreported` those whose result no host will report.
    """

    events: Sequence[Event]
    open: Sequence[Event] = ()
    interrupted: Collection[str] = ()
    unreported: Sequence[Event] = ()


def derive(facts: Facts, moment: datetime, *, in_flight: str = "") -> Derived:
    """Return the sections of a derived handoff as of `moment`; `in_flight` replaces the actions in flight if given."""

    def lists(cut: Cut) -> Lists:
        state = replay.replay(facts.events)
        plans = [f"{PLAN} ({when(state.plan, moment)}): {_text(state.plan, cut)}"] if state.plan else []
        return {
            handoff.DOING: [
                *_title(facts.events, moment, cut),
                *_requests(facts.events, moment, cut),
                *plans,
                *_calls(facts.events, moment, cut),
            ],
            handoff.DECISIONS: _decisions(facts.events, moment, cut),
            handoff.NOTES: _first(_notes(facts.events, moment, cut), _MOST_NOTES),
            **_unfinished(facts, moment, cut, in_flight),
            handoff.FILES: _first([cut(path, _MOST_PATH) for path in written_files(facts.events)], _MOST_FILES),
        }

    return _derived(lists)


def since(facts: Facts, moment: datetime, *, in_flight: str = "") -> Derived:
    """Derive the one section about the time after a session's own handoff, empty if nothing happened.

    What was asked and decided, how many calls there were, and which of them failed or have no result.
    """

    def lists(cut: Cut) -> Lists:
        unfinished = _unfinished(facts, moment, cut, in_flight)
        messages = [*_requests(facts.events, moment, cut, first=False), *_decisions(facts.events, moment, cut)]
        calls = _calls(facts.events, moment, cut)
        return {handoff.SINCE: [*messages, *calls, *unfinished[handoff.FAILED], *unfinished[handoff.IN_FLIGHT]]}

    return _derived(lists)


def _derived(lists: Callable[[Cut], Lists]) -> Derived:
    """The sections that `lists` makes with a cutter that hides secrets."""
    texts: Sections = {}

    def tell(cut: Cut) -> list[str]:
        texts.clear()
        texts.update({heading: handoff.listed(lines) for heading, lines in lists(cut).items()})
        return []

    _, hidden = describe.lines(tell)
    return handoff.merged(texts), hidden


def _title(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return what the session said at its start that it is about; nothing if it did not, as the hooks of hosts."""
    started = (entry for entry in events if entry.kind == event.STARTED and not entry.src.startswith(thread.HOSTED))
    titled = [entry for entry in started if _words(entry).strip()]
    return [f"{cut(_words(entry), _MOST_LINE)} (since {when(entry, moment)})" for entry in titled[:1]]


def _is_asked(entry: Event) -> bool:
    return entry.kind == event.NOTE and entry.src == event.USER


def _requests(events: Sequence[Event], moment: datetime, cut: Cut, *, first: bool = True) -> list[str]:
    """Return the last request followed by a tool call, and a later one that is long enough; also the `first` one."""
    asked = [entry for entry in events if _is_asked(entry) and _words(entry).strip()]
    newest = max((entry.seq for entry in _worked(events)), default=0)
    worked = [entry for entry in asked if entry.seq < newest][-1:]
    later = [entry for entry in asked if not worked or entry.seq > worked[0].seq]
    long = [entry for entry in later if _width(_words(entry)) >= _SUBSTANCE_WIDTH][-1:]
    chosen = {item.seq: item for item in (*(asked[:1] if first else ()), *worked, *long)}
    return [f"{ASKED}, {when(item, moment)}: {cut(_words(item), _MOST_LINE)}" for item in chosen.values()]


def _worked(events: Sequence[Event]) -> list[Event]:
    """The calls of tools, without those of agentws."""
    from agentws.core.formats.journal import shell_call

    return [entry for entry in events if entry.kind == event.ACTION and not shell_call.verb(entry.body)]


def _calls(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return one line with the number of tool calls that were not refused, and the last of them that ended."""
    ends = {entry.call: entry for entry in events if entry.kind in event.ENDS and entry.call}
    calls = [call for call in _worked(events) if call.call not in ends or not thread.is_refused(ends[call.call])]
    if not calls:
        return []
    count = f"{len(calls)} tool call{'s' * (len(calls) > 1)} until {when(calls[-1], moment)}"
    ended = [(call, ends[call.call]) for call in calls if call.call in ends]
    last = [describe.line(call, cut, ended_by=end).removeprefix("[error] ") for call, end in ended[-1:]]
    return [", last: ".join((count, *last))]


def _width(text: str) -> int:
    """How many columns a text takes; a character of Chinese, Japanese or Korean takes two."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(char) in "FW" else 1 for char in text[:_SUBSTANCE_WIDTH])


def _decisions(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """The decisions, the newest first."""
    decisions = replay.replay(events).decisions
    return _first(
        [f"{_text(decision, cut)} ({when(decision, moment)})" for decision in reversed(decisions)], _MOST_DECISIONS
    )


def _notes(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return the agent's own notes, newest first."""
    own = [
        entry
        for entry in events
        if entry.kind == event.NOTE and not _is_asked(entry) and not origin.is_outside(entry.src)
    ]
    return [
        f"{cut(_words(entry), _MOST_LINE)} ({when(entry, moment)})" for entry in reversed(own) if _words(entry).strip()
    ]


def _unfinished(facts: Facts, moment: datetime, cut: Cut, in_flight: str) -> Lists:
    """Return what failed, was refused or interrupted, and the actions without a result, newest first each."""
    ends = {entry.call or "": entry for entry in facts.events if entry.kind in event.ENDS}
    over = {call for _, call in thread.unreported(facts.events)} | {entry.call for entry in facts.unreported}
    over -= {entry.call for entry in facts.open if entry.cursor in facts.interrupted}
    actions = [entry for entry in facts.events if entry.kind == event.ACTION]
    errors = {error.seq: error for error in replay.replay(facts.events).errors}
    by_call = {action.call: action for action in actions if action.call}
    failed: dict[int, str] = {}
    for error in errors.values():
        begun = by_call.get(error.call) if error.call else None
        words = describe.line(begun or error, cut, ended_by=error if begun else None).removeprefix("[error] ")
        failed[error.seq] = f"{when(error, moment)}: {'refused: ' if thread.is_refused(error) else ''}{words}"
    for error in actions:
        end = ends.get(error.call or "")
        if end is None and error.call in over:
            failed[error.seq] = f"{when(error, moment)}: {describe.action(error, cut)} → {thread.UNREPORTED}"
    unknown = [entry for entry in facts.open if entry.call not in over]
    lines = [
        f"{when(entry, moment)} {describe.action(entry, cut)} · call {cut(entry.call or '', 144)}"
        f"{f' · {thread.MAY_RUN}' if entry.cursor in facts.interrupted else ''}"
        for entry in unknown
    ]
    return {
        handoff.FAILED: _first([failed[seq] for seq in sorted(failed, reverse=True)], _MOST_FAILED),
        handoff.IN_FLIGHT: [in_flight] if in_flight and lines else lines,
    }


def _first(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"{len(lines) - most} more"]


def _words(entry: Event) -> str:
    body = entry.body or {}
    return next((text for key in ("text", "output") if isinstance(text := body.get(key), str)), "")[:2000]


def _text(entry: Event, cut: Cut) -> str:
    return describe.line(entry, cut).removeprefix(f"[{entry.kind}] ")


def written_files(events: Sequence[Event]) -> list[str]:
    """Return the paths for a derived handoff that calls among these events wrote successfully, newest first.

    A tool writes if a word of its name says so (`Write`, `apply_patch`) and its input does not only view files.
    """
    results = (entry for entry in events if entry.call and entry.kind == event.RESULT)
    went_well = {entry.call for entry in results if not (thread.is_refused(entry) or thread.is_unknown(entry))}
    actions = [entry for entry in events if entry.kind == event.ACTION and entry.call in went_well]
    return list(dict.fromkeys(path for action in reversed(actions) for path in _paths(action)))


def _paths(action: Event) -> Iterator[str]:
    body = action.body or {}
    tool, given = body.get("tool"), body.get("input")
    yield from _patched(given)
    words = {word.lower() for word in _WORD.findall(tool)} if isinstance(tool, str) else set()
    if not _WRITING.isdisjoint(words) and not (isinstance(given, dict) and given.get("command") in _READING):
        yield from replay.named_files(given)


def _patched(given: object) -> Iterator[str]:
    """The paths in the text of a patch, which may stand in a list of words or as the only text of an input."""
    texts = list(given.values()) if isinstance(given, dict) else [given]
    texts += [word for text in texts if isinstance(text, list) for word in text]
    for text in texts:
        if isinstance(text, str) and _PATCH in text:
            yield from _PATCHED.findall(text[:_MOST_PATCH])
