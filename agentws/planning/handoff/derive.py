"""The sections of a handoff: what the journal tells, the newest part of the newest log, and what is open. Pure.

A union in which each line stands once. The same facts give the same words; nothing is read into a sentence.
"""

from __future__ import annotations

from agentws.formats.documents import handoff, task
from agentws.formats.journal import event, summary, thread
from agentws.formats.markdown import markdown, outside
from agentws.formats.secrets import secrets
from agentws.formats.text import sanitize
from agentws.planning.events import describe, replay
from agentws.planning.events.activity import when
from agentws.planning.notes import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from agentws.formats.documents.handoff import Sections
    from agentws.formats.documents.task import Task
    from agentws.formats.journal.event import Event
    from agentws.planning.events.describe import Cut
    from agentws.planning.events.replay import Projection
    from agentws.planning.handoff.unfinished_sessions import Log
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.open_items import OpenItem

    Lists = dict[str, list[str]]

ASKED, PLAN, LAST, SAID = "Asked", "Plan", "Last", "Said"
"""What lines of `Doing` begin with: what the user asked last, the newest plan, each of the last things done, and what
the agent said last.
"""
_MOST_ACTIONS, _MOST_DECISIONS, _MOST_ERRORS, _MOST_FILES, _MOST_TASKS = 3, 8, 4, 12, 6
_MOST_OPEN, _MOST_OF_OTHERS = 30, 12
"""So many open items of the newest log are told, and so many of other notes."""
_MOST_LINE, _MOST_ASKED, _MOST_BELOW = 360, 360, 8
_MOST_PATH = 160
_LOG_BYTES = 8_000
"""So much of the newest log is handed over."""
_US, _HANDOFF = "agentws", "handoff"
"""How a handoff is asked for, in a command."""
_APART, _RUNS, _WITH_A_WORD = "();<>|&\n", ("$(", "`"), ("-C", "--workspace")
"""What parts commands for a shell, what makes it run another one in words, our options that take one."""
TODO = "agentws todo"
"""The command that tells all of what is open."""


class Facts:
    """The input of a derived handoff.

    `events` are those of the session, oldest first, `open` its actions without a result, newest first, `unreported`
    those of them whose result no host will report; `tasks` those
    that are not over; `log` is the newest one, `entries` are its, and `items` are the open ones of all; `git`
    says what the repository of the workspace has that no other is known to have, empty for nothing.
    """

    __slots__ = ("entries", "events", "git", "items", "log", "open", "places", "tasks", "unreported")

    def __init__(
        self,
        events: Sequence[Event],
        *,
        open: Sequence[Event] = (),
        tasks: Sequence[Task] = (),
        log: Log | None = None,
        entries: Sequence[Entry] = (),
        items: Sequence[OpenItem] = (),
        git: str = "",
    ) -> None:
        self.events = events
        self.open = open
        self.unreported: Sequence[Event] = ()
        self.tasks = tasks
        self.log = log
        self.entries = entries
        self.places = {id(one): at for at, one in enumerate(entries)}
        self.items = items
        self.git = git


def without_this(open: Sequence[Event]) -> Sequence[Event]:
    """The actions in flight, newest first, without the one by which the agent has this very handoff made."""
    command = summary.given((open[0].body or {}).get("input")) if open else ""
    return open[1:] if _US in command and _is_ours(command) else open


def _is_ours(command: str) -> bool:
    """Return whether a command is one call of `agentws … handoff …`, and a shell would do nothing else."""
    import shlex

    if any(runs in command for runs in _RUNS):
        return False
    reader = shlex.shlex(command.strip(), posix=True, punctuation_chars=_APART)
    reader.whitespace, reader.whitespace_split, reader.commenters = " \t", True, ""
    try:
        program, *words = list(reader)
    except ValueError:
        return False  # a quotation without its end
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _WITH_A_WORD else 1]
    is_asked = program.rpartition("/")[2] == _US and words[:1] == [_HANDOFF]
    return is_asked and not any(word.strip(_APART) == "" and word for word in words)


class Derived:
    """Sections that nobody wrote, and how many secrets were hidden in them."""

    __slots__ = ("hidden", "sections")

    def __init__(self, sections: Sections, hidden: int) -> None:
        self.sections = sections
        self.hidden = hidden


def derive(facts: Facts, moment: datetime, *, in_flight: str = "") -> Derived:
    """The sections of a handoff as of `moment`. `in_flight` stands for the actions in flight where others tell them."""
    found: Sections = {}

    def tell(cut: Cut) -> list[str]:
        lists = _lists(facts, moment, cut)
        if in_flight and facts.open:
            lists[handoff.IN_FLIGHT] = [in_flight]
        found.clear()
        found.update({heading: handoff.listed(lines) for heading, lines in lists.items()})
        return []

    _, hidden = describe.lines(tell)
    if facts.log is not None:
        found[handoff.LOG], more = _newest(facts.log, _taken(facts), is_alone=not any(found.values()))
        hidden += more
    return Derived(handoff.merged(found), hidden)


def is_asked(one: Event) -> bool:
    """Return True for what the user said."""
    return one.kind == event.NOTE and one.src == event.USER


def _lists(facts: Facts, moment: datetime, cut: Cut) -> Lists:
    state = replay.replay(facts.events)
    return {
        handoff.DOING: [
            *_asked(facts.events, moment, cut),
            *_plans(state, moment, cut),
            *_tasks(facts.tasks, cut, active=True),
            *_last(facts, moment, cut),
        ],
        handoff.DECISIONS: _decisions(state, moment, cut),
        handoff.PENDING: [*_tasks(facts.tasks, cut, active=False), *_open(facts, cut)],
        handoff.FAILED: _errors(state, facts.events, moment, cut),
        handoff.IN_FLIGHT: [_action(one, moment, cut) for one in facts.open if one not in facts.unreported],
        handoff.AT_RISK: [facts.git] if facts.git else [],
        handoff.FILES: _files(state.files, cut),
    }


def _open(facts: Facts, cut: Cut) -> list[str]:
    """What is open in the notes, each with where it stands, and how much more there is."""
    items, more = _items(facts)
    told = [_item(item, facts, cut) for item in items]
    return [*told, *([f"{more} more: {TODO}"] if more else [])]


def _items(facts: Facts) -> tuple[list[OpenItem], int]:
    """The first open items, note by note, each in the order in which they stand there, and how many more there are.
    What is below one is told with it.
    """
    found = list(facts.items)
    entries = {id(one.entry) for one in found}
    found = [one for one in found if not any(id(above) in entries for above in _above(one.entry, facts))]
    own = [one for one in found if _place(one.entry, facts) is not None]
    others = [one for one in found if _place(one.entry, facts) is None]
    chosen = [*own[:_MOST_OPEN], *others[:_MOST_OF_OTHERS]]
    paths = list(dict.fromkeys(one.entry.path for one in chosen))
    chosen.sort(key=lambda one: (paths.index(one.entry.path), one.entry.line))
    return chosen, len(found) - len(chosen)


def _item(item: OpenItem, facts: Facts, cut: Cut) -> str:
    """An open item, with what it is a part of, and what is listed below it, where it is of the newest log."""
    entry = item.entry
    dated = f"({item.since}) " if item.since != entry.day else ""
    above = "".join(f"{cut(part.said.rstrip(':'), describe.MOST_TEXT)}: " for part in _above(entry, facts)[:1])
    below = [cut(_unmarked(other), _MOST_LINE) for other in _below(entry, facts) if not other.src]
    return "\n- ".join([f"{dated}{above}{cut(entry.said, _MOST_LINE)} · {entry.path}", *below[:_MOST_BELOW]])


def _unmarked(entry: Entry) -> str:
    return entry.text[markdown.marker(entry.text) :]


def _above(entry: Entry, facts: Facts) -> list[Entry]:
    """What an entry of the newest log is nested in, innermost first."""
    found: list[Entry] = []
    one = entry if _place(entry, facts) is not None else None
    while one is not None and one.parent is not None:
        one = facts.entries[one.parent]
        found.append(one)
    return found


def _below(entry: Entry, facts: Facts) -> Iterator[Entry]:
    """What is nested in an entry of the newest log, which stands behind it."""
    place = _place(entry, facts)
    if place is None:
        return
    for one in facts.entries[place + 1 :]:
        if one.parent is None or one.parent < place:
            return
        yield one


def _place(entry: Entry, facts: Facts) -> int | None:
    return facts.places.get(id(entry))


def _taken(facts: Facts) -> set[int]:
    """The lines of the newest log that are told with what is open: what is cut there stays whole in the log."""
    own = [one.entry for one in _items(facts)[0] if _place(one.entry, facts) is not None]
    told = [each for one in own for each in (one, *list(_below(one, facts))[:_MOST_BELOW])]
    whole = [one for one in told if len(one.text) <= _MOST_LINE]
    return {line for one in whole for line in range(one.line, one.end_line + 1)}


def _newest(log: Log, told: set[int], *, is_alone: bool) -> tuple[str, int]:
    """The newest part of a log as it stands, behind a line that names it; and how many secrets are hidden in it.

    Without the lines that are `told`, and what is from outside, which is counted: none of it is the agent's own, and
    `is_alone` it is nothing to hand over.
    """
    own, hidden = secrets.hide(sanitize.written(passages.without(outside.without(log.text), told)))
    part = passages.last(own, _LOG_BYTES)
    count = len(outside.stretches(log.text))
    if not part.text and (is_alone or not count):
        return "", 0
    named = _joined(
        log.path,
        f"its end, after {part.before} other lines" if part.before else "",
        f"{count} passage{'s' * (count > 1)} from outside, not shown" if count else "",
    )
    shown = markdown.nested(part.text)[1].strip("\n")
    return f"{named}\n\n{shown}".rstrip() + "\n", hidden


def _asked(events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    """What the user asked last: nothing says better what is being done."""
    said = [(one, _words(one)) for one in events if is_asked(one)][-1:]
    return [f"{ASKED}, {when(one, moment)}: {cut(words, _MOST_ASKED)}" for one, words in said if words.strip()]


def _plans(state: Projection, moment: datetime, cut: Cut) -> list[str]:
    plan = state.plan
    return [f"{PLAN} ({when(plan, moment)}): {_text(plan, cut)}"] if plan else []


def names(tasks: Sequence[Task]) -> list[str]:
    """Return the first words of the lines about these tasks."""
    return describe.lines(lambda cut: [_name(one, cut) for one in tasks])[0]


def _tasks(tasks: Sequence[Task], cut: Cut, *, active: bool) -> list[str]:
    chosen = [one for one in tasks if (one.state == task.ACTIVE) == active][:_MOST_TASKS]
    return [_task(one, cut) for one in chosen]


def _task(one: Task, cut: Cut) -> str:
    said = {
        "waiting for ": one.waiting_on,
        "step: ": one.step,
        "next: ": one.next_step if one.next_step != one.step else "",
    }
    status = "" if one.state == task.ACTIVE else one.status
    return _joined(
        _name(one, cut), status, *(f"{what}{cut(text, describe.MOST_TEXT)}" for what, text in said.items() if text)
    )


def _name(one: Task, cut: Cut) -> str:
    return f"Task {cut(one.title, describe.MOST_TEXT)}"


def _last(facts: Facts, moment: datetime, cut: Cut) -> list[str]:
    """The last things that were done, oldest first."""
    ends = {one.call: one for one in facts.events if one.kind in event.CALLS[1:] and one.call}
    went_well = {call for call, end in ends.items() if end.kind == event.RESULT}
    done = [one for one in facts.events if one.kind == event.ACTION and one.call in went_well][-_MOST_ACTIONS:]
    said = [one for one in facts.events if one.kind in (event.NOTE, event.THOUGHT) and not is_asked(one)][-1:]
    chosen = sorted((*done, *said, *facts.unreported), key=lambda one: (one.at, one.seq))
    return [
        f"{SAID if one in said else LAST}, {when(one, moment)}: "
        f"{describe.line(one, cut, ended_by=ends.get(one.call or ''))}"
        f"{f' → {thread.UNREPORTED}' if one in facts.unreported else ''}"
        for one in chosen
    ]


def _decisions(state: Projection, moment: datetime, cut: Cut) -> list[str]:
    return [f"{_text(decision, cut)} ({when(decision, moment)})" for decision in state.decisions[-_MOST_DECISIONS:]]


def _errors(state: Projection, events: Sequence[Event], moment: datetime, cut: Cut) -> list[str]:
    begun = {one.call: one for one in events if one.kind == event.ACTION}
    lines = []
    for place, one in enumerate(state.errors[: -_MOST_ERRORS - 1 : -1]):
        action = begun.get(one.call) if one.call else None
        words = describe.line(action or one, cut, ended_by=one if action else None).removeprefix("[error] ")
        lines.append(f"{'' if place else 'Last error, '}{when(one, moment)}: {words}")
    return lines


def _action(one: Event, moment: datetime, cut: Cut) -> str:
    return f"{when(one, moment)} {describe.action(one, cut)} · call {cut(one.call or '', describe.MOST_NAME * 3)}"


def _words(one: Event) -> str:
    body = one.body or {}
    return next((found for key in ("text", "output") if isinstance(found := body.get(key), str)), "")[:2000]


def _files(paths: Sequence[str], cut: Cut) -> list[str]:
    told = [cut(path, _MOST_PATH) for path in paths[:_MOST_FILES]]
    return [*told, f"{len(paths) - len(told)} more"] if len(paths) > len(told) else told


def _text(one: Event, cut: Cut) -> str:
    return describe.line(one, cut).removeprefix(f"[{one.kind}] ")


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
