"""Reads the files for boot, in the order of the text. Damaged or odd files become notices."""

from __future__ import annotations

from agentws import features
from agentws.core.disk.lenient import LenientReader
from agentws.core.formats import agent_name, layout
from agentws.core.formats.documents import context
from agentws.core.journal.events import activity
from agentws.core.markdown import comment, markdown
from agentws.core.notes import request, sources
from agentws.core.notes.request import Omission, quoted
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, DiskError
from agentws.features.boot import alarms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.notes.request import Source
    from agentws.core.ports import TokenCounter
    from agentws.core.stores.stores import Stores
    from agentws.features.boot.recovered import Sessions

_MOST_LISTED = 100
"""Files that the manifest may pin, or a context name."""
_ARCHIVE, _IMPORTED = (path.rpartition("/")[2] for path in (layout.ARCHIVE, layout.IMPORTED))
_MOST_DAYS, _MOST_DAYS_SHOWN = 60, 30
_FOLDERS = (layout.DAYS, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, layout.APPROVALS, layout.JOURNAL)
_CHANGING = (request.HANDOFF, request.IN_FLIGHT, request.ACTIVITY, request.TASK, request.DAY)


class Reading:
    """Reads the files that boot may show, in the order of the text.

    Features add their own: core/stores/boot_inputs.py.
    """

    def __init__(self, stores: Stores, moment: datetime, *, shared: bool) -> None:
        self.stores = stores
        self.moment = moment
        self.shared = shared
        self.today = moment.date().isoformat()
        adopted = stores.manifest.setting("adopted.documents")
        self.reader = LenientReader(stores.files, shared=shared, adopted=adopted)
        self.notices = self.reader.notices
        self.sources: list[Source] = []
        self.unread: list[Omission] = []
        self.name = ""
        self.logged: list[str] = []
        self.undated: list[str] = []
        self.wanted_tasks: tuple[str, ...] = ()
        self.asked: list[Any] = []
        self.turns: datetime | None = None
        self.handoffs: list[Handoff] = []
        self.waiting: list[Callable[[], str]] = []
        self._sessions: Sessions | None = None

    def read(self, context_name: str | None, counter: TokenCounter) -> None:
        """Read all that boot may show; `counter` counts what it does not show."""
        self._usual()
        listed = self._some(self.stores.manifest.setting("boot.pinned"), layout.MANIFEST)
        self._files(listed, request.PINNED, missing="is pinned in agentws.toml, but the file is missing")
        self._virtual_context(context_name)
        self._days()
        for add in features.each("boot_sources", self._listed()):
            add(self)
        self._journal()
        self._broken()
        self._others(counter)
        self._warnings()

    def _usual(self) -> None:
        """Read SOUL, IDENTITY, USER, AGENTS and MEMORY."""
        for path in layout.AGENT_FILES:
            document = self.reader.document(path)
            if document is not None:
                source = sources.of_file(self.stores.files.real(path), sources.ROLES[path], document)
                if path == layout.MEMORY and not self.stores.files.is_view:
                    source.raw = self._with_doubts(self._with_remarks(source.raw))
                self.sources.append(source)
                if path == layout.IDENTITY and not self.stores.manifest.name:
                    self.name = agent_name.from_identity(document.body)

    def _with_remarks(self, memory: str) -> str:
        """Return MEMORY.md with a remark (day, new text) on each superseded entry whose replacement is in it too."""
        if not self.stores.files.stamps([layout.KEPT_OUT])[0]:
            return memory
        from agentws.core.formats import kept_out as _kept_out
        from agentws.core.stores import kept_out

        kept = kept_out.read(self.stores)
        return memory if kept is None else _kept_out.with_remarks(memory, kept)

    def _with_doubts(self, memory: str) -> str:
        """Return MEMORY.md with a remark on each entry whose file has changed or is missing."""
        if self.stores.environment.as_of or not self.stores.files.stamps([layout.SOURCES])[0]:
            return memory
        from agentws.core.stores import freshness
        from agentws.features.boot.plan import freshness as _freshness

        ties = freshness.of(self.stores)
        doubtful = {entry: (tie.state, tie.path) for entry, tie in ties.items() if tie.is_doubtful}
        return _freshness.marked(memory, doubtful)

    def _virtual_context(self, name: str | None) -> None:
        """Read the context in use, and the files it names."""
        chosen = name or self.stores.manifest.setting("boot.context")
        if not chosen:
            return
        if name:
            from agentws.features.boot import context as _context

            chosen = _context.existing(self.stores, name)
        path = f"{layout.CONTEXTS}/{chosen}.md"
        document = self.reader.document(path, missing=self._missing("is the context in use, but the file is missing"))
        if document is None:
            return
        made = context.VirtualContext(chosen, document)
        self.wanted_tasks = made.tasks
        self.sources.append(sources.of_file(path, request.CONTEXT, document, title=f"Context {chosen} · {path}"))
        self._files(
            self._some(made.files, path), request.CONTEXT, missing=f"is named in {path}, but the file is missing"
        )

    def _listed(self) -> _Listed | None:
        """What the root and `memory/` list; None where the root cannot be listed: each feature looks for itself."""
        try:
            names = [name for name, _ in self.stores.files.names()]
        except AgentwsError:
            return None
        return _Listed([*names, *(f"{layout.DAYS}/{name}" for name in self.undated)])

    def _journal(self) -> None:
        """Read actions in flight and recent activity from the journal, if there is one."""
        moment = self.moment
        if not any(kind == "folder" for _, kind in self.reader.names(layout.JOURNAL)):
            return
        from agentws.core.disk import local_time
        from agentws.features.boot import journal

        until = journal.second(moment) if self.stores.environment.as_of else ""
        journals = journal.read(self.stores, self.notices, self.unread, until=until)
        since = local_time.utc(self.stores.here().since)
        if any(each.is_older(since) for each in journals):
            # The offset of the zone may have been another one then: only the zone itself knows.
            moment = moment.astimezone(self.stores.clock.now().tzinfo)
        running: set[str] = set()
        if any(each.unended for each in journals):
            from agentws.features.boot import recovered

            self._sessions = recovered.Sessions(self.stores, journals, moment)
            self.asked, running = self._sessions.asked, self._sessions.running
            self.turn(self._sessions.turns)
            self.waiting.append(self._sessions.beside)
        self.sources += activity.sources(journals, moment, running=running)
        self.unread += activity.left_out(journals, moment)

    def turn(self, moment: datetime | None) -> None:
        """Note that boot's reading may change at this moment, even without a changed file."""
        self.turns = min((at for at in (self.turns, moment) if at), default=None)

    def _days(self) -> None:
        """Read the newest daily logs, and archived ones as far back as boot may show any."""
        names = self.reader.listing(layout.DAYS)
        read = set(layout.markdown_files(names))
        days = {name: layout.day_of(name) for name in names if name in read or not name.endswith(".md")}
        self.undated = [name for name, day in days.items() if day is None]
        until = self.today if self.stores.environment.as_of else None
        logs = sources.logs(days, until=until)
        if any(name[:4].isdigit() for name in self.undated):
            from agentws.core.formats import adoption

            for path in adoption.not_days({f"{layout.DAYS}/{name}" for name in self.undated}):
                self.notices.append(
                    f"{path}: the name is not a calendar date, so boot does not read this file as a daily log."
                )
        logs = [(day, f"{layout.DAYS}/{name}") for day, name in logs]
        if folders := self.stores.manifest.setting("log.folders"):
            from agentws.core.disk import adopted_folders

            others = adopted_folders.daily_notes(self.stores.files, folders)
            logs = sorted([*logs, *(each for each in others if until is None or each[0] <= until)], reverse=True)
            read_there = {path for _, path in others}
            self.undated = [name for name in self.undated if f"{layout.DAYS}/{name}" not in read_there]
        if any(name[:4].isdigit() or ("." not in name and name not in (_ARCHIVE, _IMPORTED)) for name in self.undated):
            self._name_other_days(folders)
        self.logged = [day for day, _ in logs[:_MOST_DAYS]]
        if len(logs) > _MOST_DAYS:
            count = len(logs) - _MOST_DAYS
            what = f"{count:,} older day{'s' * (count > 1)} (their open items: agentws todo)"
            self.unread.append(Omission(f"{layout.DAYS}/", None, what, "agentws search WORDS"))
        paths = logs[:_MOST_DAYS]
        if len(paths) < _MOST_DAYS_SHOWN:
            paths = sorted([*paths, *self._archived(_MOST_DAYS_SHOWN - len(paths), until)], reverse=True)
        for place, (day, path) in enumerate(paths):
            document = self.reader.document(path, from_end=True)
            if document is not None:
                self.sources.append(sources.of_day(path, day, document, today=self.today, newest=not place))

    def _name_other_days(self, folders: Sequence[str]) -> None:
        """Add a notice about daily logs of other programs in `memory/` that no setting names."""
        from agentws.core.formats import adoption

        if likely := [each for each in adoption.likely(self.undated) if each not in folders]:
            self.notices.append(
                f"{', '.join(likely)}: daily logs that boot does not read. "
                f"To read them: agentws config log.folders {quoted(','.join([*folders, *likely]))}"
            )

    def _archived(self, most: int, until: str | None) -> list[tuple[str, str]]:
        """(day, path) of the newest archived logs."""
        pairs: list[tuple[str, str]] = []
        years = [name for name, kind in self.reader.names(layout.ARCHIVE) if kind == "folder" and name.isdigit()]
        for year in sorted(years, reverse=True):
            folder = f"{layout.ARCHIVE}/{year}"
            names = {name: name[:10] for name in layout.daily_logs(self.reader.listing(folder))}
            pairs += [(day, f"{folder}/{name}") for day, name in sources.logs(names, until=until)]
            if len(pairs) >= most:
                break
        return pairs[:most]

    def _broken(self) -> None:
        """Add the recovered handoffs to what boot reads, each before or after the newest one written on purpose."""
        newer, older = self._sessions.handoffs(self.handoffs) if self._sessions else ([], [])
        shown = {
            source.path for source in (*newer, *older)
        }  # one that the session itself wrote has what came after below it
        self.sources = [source for source in self.sources if source.path not in shown]
        place = next((at for at, source in enumerate(self.sources) if source.role in _CHANGING), len(self.sources))
        self.sources[place : place + 1] = [*newer, *self.sources[place : place + 1], *older]

    def _others(self, counter: TokenCounter) -> None:
        """Add files that boot does not show to the omissions, with their size."""
        reader = LenientReader(self.stores.files)  # what is odd about a file that is not shown is no notice
        there = self.reader.names("")
        for name, read in layout.misspelt([name for name, _ in there]):
            self.notices.append(f"{name}: not read, because {read} is there too. Move its text to {read}.")
        for name, kind in there:
            if kind != "folder" and name in _FOLDERS:
                self.notices += self.stores.files.in_place_of(name)
                self._not_read(name)
            if name in layout.HOST_FILES and not self._has(name if kind == "file" else self._linked(name)):
                document = reader.document(name)
                own = comment.without_blocks(document.body) if document else ""
                tokens = counters.tokens(counter, own)
                if document is None or not markdown.is_empty(comment.without(own)):
                    self.unread.append(Omission(name, tokens, request.NOT_PINNED, f"cat {name}"))
                elif tokens := counters.tokens(counter, document.body):
                    empty = Omission(name, tokens, request.EMPTY, f"cat {name}", cut=False, is_marked=True)
                    self.unread.append(empty)
        undated = (f"{layout.DAYS}/{name}" for name in self.undated if name.endswith(".md"))
        topics = [path for path in undated if not self._has(path) and not path.endswith("/proposed.md")]
        if topics:
            what = f"{len(topics)} other file{'s' * (len(topics) > 1)} in memory/"
            self.unread.append(Omission(f"{layout.DAYS}/", None, what, f"ls {layout.DAYS}"))
        if _IMPORTED in self.undated and self.stores.shared is None and self.reader.markdown(layout.IMPORTED):
            self.unread.append(Omission(f"{layout.IMPORTED}/", None, "imported memories", "agentws curate"))
        for path in self.reader.unread:
            self._not_read(path)

    def _not_read(self, path: str) -> None:
        self.unread.append(Omission(path, None, "not read, for the reason above", request.cat(path)))

    def _linked(self, name: str) -> str:
        from agentws.core.disk import links  # seldom

        return links.document(self.stores.root, name)

    def _warnings(self) -> None:
        """Read the alarms (P17) and notices about this installation for boot.

        A shared audience is told how much is not for it, and nothing that only the owner can fix.
        """
        if self.shared:
            self.notices[:0] = _footing(self.stores.whole, shared=True)[0]
            self.notices += self.stores.not_told()
            return
        self.notices += [note for note in self.stores.notices if note not in self.notices]
        footing, changed = _footing(self.stores, shared=False)
        self.notices[:0] = [*footing, *alarms.of(self.stores), *changed]
        self.notices += alarms.pending(self.stores)

    def _files(self, paths: Sequence[str], role: str, *, missing: str) -> None:
        for path in paths:
            document = None if self._has(path) else self.reader.document(path, missing=self._missing(missing))
            if document is not None:
                self.sources.append(sources.of_file(path, role, document))

    def _missing(self, words: str) -> str:
        """Return the notice for a missing file; empty if it may only be hidden from the audience."""
        return "" if self.stores.shared is not None else words

    def _some(self, listed: Sequence[str], where: str) -> Sequence[str]:
        if len(listed) > _MOST_LISTED:
            self.notices.append(f"{where}: lists {len(listed):,} files; only the first {_MOST_LISTED} were read.")
            more = f"{len(listed) - _MOST_LISTED} more files that {where} lists"
            self.unread.append(Omission(where, None, more, f"cat {where}"))
        return listed[:_MOST_LISTED]

    def exists(self, path: str) -> bool:
        """Return whether there is anything to read at a path; False, and a notice, if that cannot be determined."""
        try:
            return self.stores.files.exists(path)
        except DiskError as error:
            self.notices.append(error.message)
            return False

    def _has(self, path: str) -> bool:
        return any(source.path == path for source in self.sources)


class _Listed:
    """Paths that were listed, asked as files are: a shared view answers for folders only when they are listed."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)

    def exists(self, path: str) -> bool:
        """Return whether a path was listed."""
        return path in self._paths

    def listing(self, folder: str) -> list[str]:
        """Return the names that were listed in a folder."""
        return [name for above, _, name in (path.rpartition("/") for path in self._paths) if above == folder]


def _footing(stores: Stores, *, shared: bool) -> tuple[list[str], list[str]]:
    """Return the notice about this installation's state, and those about a changed SOUL.md; empty if all is as usual.

    A `shared` audience learns only that the agent moved or was retired.
    """
    if not stores.adopted or stores.environment.as_of:
        return [], []
    from agentws.core.identity import write_access
    from agentws.core.stores import facts, identity_drift

    try:
        known = write_access.Facts(**facts.gather(stores))
        if known.writer is None and not shared and stores.damage is None:
            from agentws.core.identity import pinned_writers  # only before the first write

            meets = stores.files, stores.manifest.agent_id, stores.environment.state, stores.manifest
            pinned_writers.meet_at_boot(*meets, at=stores.now_text())
        access = write_access.judge(known)
        messages = [f"{access.said} {access.remedy}."] if access.said else []
        # Whose journal is this installation's is not known either where the manifest cannot be read.
        if shared or stores.damage is not None:
            return messages if access.kind in (write_access.MOVED, write_access.RETIRED) else [], []
        return messages, identity_drift.notices(stores)
    except AgentwsError as error:
        return [f"Cannot tell whether this installation may write: {error.message}"], []
