"""Derives handoff sections from journal events, for a session without a handoff or after one. Pure.

The rules: docs/guides/handoffs.md. The same events give the same words, and no sentence is interpreted.
"""

from __future__ import annotations

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


class Facts:
    """The input of a derived handoff: the `events` of a session, oldest first, and its actions without a result.

    `open` are these actions, newest first; `interrupted` the places of those that the user has interrupted, and
    `unreported` those whose result no host will report.
    """

    __slots__ = ("events", "interrupted", "open", "unreported")

    def __init__(
        self, events: Sequence[Event], *, open: Sequence[Event] = (), interrupted: Collection[str] = ()
    ) -> None:
        self.events = events
        self.open = open
        self.interrupted = interrupted
        self.unreported: Sequence[Event] = ()


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
        said = [*_requests(facts.events, moment, cut, first=False), *_decisions(facts.events, moment, cut)]
        calls = _calls(facts.events, moment, cut)
        return {handoff.SINCE: [*said, *calls, *unfinished[handoff.FAILED], *unfinished[handoff.IN_FLIGHT]]}

    return _derived(lists)


def _derived(lists: Callable[[Cut], Lists]) -> Derived:
    """The sections that `lists` makes with a cutter that hides secrets."""
    found: Sections = {}

    def tell(cut: Cut) -> list[str]:
        found.clear()
        found.update({heading: handoff.listed(lines) for heading, lines in lists(cut).items()})
        return []

    _, hidden = describe.lines(tell)
    return handoff.merged(found), hidden


def _title(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return what the session said at its start that it is about; nothing if it did not, as the hooks of hosts."""
    started = (one for one in events if one.kind == event.STARTED and not one.src.startswith(thread.HOSTED))
    titled = [one for one in started if _words(one).strip()]
    return [f"{cut(_words(one), _MOST_LINE)} (since {when(one, moment)})" for one in titled[:1]]


def _is_asked(one: Event) -> bool:
    return one.kind == event.NOTE and one.src == event.USER


def _requests(events: Sequence[Event], moment: datetime, cut: Cut, *, first: bool = True) -> list[str]:
    """Return the last request followed by a tool call, and a later one that is long enough; also the `first` one."""
    asked = [one for one in events if _is_asked(one) and _words(one).strip()]
    newest = max((one.seq for one in _worked(events)), default=0)
    worked = [one for one in asked if one.seq < newest][-1:]
    later = [one for one in asked if not worked or one.seq > worked[0].seq]
    long = [one for one in later if _width(_words(one)) >= _SUBSTANCE_WIDTH][-1:]
    chosen = {one.seq: one for one in (*(asked[:1] if first else ()), *worked, *long)}
    return [f"{ASKED}, {when(one, moment)}: {cut(_words(one), _MOST_LINE)}" for one in chosen.values()]


def _worked(events: Sequence[Event]) -> list[Event]:
    """The calls of tools, without those of agentws."""
    from agentws.core.formats.journal import own_calls

    return [one for one in events if one.kind == event.ACTION and not own_calls.verb(one.body)]


def _calls(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return one line with the number of tool calls, and the last one with a result."""
    calls = _worked(events)
    results = {one.call: one for one in events if one.kind == event.RESULT and one.call}
    if not calls:
        return []
    count = f"{len(calls)} call{'s' * (len(calls) > 1)} of tools until {when(calls[-1], moment)}"
    ended = [(one, results[one.call]) for one in calls if one.call in results]
    last = [describe.line(one, cut, ended_by=result) for one, result in ended[-1:]]
    return [", last: ".join((count, *last))]


def _width(text: str) -> int:
    """How many columns a text takes; a character of Chinese, Japanese or Korean takes two."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(char) in "FW" else 1 for char in text[:_SUBSTANCE_WIDTH])


def _decisions(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """The decisions, the newest first."""
    decisions = replay.replay(events).decisions
    return _first([f"{_text(one, cut)} ({when(one, moment)})" for one in reversed(decisions)], _MOST_DECISIONS)


def _notes(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """Return the agent's own notes, newest first."""
    own = [one for one in events if one.kind == event.NOTE and not _is_asked(one) and not origin.is_outside(one.src)]
    return [f"{cut(_words(one), _MOST_LINE)} ({when(one, moment)})" for one in reversed(own) if _words(one).strip()]


def _unfinished(facts: Facts, moment: datetime, cut: Cut, in_flight: str) -> Lists:
    """Return what failed, was refused or interrupted, and the actions without a result, newest first each."""
    ends = {one.call or "": one for one in facts.events if one.kind in event.ENDS}
    over = {call for _, call in thread.unreported(facts.events)} | {one.call for one in facts.unreported}
    over -= {one.call for one in facts.open if one.cursor in facts.interrupted}
    actions = [one for one in facts.events if one.kind == event.ACTION]
    errors = {one.seq: one for one in replay.replay(facts.events).errors}
    by_call = {one.call: one for one in actions if one.call}
    failed: dict[int, str] = {}
    for one in errors.values():
        begun = by_call.get(one.call) if one.call else None
        words = describe.line(begun or one, cut, ended_by=one if begun else None).removeprefix("[error] ")
        failed[one.seq] = f"{when(one, moment)}: {'refused: ' if thread.is_refused(one) else ''}{words}"
    for one in actions:
        end = ends.get(one.call or "")
        if end is not None and thread.is_unmarked(end):
            failed[one.seq] = f"{when(one, moment)}: {describe.line(one, cut, ended_by=end)}"
        elif end is None and one.call in over:
            failed[one.seq] = f"{when(one, moment)}: {describe.action(one, cut)} → {thread.UNREPORTED}"
    unknown = [one for one in facts.open if one.call not in over]
    lines = [
        f"{when(one, moment)} {describe.action(one, cut)} · call {cut(one.call or '', 144)}"
        f"{f' · {thread.MAY_RUN}' if one.cursor in facts.interrupted else ''}"
        for one in unknown
    ]
    return {
        handoff.FAILED: _first([failed[seq] for seq in sorted(failed, reverse=True)], _MOST_FAILED),
        handoff.IN_FLIGHT: [in_flight] if in_flight and lines else lines,
    }


def _first(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"{len(lines) - most} more"]


def _words(one: Event) -> str:
    body = one.body or {}
    return next((text for key in ("text", "output") if isinstance(text := body.get(key), str)), "")[:2000]


def _text(one: Event, cut: Cut) -> str:
    return describe.line(one, cut).removeprefix(f"[{one.kind}] ")


def written_files(events: Sequence[Event]) -> list[str]:
    """Return the paths for a derived handoff that calls among these events wrote successfully, newest first.

    A tool writes if a word of its name says so (`Write`, `apply_patch`) and its input does not only view files.
    """
    results = (one for one in events if one.call and one.kind == event.RESULT)
    went_well = {one.call for one in results if not thread.is_refused(one)}
    actions = [one for one in events if one.kind == event.ACTION and one.call in went_well]
    return list(dict.fromkeys(path for one in reversed(actions) for path in _paths(one)))


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
