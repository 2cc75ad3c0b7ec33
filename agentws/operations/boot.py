"""boot: the start-up context, assembled from the files within a budget. Reads only, needs no lock and no git."""

from __future__ import annotations

from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.formats import context as _context
from agentws.formats import document, handoff, layout, task
from agentws.planning import adoption, context, naming, tokens
from agentws.planning.context import Source
from agentws.planning.leftout import Omission
from agentws.storage import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.ports import TokenCounter
    from agentws.storage.stores import Stores

_LARGEST_READ_BYTES = 1 << 20
_MOST_DAYS = 60
_MOST_TASKS = 40
_MOST_HANDOFFS = 20
_ROLES = {
    layout.SOUL: context.IDENTITY,
    layout.IDENTITY: context.IDENTITY,
    layout.USER: context.USER,
    layout.AGENTS: context.INSTRUCTIONS,
    layout.MEMORY: context.MEMORY,
}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

MAIN, SHARED = "main", "shared"
AUDIENCES = (MAIN, SHARED)


class Booted:
    """The start-up context and what it is made of.

    `tokens` is the count of `text` under the counter `counter` and never exceeds `budget`; `trust` says whether that
    count is exact, a bound or an estimate;
    `sections` and `omitted` account for every file that was considered; `notices` were found on the way.
    """

    __slots__ = ("budget", "context", "counter", "exact", "notices", "trust")

    def __init__(self, made: context.Context, *, budget: int, counter: TokenCounter, notices: list[str]) -> None:
        self.context = made
        self.budget = budget
        self.counter = counter.name
        self.exact = counter.exact
        self.trust = tokens.trust(counter)
        self.notices = notices

    @property
    def text(self) -> str:
        """The text to give to the agent."""
        return self.context.text

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
        return self.context.tokens

    @property
    def cut(self) -> bool:
        """True where anything that was considered is not shown whole."""
        return self.context.cut


def boot(
    stores: Stores,
    *,
    budget: int | None = None,
    tokenizer: str | None = None,
    audience: str = MAIN,
    context_name: str | None = None,
) -> Booted:
    """The start-up context. Damaged or odd files become notices; only a call that makes no sense is an error."""
    budget = stores.manifest.setting("boot.budget") if budget is None else budget
    counter = tokens.counter(tokenizer or stores.manifest.setting("boot.tokenizer"))
    if budget < context.SMALLEST_BUDGET:
        raise UsageError(
            f"A budget of {budget} is too small to wake up in.", hint=f"Give at least {context.SMALLEST_BUDGET}."
        )
    if audience not in AUDIENCES:
        raise UsageError(f"No audience is called {audience!r}.", hint=f"Choose one of: {', '.join(AUDIENCES)}.")
    reading = _Reading(stores, room_bytes=budget * counter.units_per_token * 4)
    reading.usual()
    reading.pinned()
    reading.virtual_context(context_name)
    reading.handoffs()
    reading.tasks()
    reading.days()
    reading.others()
    reading.warnings()
    made = context.fit(
        context.Request(
            name=stores.manifest.name or reading.name or naming.from_folder(stores.root),
            now=_now(stores, audience, reading.newest_day),
            sources=reading.sources,
            unread=reading.unread,
            notices=reading.notices,
            budget=budget,
            counter=counter,
            shared=audience == SHARED,
            private_tags=stores.manifest.setting("boot.private_tags"),
            tags=reading.tags,
        )
    )
    return Booted(made, budget=budget, counter=counter, notices=reading.notices)


class _Reading:
    """Reads the files that may matter, in the order of the text. Whatever cannot be read becomes a notice."""

    def __init__(self, stores: Stores, *, room_bytes: int) -> None:
        self.stores = stores
        self.room_bytes = room_bytes
        self.sources: list[Source] = []
        self.unread: list[Omission] = []
        self.notices: list[str] = []
        self.name = ""
        self.newest_day = ""
        self.tags: tuple[str, ...] = ()
        self.wanted_tasks: tuple[str, ...] = ()

    def usual(self) -> None:
        """SOUL, IDENTITY, USER, AGENTS, MEMORY."""
        for path in layout.AGENT_FILES:
            found = self._document(path)
            if found is not None:
                self._add(path, _ROLES[path], found.body)
                if path == layout.IDENTITY:
                    self.name = naming.from_identity(found.body)

    def pinned(self) -> None:
        """The files that the manifest pins."""
        for path in self.stores.manifest.setting("boot.pinned"):
            if not self._has(path):
                found = self._document(path, missing="is pinned in agentws.toml but not there")
                if found is not None:
                    self._add(path, context.PINNED, found.body)

    def virtual_context(self, name: str | None) -> None:
        """The context in use, and the files it names."""
        chosen = name or self.stores.manifest.setting("boot.context")
        if not chosen:
            return
        path = f"{layout.CONTEXTS}/{chosen}.md"
        if name and not self.stores.files.exists(path):
            raise MissingFileError(f"There is no context {name!r}.", hint="See which there are: agentws context list")
        found = self._document(path, missing="is the context in use but not there")
        if found is None:
            return
        made = _context.VirtualContext(chosen, found)
        self.tags, self.wanted_tasks = made.tags, made.tasks
        self._add(path, context.CONTEXT, made.body, title=f"Context {chosen} · {path}", private=made.private)
        for other in made.files:
            if not self._has(other):
                loaded = self._document(other, missing=f"is named in {path} but not there")
                if loaded is not None:
                    self._add(other, context.CONTEXT, loaded.body)

    def handoffs(self) -> None:
        """The open handoffs, newest first."""
        names = [name for name, _ in self._names(layout.HANDOFFS) if name.endswith(".md")]
        read = []
        for name in reversed(names[-_MOST_HANDOFFS:]):
            found = self._document(f"{layout.HANDOFFS}/{name}")
            if found is not None:
                read.append(handoff.Handoff(f"{layout.HANDOFFS}/{name}", found))
        for index, note in enumerate(handoff.still_open(read)):
            if index == 3:
                self.notices.append("More than three handoffs are open: see handoffs/.")
                break
            parts = ("Handoff", note.at, note.session and f"session {note.session}", note.path)
            title = " · ".join(part for part in parts if part)
            self._add(note.path, context.HANDOFF, note.body, title=title, private=note.private)

    def tasks(self) -> None:
        """Tasks that are not over: active ones first; of the merely open ones only those the context names."""
        live: list[task.Task] = []
        names = [name for name, _ in self._names(layout.TASKS) if name.endswith(".md")]
        for name in names[:_MOST_TASKS]:
            found = self._document(f"{layout.TASKS}/{name}")
            if found is not None:
                live.append(task.Task(name.removesuffix(".md"), found))
        if len(names) > _MOST_TASKS:
            more = f"{len(names) - _MOST_TASKS} more tasks"
            self.unread.append(Omission(f"{layout.TASKS}/", None, more, f"ls {layout.TASKS}"))
        live = [one for one in live if one.status in task.LIVE]
        live.sort(key=lambda one: (one.slug not in self.wanted_tasks, task.LIVE.index(one.status)))
        for one in live:
            done, boxes = one.steps
            steps = f"{done} of {boxes} done" if boxes else ""
            waits = f"waiting for {one.waiting_on}" if one.waiting_on else ""
            parts = (f"Task: {one.title}", one.status, one.step and f"step: {one.step}", waits, steps)
            path = f"{layout.TASKS}/{one.slug}.md"
            title = " · ".join(part for part in (*parts, path) if part)
            self._add(path, context.TASK, one.body or one.title, title=title, private=one.private)

    def days(self) -> None:
        """The newest daily logs that exist, as far back as the budget could ever show."""
        today = self.stores.clock.now().date().isoformat()
        names = [name for name, _ in self._names(layout.DAYS)]
        logs = sorted(((day, name) for name in names if (day := layout.day_of(name))), reverse=True)
        if self.stores.environment.as_of:
            logs = [log for log in logs if log[0] <= today]
        for path in adoption.not_days({f"{layout.DAYS}/{name}" for name in names}):
            self.notices.append(f"{path}: the calendar has no such day; not read as a daily log.")
        self.newest_day = logs[0][0] if logs else ""
        read_bytes = 0
        for index, (day, name) in enumerate(logs):
            if index == _MOST_DAYS or read_bytes > self.room_bytes:
                self._deep(logs[index:])
                break
            path = f"{layout.DAYS}/{name}"
            found = self._document(path, from_end=True)
            if found is not None:
                read_bytes += len(found.text)
                self._add(path, context.DAY, found.body, title=f"{_ago(day, today)} · {path}", brief=day)

    def others(self) -> None:
        """Files that lie here and that boot does not open: named, never silently passed over."""
        for name, _ in self._names(""):
            if name in layout.HOST_FILES and not self._has(name):
                self.unread.append(Omission(name, None, f"{name} (boot loads it when pinned)", f"cat {name}"))
        topics = [name for name, kind in self._names(layout.DAYS) if kind == "file" and name.endswith(".md")]
        topics = [name for name in topics if layout.day_of(name) is None and not self._has(f"{layout.DAYS}/{name}")]
        if topics:
            what = f"{len(topics)} other file{'s' * (len(topics) > 1)} in memory/"
            self.unread.append(Omission(f"{layout.DAYS}/", None, what, f"ls {layout.DAYS}"))

    def warnings(self) -> None:
        """What stopped working, loudly (P17)."""
        self.notices += [note for note in self.stores.notices if note not in self.notices]
        failure = self.stores.history_failure()
        if failure:
            self.notices.insert(0, f"History is not being recorded since {failure} See agentws status.")
        if transaction.unfinished(self.stores.files):
            self.notices.append("A change was interrupted; the next command that writes puts the old files back.")

    def _deep(self, logs: list[tuple[str, str]]) -> None:
        days = f"{len(logs)} older day{'s' * (len(logs) > 1)}, {logs[-1][0]} to {logs[0][0]}"
        if len(logs) == 1:
            days = f"1 older day, {logs[0][0]}"
        self.unread.append(Omission(f"{layout.DAYS}/", None, days, f"grep -ri WORD {layout.DAYS}"))

    def _names(self, folder: str) -> list[tuple[str, str]]:
        try:
            return self.stores.files.names(folder)
        except AgentwsError as error:
            self.notices.append(error.message)
            return []

    def _has(self, path: str) -> bool:
        return any(source.path == path for source in self.sources)

    def _add(self, path: str, role: str, text: str, *, title: str = "", brief: str = "", private: bool = False) -> None:
        self.sources.append(Source(path, role, text, title=title, brief=brief, private=private))

    def _document(self, path: str, *, missing: str = "", from_end: bool = False) -> document.Document | None:
        """The document at `path`, as much of it as is sane; None, with a notice where that is odd, if there is none."""
        try:
            data, size = self.stores.files.part(path, _LARGEST_READ_BYTES, from_end=from_end)
        except MissingFileError:
            if missing:
                self.notices.append(f"{path} {missing}.")
            return None
        except AgentwsError as error:
            self.notices.append(error.message)
            return None
        if size > len(data):
            end = "last" if from_end else "first"
            self.notices.append(f"{path}: {size / 1e6:,.1f} MB; only the {end} {len(data) / 1e6:.1f} MB were read.")
            data = data.partition(b"\n")[2] if from_end else data.rpartition(b"\n")[0] or data
        return self._decoded(path, data)

    def _decoded(self, path: str, data: bytes) -> document.Document:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            # A cut in the middle of a character is ours, not the file's.
            if error.start < len(data) - 4:
                line = data[: error.start].count(b"\n") + 1
                self.notices.append(f"{path}:{line}: not UTF-8; the odd bytes are shown as �.")
        try:
            return document.decode(data, where=path)
        except AgentwsError as error:
            self.notices.append(f"{error.message} Its front matter was read as text.")
            text = data.decode("utf-8", "surrogateescape")
            return document.Document(text=text, body=text, body_line=1, fields={}, has_header=False)


def _now(stores: Stores, audience: str, newest_day: str) -> str:
    now = stores.clock.now()
    parts = [f"{_WEEKDAYS[now.weekday()]} {now:%Y-%m-%d %H:%M} {now.tzname() or ''}".rstrip(), f"{audience} session"]
    parts.append(f"newest log {_distance(newest_day, now.date().isoformat())}" if newest_day else "nothing logged yet")
    return " · ".join(parts)


def _ago(day: str, today: str) -> str:
    from datetime import date

    return f"{_WEEKDAYS[date.fromisoformat(day).weekday()]} {day}, {_distance(day, today)}"


def _distance(day: str, today: str) -> str:
    from datetime import date

    days = (date.fromisoformat(today) - date.fromisoformat(day)).days
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    return near.get(days) or (f"{days} days ago" if days > 0 else f"in {-days} days")
