"""boot: the start-up context, assembled from the files within a budget. Reads only, needs no lock and no git."""

from __future__ import annotations

from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.formats import context as _context
from agentws.formats import handoff, layout, task
from agentws.planning import adoption, context, naming, request, sources, tokens
from agentws.planning.leftout import Omission
from agentws.storage import transaction, vocabulary
from agentws.storage.lenient import LenientReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.request import Source
    from agentws.ports import TokenCounter
    from agentws.storage.stores import Stores

_MOST_LISTED = 100
"""Files that the manifest may pin, or a context name."""
_MOST_DAYS = 60
_LEAST_LOGS_BYTES = 1 << 16
_BYTES_PER_TOKEN = 8
"""So many bytes of logs are read for each token that may be shown: twice what prose needs."""
_MOST_TASKS = 40
_MOST_HANDOFFS = 20
_MOST_OPEN_HANDOFFS = 3

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
        self.trust = counter.trust
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
    odd: list[str] = []
    if budget is None:
        budget = stores.manifest.setting("boot.budget")
        if budget < request.SMALLEST_BUDGET:
            odd.append(f"boot.budget = {budget} in agentws.toml is too small: {request.SMALLEST_BUDGET} is used.")
            budget = request.SMALLEST_BUDGET
    counter = _counter(tokenizer or stores.manifest.setting("boot.tokenizer"), odd)
    if budget < request.SMALLEST_BUDGET:
        raise UsageError(
            f"A budget of {budget} is too small to wake up in.", hint=f"Give at least {request.SMALLEST_BUDGET}."
        )
    if audience not in AUDIENCES:
        raise UsageError(f"No audience is called {audience!r}.", hint=f"Choose one of: {', '.join(AUDIENCES)}.")
    reading = _Reading(stores)
    reading.notices += odd
    reading.usual()
    reading.pinned()
    reading.virtual_context(context_name)
    reading.handoffs()
    reading.tasks()
    reading.days(room_bytes=max(budget * _BYTES_PER_TOKEN, _LEAST_LOGS_BYTES))
    reading.others()
    reading.warnings()
    made = context.fit(
        request.Request(
            name=stores.manifest.name or reading.name or naming.from_folder(stores.root),
            now=sources.now_line(stores.clock.now(), audience=audience, newest_day=reading.newest_day),
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


def _counter(name: str, odd: list[str]) -> TokenCounter:
    """The counter called `name`; bytes, and a word about it, where the vocabulary is not to be had."""
    try:
        return tokens.counter(name, vocabulary.open_o200k)
    except (MissingFileError, DamagedError) as error:
        odd.append(f"{error.message.rstrip('.')}. Counted in bytes instead.")
        return tokens.Bytes()


class _Reading:
    """Reads the files that may matter, in the order of the text."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.reader = LenientReader(stores.files)
        self.notices = self.reader.notices
        self.sources: list[Source] = []
        self.unread: list[Omission] = []
        self.name = ""
        self.newest_day = ""
        self.tags: tuple[str, ...] = ()
        self.wanted_tasks: tuple[str, ...] = ()

    def usual(self) -> None:
        """SOUL, IDENTITY, USER, AGENTS, MEMORY."""
        for path in layout.AGENT_FILES:
            found = self.reader.document(path)
            if found is not None:
                self.sources.append(sources.of_file(path, sources.ROLES[path], found))
                if path == layout.IDENTITY:
                    self.name = naming.from_identity(found.body)

    def pinned(self) -> None:
        """The files that the manifest pins."""
        listed = self._some(self.stores.manifest.setting("boot.pinned"), layout.MANIFEST)
        self._files(listed, request.PINNED, missing="is pinned in agentws.toml but not there")

    def virtual_context(self, name: str | None) -> None:
        """The context in use, and the files it names."""
        chosen = name or self.stores.manifest.setting("boot.context")
        if not chosen:
            return
        path = f"{layout.CONTEXTS}/{chosen}.md"
        if name and not self.stores.files.exists(path):
            raise MissingFileError(f"There is no context {name!r}.", hint="See which there are: agentws context list")
        found = self.reader.document(path, missing="is the context in use but not there")
        if found is None:
            return
        made = _context.VirtualContext(chosen, found)
        self.tags, self.wanted_tasks = made.tags, made.tasks
        self.sources.append(sources.of_file(path, request.CONTEXT, found, title=f"Context {chosen} · {path}"))
        self._files(self._some(made.files, path), request.CONTEXT, missing=f"is named in {path} but not there")

    def handoffs(self) -> None:
        """The open handoffs, newest first."""
        read = []
        for path in reversed(self.reader.markdown(layout.HANDOFFS)[-_MOST_HANDOFFS:]):
            found = self.reader.document(path)
            if found is not None:
                read.append(handoff.Handoff(path, found))
        open_ = handoff.still_open(read)
        if len(open_) > _MOST_OPEN_HANDOFFS:
            self.notices.append(f"{len(open_)} handoffs are open; the newest {_MOST_OPEN_HANDOFFS} are shown.")
        self.sources += map(sources.of_handoff, open_[:_MOST_OPEN_HANDOFFS])

    def tasks(self) -> None:
        """Tasks that are not over, those that the context names first."""
        paths = self.reader.markdown(layout.TASKS)
        read = []
        for path in paths[:_MOST_TASKS]:
            found = self.reader.document(path)
            if found is not None:
                read.append(task.Task(path.rpartition("/")[2].removesuffix(".md"), found))
        self.sources += map(sources.of_task, sources.live_tasks(read, wanted=self.wanted_tasks))
        if len(paths) > _MOST_TASKS:
            more = f"{len(paths) - _MOST_TASKS} more tasks"
            self.unread.append(Omission(f"{layout.TASKS}/", None, more, f"ls {layout.TASKS}"))

    def days(self, *, room_bytes: int) -> None:
        """The newest daily logs that exist, as far back as a text of so many bytes could ever show."""
        today = self.stores.clock.now().date().isoformat()
        names = [name for name, _ in self.reader.names(layout.DAYS)]
        logs = sources.logs(names, until=today if self.stores.environment.as_of else None)
        for path in adoption.not_days({f"{layout.DAYS}/{name}" for name in names}):
            self.notices.append(f"{path}: the calendar has no such day; not read as a daily log.")
        self.newest_day = logs[0][0] if logs else ""
        for index, (day, name) in enumerate(logs):
            if index == _MOST_DAYS or room_bytes < 0:
                self.unread.append(sources.deep_history(logs[index:]))
                break
            found = self.reader.document(f"{layout.DAYS}/{name}", from_end=True)
            if found is not None:
                room_bytes -= len(found.text)
                self.sources.append(sources.of_day(f"{layout.DAYS}/{name}", day, found, today=today))

    def others(self) -> None:
        """Files that lie here and that boot does not open: named, never silently passed over."""
        for name, kind in self.reader.names(""):
            if kind != "folder" and name in (layout.DAYS, layout.TASKS, layout.HANDOFFS):
                self.notices.append(f"{name}: not a folder (a link or a file stands there), so nothing in it was read.")
            if name in layout.HOST_FILES and not self._has(name):
                self.unread.append(Omission(name, None, f"{name} (boot loads it when pinned)", f"cat {name}"))
        topics = [
            path
            for path in self.reader.markdown(layout.DAYS)
            if layout.day_of(path.rpartition("/")[2]) is None and not self._has(path)
        ]
        if topics:
            what = f"{len(topics)} other file{'s' * (len(topics) > 1)} in memory/"
            self.unread.append(Omission(f"{layout.DAYS}/", None, what, f"ls {layout.DAYS}"))

    def warnings(self) -> None:
        """What stopped working, loudly (P17)."""
        self.notices += [note for note in self.stores.notices if note not in self.notices]
        if not self.stores.files.writable():
            self.notices.append("This workspace may not be written here: nothing can be logged.")
        failure = self.stores.history_failure()
        if failure:
            self.notices.insert(0, f"History has not been recorded since {failure} See agentws status.")
        if self.reader.names(f"{layout.LOCAL}/undo") and transaction.unfinished(self.stores.files):
            self.notices.append("A change was interrupted; the next change of files (not a log line) mends it first.")

    def _files(self, paths: Sequence[str], role: str, *, missing: str) -> None:
        for path in paths:
            found = None if self._has(path) else self.reader.document(path, missing=missing)
            if found is not None:
                self.sources.append(sources.of_file(path, role, found))

    def _some(self, listed: Sequence[str], where: str) -> Sequence[str]:
        if len(listed) > _MOST_LISTED:
            self.notices.append(f"{where}: lists {len(listed):,} files; only the first {_MOST_LISTED} were read.")
            more = f"{len(listed) - _MOST_LISTED} more files that {where} lists"
            self.unread.append(Omission(where, None, more, f"cat {where}"))
        return listed[:_MOST_LISTED]

    def _has(self, path: str) -> bool:
        return any(source.path == path for source in self.sources)
