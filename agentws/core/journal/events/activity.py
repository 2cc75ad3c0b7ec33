"""Journal sections of boot: actions in flight, and recent activity. Pure."""

from __future__ import annotations

from datetime import datetime

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.journal import event, retraction, thread
from agentws.core.journal.events import describe
from agentws.core.notes import request
from agentws.core.notes.request import Omission, Source
from agentws.core.notes.sources import distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.describe import Cut

    Pair = tuple[Event, Event | None]
    Place = tuple[str, int]
    Call = tuple[str, str | None]

READ_WITH = "agentws journal list"
MOST_IN_FLIGHT = 16
MOST_SIGNIFICANT = 24
_MOST_INPUT = 160
_NO_RESULT = "no result recorded. To see what is known: agentws workflow list"
_TASK = "task."
_UNTOLD = (*event.STRUCTURE, event.STARTED, event.ENDED)
_OWN = (
    "compaction.",
    "checkpoint.pruned",
    "migration.",
    "handoff.",
    "writer.",
    "change.",
    "file.",
    "forgotten",
    "memory.curated",
    event.IMPORTED,
    event.STATED,
    event.RETRACTED,
    *event.STEP_DETAILS,
    thread.STOPPED,
    thread.INTERRUPTED,
)
"""Events of agentws's own upkeep: the files show the result, and other sections list handoffs."""


class Open(Record):
    """An action without a result: its writer, number and call, and the event if it could be read.

    `interrupted`: the user has interrupted it, so its host will not report the end.
    """

    writer: str
    seq: int
    call: str
    action: Event | None
    interrupted: bool = False


class Journal(Record):
    """The journal of one writer, as far as boot has read it.

    `recent` are its last events, `significant` earlier ones to be listed anyway, both oldest first. `older` counts the
    events before the recent ones, listed or not: all of earlier segments; in the newest one no structure, no results
    and no calls of agentws. `counted` are the places of those in `significant` and `open` that it includes. `open` are
    actions without a result, newest first; `more_open` counts further ones, and `forgotten` those too old to be listed
    in the journal. `unended` are the events of each session without an end, `handed` the handoff events, both oldest
    first, as far as they were read.
    """

    recent: Sequence[Event] = ()
    significant: Sequence[Event] = ()
    open: Sequence[Open] = ()
    more_open: int = 0
    forgotten: int = 0
    older: int = 0
    counted: Collection[Place] = ()
    unended: Mapping[str, Sequence[Event]] = {}
    handed: Sequence[Event] = ()

    def is_older(self, at: str) -> bool:
        """Return whether this holds an event older than `at` (UTC, as in the journal)."""
        return any(entry.at < at for entry in self.events())

    def events(self) -> Iterator[Event]:
        """Yield the events that were read, some of them more than once."""
        yield from (*self.recent, *self.significant, *self.handed)
        yield from (open_item.action for open_item in self.open if open_item.action)
        for each in self.unended.values():
            yield from each

    def leave_out(self, places: Collection[Place]) -> None:
        """Drop the events at these places (writer and number)."""
        self.open = [open_item for open_item in self.open if (open_item.writer, open_item.seq) not in places]
        self.recent = [entry for entry in self.recent if (entry.writer, entry.seq) not in places]
        self.significant = [entry for entry in self.significant if (entry.writer, entry.seq) not in places]
        kept = {
            name: [entry for entry in events if (entry.writer, entry.seq) not in places]
            for name, events in self.unended.items()
        }
        self.unended = {name: events for name, events in kept.items() if events}


def sources(journals: Sequence[Journal], moment: datetime, *, running: Collection[str] = ()) -> list[Source]:
    """Return the sections "in flight" and "recent activity", each if there is any, as of `moment` in its zone.

    An action of a session that is `running` may be listed among the recent ones: its host reports the end.
    """
    for journal in journals:
        journal.open = [open_item for open_item in journal.open if not _is_done_now(open_item, journal, running)]
    shown = _shown(journals)
    return [source for source in (_in_flight(journals, shown, moment), _recent(journals, shown, moment)) if source]


def _is_done_now(open_item: Open, journal: Journal, running: Collection[str]) -> bool:
    """Return whether a host whose session runs has called it since that began last: it reports the end itself."""
    if open_item.interrupted or open_item.action is None or open_item.action.session not in running:
        return False
    if thread.thread_of(open_item.action) is None:
        return False
    events = journal.unended.get(open_item.action.session or "", ())
    begun = max((each.seq for each in events if each.kind == event.STARTED), default=0)
    return open_item.seq > begun


def left_out(journals: Sequence[Journal], moment: datetime) -> list[Omission]:
    """Return the line that counts the older events that `sources` does not list; none if it lists all.

    Results that are left out because their action is older are counted too.
    """
    if not any(journal.older for journal in journals):
        return []
    shown = _shown(journals)
    pairs, _ = _answered(_listed_pairs(journals, shown), journals, moment)
    listed = {(entry.writer, entry.seq) for entry, _ in pairs}
    listed |= {(open_item.writer, open_item.seq) for open_item in shown}
    begun = _begun(journals)
    count = 0
    for journal in journals:
        count += journal.older - len(listed.intersection(journal.counted))
        count += sum(_is_apart(entry, journal, begun) for entry in journal.recent)
    what = f"{count:,} older event{'s' * (count > 1)}"
    return [Omission(f"{layout.JOURNAL}/", None, what, READ_WITH)] if count > 0 else []


def _shown(journals: Sequence[Journal]) -> list[Open]:
    """Return the newest actions in flight of all writers."""
    return sorted((open_item for journal in journals for open_item in journal.open), key=_at, reverse=True)[
        :MOST_IN_FLIGHT
    ]


def _significant(journals: Sequence[Journal]) -> list[Event]:
    """Return the newest significant events before the recent ones, oldest first."""
    events = (entry for journal in journals for entry in journal.significant)
    return sorted(events, key=lambda entry: entry.at)[-MOST_SIGNIFICANT:]


# In flight


def _in_flight(journals: Sequence[Journal], shown: Sequence[Open], moment: datetime) -> Source | None:
    older = sum(journal.more_open for journal in journals) + sum(len(journal.open) for journal in journals) - len(shown)
    count = len(shown) + older
    if not count:
        return None
    parts, hidden = describe.lines(lambda cut: [_open_line(open_item, shown, moment, cut) for open_item in shown])
    if older:
        parts.append(f"- {older} older: {READ_WITH}")
    forgotten = sum(journal.forgotten for journal in journals)
    if forgotten:
        parts.append(f"- {forgotten:,} older actions are not listed, finished or not: {READ_WITH}")
    actions = "1 action" if count == 1 else f"{count} actions"
    title = f"In flight: {actions}, result unknown. Check before you repeat one, then: agentws done --call ID"
    brief = f"In flight: {actions}, result unknown: check first"
    return _source(request.IN_FLIGHT, parts, title=title, brief=brief, hidden=hidden)


def _open_line(open_item: Open, shown: Sequence[Open], moment: datetime, cut: Cut) -> str:
    if open_item.action is None:
        label = f"an action with an unreadable line ({open_item.writer}:{open_item.seq})"
        return f"- {label} · call {cut(open_item.call, describe.MOST_NAME)} · no result recorded"
    words = describe.action(open_item.action, cut, most_input=_MOST_INPUT)
    parts = [
        f"- {when(open_item.action, moment, age=True)} {words}",
        f"call {cut(open_item.call, describe.MOST_NAME * 3)}",
    ]
    if open_item.action.session and len({other.action.session for other in shown if other.action}) > 1:
        parts.append(f"session {cut(open_item.action.session, describe.MOST_NAME)}")
    if len({other.writer for other in shown}) > 1:
        parts.append(f"writer {open_item.writer}")
    return " · ".join([*parts, thread.MAY_RUN if open_item.interrupted else "no result recorded"])


# Recent activity


def _recent(journals: Sequence[Journal], in_flight: Sequence[Open], moment: datetime) -> Source | None:
    pairs, usable = _answered(_listed_pairs(journals, in_flight), journals, moment)
    over = set().union(*(thread.unreported(journal.recent) for journal in journals))
    lines, hidden = describe.lines(lambda cut: [_recent_line(pair, over, usable, moment, cut) for pair in pairs])
    title = "Recent activity, newest last"
    return _source(request.ACTIVITY, lines, title=title, brief="Recent activity", hidden=hidden) if lines else None


def _recent_line(pair: Pair, over: Collection[thread.Call], usable: Collection[str], moment: datetime, cut: Cut) -> str:
    entry, end = pair
    is_over = entry.kind == event.ACTION and (entry.writer, entry.call or "") in over
    after = f" → {thread.UNREPORTED if is_over else _NO_RESULT}" if is_over or entry.kind == event.STEP_BEGAN else ""
    fate = thread.USABLE if entry.cursor in usable else ""
    return f"- {when(entry, moment)} {describe.line(entry, cut, ended_by=end, fate=fate)}{after}"


def _listed_pairs(journals: Sequence[Journal], in_flight: Sequence[Open]) -> list[Pair]:
    """Return the events to list, oldest first, each action with its result or error.

    Results whose action is older and not significant are left out, like the action.
    """
    elsewhere = {(open_item.writer, open_item.seq) for open_item in in_flight if open_item.action}
    pairs: list[Pair] = []
    begun = _begun(journals)
    ends = {_call(entry): entry for journal in journals for entry in journal.recent if entry.kind in event.CALLS[1:]}
    for journal in journals:
        open_steps = _open_steps(journal.recent)
        for entry in journal.recent:
            is_end = entry.kind in event.CALLS[1:] and _call(entry) in begun
            if is_end or _is_apart(entry, journal, begun):
                continue
            is_told = (_is_activity(entry.kind) and not _is_own_call(entry)) or entry.cursor in open_steps
            if is_told and (entry.writer, entry.seq) not in elsewhere:
                pairs.append((entry, ends.get(_call(entry)) if entry.kind == event.ACTION else None))
    pairs += [
        (entry, ends.get(_call(entry)) if begun.get(_call(entry)) is entry else None)
        for entry in _significant(journals)
        if _is_activity(entry.kind) and (entry.writer, entry.seq) not in elsewhere
    ]
    gone = retraction.taken_back(entry for journal in journals for entry in (*journal.recent, *journal.significant))
    pairs = [pair for pair in pairs if pair[0].cursor not in gone and not retraction.is_detail(pair[0])]
    return _newest_of_tasks(sorted(pairs, key=lambda pair: (pair[0].at, pair[0].seq)))


def _begun(journals: Sequence[Journal]) -> dict[Call, Event]:
    """Return the actions to list by their calls, the recent and the significant ones; of one call the newest."""
    events = (*_significant(journals), *(entry for journal in journals for entry in journal.recent))
    return {_call(entry): entry for entry in events if entry.kind == event.ACTION}


def _call(entry: Event) -> Call:
    return entry.writer, entry.call


def _is_apart(entry: Event, journal: Journal, begun: Collection[Call]) -> bool:
    """Return whether a recent event of a journal is the usual result of an action that is older and not listed."""
    is_late = journal.older > 0 and entry.kind == event.RESULT and _call(entry) not in begun
    return is_late and not event.is_significant(entry.kind, (entry.body or {}).get("importance"))


def _answered(pairs: Sequence[Pair], journals: Sequence[Journal], moment: datetime) -> tuple[list[Pair], set[str]]:
    """Return the pairs without refused calls whose approval was used, and the cursors of those whose approval is not.

    Of several refusals of one request, the newest stays.
    """
    known = (entry for journal in journals for entry in (*journal.recent, *journal.significant))
    answered, result, usable = thread.answered(known, moment), [], {}
    for entry, end in reversed(pairs):
        last = end or entry
        request = answered.get((last.writer, last.call or "")) if last.kind == event.ERROR else None
        if request and request not in usable:
            usable[request] = entry.cursor
        elif request is not None:
            continue
        result.append((entry, end))
    return result[::-1], set(usable.values())


def _open_steps(events: Sequence[Event]) -> set[str]:
    """Return the cursors of workflow steps that began and whose end is not among these events."""
    open_steps = {entry.cursor for entry in events if entry.kind == event.STEP_BEGAN}
    for entry in events if open_steps else ():
        began = (entry.body or {}).get("began") if entry.kind.startswith(event.STEPS) else None
        open_steps.difference_update(
            each for each in (began if isinstance(began, list) else [began]) if isinstance(each, str)
        )
    return open_steps


def _newest_of_tasks(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the same events, but of each task only the newest change and checkpoint: its file has the rest."""
    newest = {slug: at for at, (entry, _) in enumerate(pairs) if (slug := _moved(entry))}
    return [pair for at, pair in enumerate(pairs) if newest.get(_moved(pair[0]), at) == at]


def _moved(entry: Event) -> str:
    """Return the task that an event changes, or saves or restores a checkpoint of; empty for none."""
    family = next((name for name in (_TASK, event.CHECKPOINTS) if entry.kind.startswith(name)), "")
    slug = (entry.body or {}).get("task") if family else ""
    return family + slug if isinstance(slug, str) and slug else ""


def _is_own_call(entry: Event) -> bool:
    if entry.kind != event.ACTION:
        return False
    from agentws.core.formats.journal import shell_call

    return bool(shell_call.verb(entry.body))


def _is_activity(kind: str) -> bool:
    """Return whether an event is something the agent did, not upkeep by agentws such as compaction."""
    return kind not in _UNTOLD and not kind.startswith(_OWN)


def _source(role: str, lines: Sequence[str], *, title: str, brief: str, hidden: int) -> Source:
    text = "".join(f"{line}\n" for line in lines)
    path = f"{layout.JOURNAL}/" if role == request.ACTIVITY else f"{layout.JOURNAL}/, in flight"
    made = Source(path, role, text, title=title, brief=brief, read_with=READ_WITH)
    made.hidden += hidden
    return made


def _at(open_item: Open) -> str:
    return open_item.action.at if open_item.action else ""


def when(entry: Event, moment: datetime, *, age: bool = False) -> str:
    """Return the time of day of an event, `07:12`, with its date if that is not today."""
    try:
        local = datetime.fromisoformat(entry.at).astimezone(moment.tzinfo)
    except (ValueError, TypeError, OverflowError):
        return "(no time)"
    clock = _clock(local, moment)
    if not age or local.date() == moment.date():
        return clock
    return f"{clock} ({distance(local.date().isoformat(), moment.date().isoformat())})"


def _clock(local: datetime, moment: datetime) -> str:
    if local.date() == moment.date():
        return f"{local:%H:%M}"
    return f"{local:%m-%d %H:%M}" if local.year == moment.year else f"{local:%Y-%m-%d %H:%M}"
