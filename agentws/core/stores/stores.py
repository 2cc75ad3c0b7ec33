"""The stores of one workspace: its files, manifest, clock, journal, history and caches, opened when needed."""

from __future__ import annotations

import os
from _thread import get_ident  # threading itself is more than a start needs

from agentws.core.disk import locate
from agentws.core.disk.cache import Cache
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout, manifest
from agentws.errors import AgentwsError, FormatVersionError, NoWorkspaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from agentws.changes import ChangeSet
    from agentws.core.disk import local_time
    from agentws.core.disk.change import transaction
    from agentws.core.environment import Environment
    from agentws.core.formats.journal.event import Event
    from agentws.core.installation.installation import Installation
    from agentws.core.installation.stale_copy import RecordedChange
    from agentws.core.installation.state_dir import State
    from agentws.core.journal.append import Appender
    from agentws.core.journal.calls import Seen
    from agentws.core.journal.shared import SharedFiles
    from agentws.core.ports import Clock, Observer

    Kind = TypeVar("Kind", bound="Stores")

REQUIRE = "require"
"""The mode of `identity.mode` in which only vouched installations may write."""


class Stores:
    """The stores of a workspace: its `files`, `manifest`, `clock` and history.

    `adopted` is False for a folder without a manifest, which is read with default settings. `odd` lists oddities of the
    manifest, or that there is none; `damage` is the error that makes it unreadable, `manifest_digest` its digest.
    `observers` are called for each event that this object has recorded; `begun` are calls that a stream of events
    began, `seen` the calls found in the journal, once it was `asked` for one. `shared` is the view of the files for a
    shared audience, None if nothing is hidden; `whole` is the workspace without that view. `kept` is what the last
    search left open (features/search/corpus.py).
    """

    __slots__ = (
        "_calls", "_clock", "_journal", "_notices", "_whole", "adopted", "asked", "begun", "cache", "damage",
        "environment", "files", "kept", "manifest", "manifest_digest", "observers", "odd", "root", "seen", "shared",
    )  # fmt: skip

    taker: Callable[[Stores], None] | None = None
    """The function of `take_in`, of a feature: verbs.py."""

    def __init__(self, root: str, environment: Environment) -> None:
        self.root = root
        self.environment = environment
        self.files = Files(root, patience_s=environment.patience_s)
        self.cache = Cache(environment.cache, root)
        self.manifest = manifest.default()
        self.manifest_digest = ""
        self.adopted = locate.has_manifest(root)
        self.damage: AgentwsError | None = None
        self.odd: list[str] = []
        self.observers: list[Observer] = []
        self.begun: dict[str, None] = {}
        self.asked = False
        self.seen: Seen | None = None
        self._clock: Clock | None = None
        self.shared: SharedFiles | None = None
        self._whole: Stores | None = None
        self.kept: object = None
        self._journal: Appender | None = None
        self._notices: dict[int, list[str]] = {}
        self._calls: dict[int, str] = {}

    @property
    def notices(self) -> list[str]:
        """The notices of the verb that runs on these stores in this thread: oddities of the manifest, and others."""
        return self._notices.setdefault(get_ident(), list(self.odd))

    @notices.setter
    def notices(self, messages: list[str]) -> None:
        self._notices[get_ident()] = messages

    @property
    def call(self) -> str:
        """The id of the call whose changes the stores make in this thread, empty for none: `undo` reverts them."""
        return self._calls.get(get_ident(), "")

    @call.setter
    def call(self, id: str) -> None:
        self._calls[get_ident()] = id

    def begin(self) -> None:
        """Begin a verb on these stores in this thread: notices of the one before are dropped."""
        self.notices = list(self.odd)
        self.take_in()

    def take_in(self) -> None:
        """Record the tool calls that hooks left as files, if any: features/hosts/hook/call_files.py."""
        try:
            if Stores.taker is not None and any(name[0] != "." for name in os.listdir(f"{self.root}/{layout.CALLS}")):
                Stores.taker(self)
        except OSError:
            return  # no hook has left any

    @property
    def clock(self) -> Clock:
        """The clock of the stores, in the workspace's zone (in UTC if that zone is unknown here)."""
        if self._clock is None:
            self._clock = self._open_clock()
        return self._clock

    def _open_clock(self) -> Clock:
        from agentws.core.disk.clock import FixedClock, SystemClock

        fixed = self.environment.now
        try:
            zone = self.manifest.timezone
            return FixedClock(fixed, zone) if fixed else SystemClock(zone)
        except AgentwsError as error:
            self._say_odd(f"{layout.MANIFEST}: {error.message} Times are in UTC.")
            return FixedClock(fixed, "UTC") if fixed else SystemClock("UTC")

    def here(self) -> local_time.LocalTime:
        """Return the present time of the stores in the workspace's zone (in UTC if that zone is unknown here)."""
        from agentws.core.disk import local_time

        fixed = self.environment.now
        second = int(fixed.timestamp() // 1) if fixed else local_time.now()
        try:
            return local_time.at(second, self.manifest.timezone, self.cache)
        except AgentwsError:
            _ = self.clock  # opening it says what is wrong
            return local_time.at(second, "UTC", self.cache)

    def moment_us(self) -> int:
        """Return the present time of the stores, in microseconds since 1970."""
        from agentws.core.journal import stamp

        fixed = self.environment.now
        return stamp.now() if fixed is None else round(fixed.timestamp() * 1_000_000)

    def now_text(self) -> str:
        """Return the present time of the stores as the journal writes it: ISO 8601 in UTC."""
        from agentws.core.journal import stamp

        return stamp.text(self.moment_us())

    def through(self: Kind, files: Files) -> Kind:
        """Return the same stores with files read through `files`; hidden text stays hidden."""
        other = type(self).__new__(type(self))
        for name in Stores.__slots__:
            setattr(other, name, getattr(self, name))
        if self.shared is not None:
            other.shared = files = self.shared.over(files)
        other.files = files
        other.kept = None  # each closes what it opened
        return other

    @property
    def whole(self) -> Stores:
        """The stores of the workspace without the view for a shared audience."""
        return self._whole or self

    @property
    def own_session(self) -> str | None:
        """The session of the process that opened the stores: the environment's, else the host's if it runs here."""
        hosted = self.environment.hosted
        if self.environment.session or not hosted:
            return self.environment.session
        return hosted if self.running_session() == hosted else None

    @property
    def machine(self) -> tuple[Files, str, State]:
        """Files, agent id and state folders: by these core/installation finds what this machine knows of the agent."""
        return self.files, self.manifest.agent_id, self.environment.state

    def installation(self) -> Installation | None:
        """Return this installation of the workspace, None before its first write."""
        from agentws.core.installation import installation

        return installation.find(*self.machine)

    def running_session(self) -> str | None:
        """Return the session that an event in these stores without one would get; nothing is written."""
        from agentws.core.journal import attribution, head

        own = self.installation()
        end = head.read(self.whole.files, own.writer) if own is not None else None
        return attribution.newest(self.whole.files, end, {}, hosted=self.environment.hosted) if end else None

    @property
    def is_narrowed(self) -> bool:
        """Return whether the environment may narrow the stores' audience; mostly it does not."""
        environment = self.environment
        return bool(environment.session or environment.hosted or environment.audience or environment.unnamed)

    def audience(self, asked: str | None = None) -> str:
        """Return who sees the stores' output: the session's audience, narrowed by the environment and by `asked`."""
        if not self.is_narrowed and asked in (None, "main"):
            return "main"
        from agentws.core.formats import audience

        result = audience.narrower(self.environment.audience, asked)
        session = self.environment.session or self.environment.hosted  # a left-over one narrows too
        if result == audience.MAIN and (session or self.environment.unnamed):
            from agentws.core.journal import session_audience as _audience

            if session:
                result = _audience.recorded(self.whole.files, session)
                if result == audience.MAIN and self.environment.unnamed:  # a program that serves groups has named it
                    is_known = _audience.is_recorded(self.whole.files, session, self.unknown_writers())
                    return audience.MAIN if is_known else audience.SHARED
                return result
            return _audience.of_unnamed(self.whole.files)
        return result

    def made_for(self) -> str:
        """Return the audience of what the stores make: shared in a shared session, unless a prompt is private."""
        session = self.own_session
        if not session:
            return "main"
        from agentws.core.journal import session_audience as _audience

        return _audience.made(self.files, session)

    def visible_to(self: Kind, asked: str | None = None) -> Kind:
        """Return the stores as their audience may see them: a read-only view for a shared one."""
        if self.shared is not None or self.audience(asked) == "main":
            return self
        from agentws.core.journal.shared import SharedFiles

        other = self.through(self.files)
        other._whole = self
        tags = self.manifest.setting("boot.private_tags")
        other.shared = other.files = SharedFiles(self.files, tags, unknown=self.unknown_writers)
        other.cache = Cache(None, self.root)  # cached answers for one audience must not be used for another
        return other

    def unknown_writers(self) -> set[str]:
        """Return the writers that this machine does not know: they need not be believed that a session was shared."""
        from agentws.core.stores import writer_trust

        return writer_trust.of(self).unknown

    def not_told(self) -> list[str]:
        """Return a notice with the number of items that the stores hide from the audience; none for the main one."""
        count = self.shared.left_out if self.shared is not None else 0
        things = "1 item is" if count == 1 else f"{count} items are"
        return [f"{things} hidden from this audience."] if count else []

    def appender(self) -> Appender:
        """Return the stores' journal of this installation, to append to; its first write makes its writer.

        A new writer is also made if the workspace is an older copy of what this installation has written: see
        core/identity/admission.py.
        """
        if self.shared is not None:
            return self.whole.appender()  # what is read as a shared audience may is never written to
        if self._journal is None:
            from agentws.core.journal import head

            self.check_writable()
            own = head.left_by(*self.machine)
            if own is None:
                self._enter(in_history=True)
            else:
                from agentws.core.journal import append

                self._journal = append.Appender(self.files, own.agent, own.writer, own.folder, secret=own.secret)
                self._journal.hosted = self.environment.hosted
        assert self._journal is not None
        return self._journal

    def missing_change(self) -> RecordedChange | None:
        """Return this installation's newest change if these stores lack it; called before a write hides that.

        Lost changes that are present again are removed from the record, since a write hides that too.
        """
        from agentws.core.installation import installation, stale_copy

        try:
            own = self.installation()
            if own is None:
                return None
            if installation.LOST in own.record:
                from agentws.core.identity import join

                join.forget_back(self.files, own)
            return stale_copy.missing_change(self.files, own.folder)
        except AgentwsError:
            return None  # `sign_in` reports the error

    def sign_in(self, *, older: RecordedChange | None, in_history: bool = True) -> None:
        """Make this installation's writer if the first write to these stores needs no journal.

        A failure is a notice: the write goes on. `older` is what `missing_change` returned before the write,
        `in_history` says that no state is recorded after it.
        """
        try:
            from agentws.core.installation import stale_copy
            from agentws.core.journal import head

            journal = self._journal or head.left_by(*self.machine)
            if journal is None or older is not None:
                journal = self._enter(in_history=in_history, older=older)
            stale_copy.keep(self.files, journal.folder, self.now_text)
        except AgentwsError as error:
            self.notices.append(f"This installation is not a known writer: {error.message}")

    def _enter(self, *, in_history: bool, older: RecordedChange | None = None) -> Appender:
        from functools import partial

        from agentws.core.identity import admission
        from agentws.core.stores import write

        records = in_history and self.keeps_history()
        before = partial(write.mark_unrecorded, self) if records else None
        self._journal, begins = admission.admit(*self.machine, self.moment_us, before=before, older=older)
        if records and begins:
            write.record(self, "identity")  # of the documents, which this verb did not touch, nothing is said here
        return self._journal

    def close_journal(self) -> None:
        """Close the stores' journal: the next event opens it again."""
        self._journal = None

    def check_writable(self) -> None:
        """Raise an error if this installation may not write to these stores.

        The errors of `check_adopted`; MayNotWriteError if the agent has moved away or was retired, or if the manifest
        requires a vouch or the lease and this installation has none.
        """
        self.check_adopted()
        locate.check_not_left(self.files)
        if self.manifest.setting("identity.mode") == REQUIRE:
            from agentws.core.identity import admission

            admission.require(*self.machine, self.now_text)
        if (mode := self.manifest.setting("sync.lease")) != "off":
            from agentws.core.identity import lease

            says = lease.check(*self.machine, mode)
            self.notices += [says] if says and says not in self.notices else []

    def check_adopted(self) -> None:
        """Raise an error if the stores are not those of a workspace that this version can write.

        NoWorkspaceError for a folder that was not adopted, DamagedError for an unreadable manifest, FormatVersionError
        for features that only a newer version may write.
        """
        if not self.adopted:
            raise NoWorkspaceError(
                f"{self.root} looks like an agent's workspace but is not adopted yet.",
                hint=locate.ELSEWHERE
                if self.environment.by_agent
                else "To adopt the folder: agentws init (existing files stay unchanged).",
            )
        if self.damage is not None:
            raise self.damage
        unknown = self.manifest.unknown_write_features
        if unknown:
            raise FormatVersionError(
                f"{layout.MANIFEST}: writing needs a version that supports: {', '.join(unknown)}.",
                hint="Upgrade agentws (in a clone: git pull && pip install .). "
                "Reading (boot, status) works with this one.",
            )

    def own_documents(self, folder: str, names: Iterable[str]) -> list[str]:
        """Return which of these names in `tasks/` or `handoffs/` are Markdown files of these stores.

        Files of another program that `init` found there are documents, neither tasks nor handoffs.
        """
        markdown_files = layout.markdown_files(names)
        if folder not in self.manifest.setting("adopted.documents"):
            return markdown_files
        from agentws.core.disk import adopted_folders

        paths = adopted_folders.own_documents(self.files, [f"{folder}/{name}" for name in markdown_files])
        return [path.removeprefix(f"{folder}/") for path in paths]

    def refuse_forgotten(self, *texts: str) -> None:
        """Raise ForgottenError if a text contains forgotten text; a person who writes it again lifts its entries."""
        if self.files.exists(layout.KEPT_OUT):
            from agentws.core.stores import kept_out  # only where something was forgotten

            kept_out.refuse(self, *texts)

    def without_forgotten(self, value: Any) -> Any:
        """Return a JSON value with a stand-in for each line that contains forgotten text; that is a notice."""
        if not self.files.exists(layout.KEPT_OUT):
            return value
        from agentws.core.stores import kept_out  # only where something was forgotten

        return kept_out.without(self, value)

    def withhold_forgotten(self, events: Iterable[Event]) -> None:
        """Put stand-ins into these events for forgotten text that another machine has yet to purge."""
        if self.whole.files.exists(layout.KEPT_OUT):
            from agentws.core.stores import kept_out  # only where something was forgotten

            kept_out.in_events(self.whole, events)

    def is_over(self, text: str) -> bool:
        """Return whether this whole text was rejected or superseded, so that it is not offered for MEMORY.md again."""
        if not self.files.exists(layout.KEPT_OUT):
            return False
        from agentws.core.formats.kept_out import REJECTED, SUPERSEDED
        from agentws.core.stores import kept_out  # only where something is kept out

        kept = kept_out.read(self)
        return kept is not None and kept.whole(text, REJECTED, SUPERSEDED) is not None

    def keeps_out(self) -> Callable[[str], bool] | None:
        """Return the check whether a text contains forgotten text; None if nothing was forgotten."""
        if not self.whole.files.exists(layout.KEPT_OUT):
            return None
        from agentws.core.stores import kept_out  # only where something was forgotten

        kept = kept_out.read(self.whole)
        return (lambda text: bool(kept.among(text.split("\n")))) if kept is not None else None

    def settle(self) -> None:
        """Repair what a killed process left in the stores, before a verb reads files; reported as a notice."""
        from agentws.core.disk.change import transaction

        self._say_restored(transaction.settle(self.files))
        self.catch_up()

    def catch_up(self) -> None:
        """Record the present documents in history if that failed or was interrupted, as by a kill."""
        if self.history_failure() and self.keeps_history():
            self.record("catches up")

    def sweep(self) -> None:
        """Repair what a killed change left in the stores before a line is appended: a quick check, which never waits.
        Errors are left for a verb that changes files.
        """
        from agentws.core.disk import lock

        if not lock.is_noted(self.root, lock.TRANSACTION):
            return
        from agentws.core.disk.change import transaction

        try:
            self._say_restored(transaction.sweep(self.files))
        except AgentwsError:
            return

    def _say_restored(self, paths: list[str]) -> None:
        if paths:
            from agentws.core.text import names

            self.notices.append(f"An interrupted change was reverted: {names.some(sorted(set(paths)))}.")
            self.load()

    def load(self) -> None:
        """Read the stores' manifest (again). FormatVersionError; other damage is kept in `damage`, and a notice."""
        self.damage = self._clock = None
        self.odd = []
        try:
            self.manifest = self._decoded(self.files.read(layout.MANIFEST))
        except FormatVersionError:
            raise
        except AgentwsError as error:
            self.damage = error
            self._say_odd(f"{error.message.rstrip('.')}. Read with default settings.")
        else:
            for says in self.manifest.wrong.values():
                self._say_odd(says)
            for key in self.manifest.unknown_settings:
                self._say_odd(f"{layout.MANIFEST}: unknown setting {key} has no effect. Known ones: agentws config")

    def _say_odd(self, says: str) -> None:
        self.odd.append(says)
        if says not in self.notices:
            self.notices.append(says)

    def _decoded(self, content: bytes) -> manifest.Manifest:
        self.manifest_digest = digest.quick(content)
        known = self.cache.get("manifest")
        if known is not None and known[0] == self.manifest_digest:
            return manifest.restored(known[1], content)
        settings = manifest.decode(content, where=layout.MANIFEST)
        self.cache.put("manifest", [self.manifest_digest, settings.plain()], made_by=[manifest.__file__])
        return settings

    def apply(
        self,
        changes: ChangeSet,
        *,
        undoes: int | None = None,
        redoes: int | None = None,
        signs_in: bool = True,
        receives: bool = False,
        run: str | None = None,
        logs: list[dict[str, object]] | None = None,
        is_exact: bool = False,
    ) -> transaction.Applied:
        """Apply the changes to the stores and record one state in history: see core/stores/write.py."""
        from agentws.core.stores import write

        fields = {"undoes": undoes, "redoes": redoes, "run": run, "logs": logs}
        return write.apply(self, changes, fields, signs_in=signs_in, receives=receives, is_exact=is_exact)

    def record(self, verb: str) -> None:
        """Record the stores' present documents as one state of history; a failure is a notice."""
        from agentws.core.stores import write

        self.notices += write.record(self, verb)

    def by(self) -> dict[str, object]:
        """Return who changes the stores, and when, for the record of changes (docs/format/local.md)."""
        fields: dict[str, object] = {"at": self.now_text(), "host": os.uname().nodename, "user": os.getuid()}
        named = {"session": self.own_session, "call": self.call}
        return fields | {"shell": os.getsid(0)} | {name: value for name, value in named.items() if value}

    def keeps_history(self) -> bool:
        """Return whether the stores have a repository and the manifest allows recording states in it."""
        from agentws.core.states import repository

        off = self.manifest.setting("history.commits") == "off"
        return not off and repository.find(self.root) is not None

    def history_failure(self) -> str:
        """Return when and why the stores last failed to record history, empty if all is well or it still runs."""
        says, goes_on = self._history()
        return "" if goes_on else says

    def is_recording(self) -> bool:
        """Return whether another process is recording the stores' history now."""
        return self._history()[1]

    def _history(self) -> tuple[str, bool]:
        from agentws.core.disk import local_dir

        left = self._left(local_dir.HISTORY_FAILURE)
        if not left:
            return "", False
        from agentws.core.stores import marks

        return marks.parted(left)

    def held_back(self) -> list[str]:
        """Return the stores' documents that history did not record since lines in them look like secrets."""
        from agentws.core.disk import local_dir

        return [path for path in self._left(local_dir.HELD_BACK).split("\n") if path]

    def _left(self, path: str) -> str:
        # As marks.of, which boot has no other business with.
        try:
            return self.files.part(path, 1 << 16)[0].decode("utf-8", "replace").strip("\0 \n")
        except AgentwsError:
            return ""


def open_at(start: str | None, environment: Environment) -> Stores:
    """Return the stores of the workspace at `start`, or by default of the one that contains the present folder.

    A folder with an agent's files that was not adopted is opened too, for reading. A damaged manifest is a notice here
    and an error on write. NoWorkspaceError, also for one of another user that was found in a folder above;
    FormatVersionError.
    """
    root = locate.find(start) or locate.find_unadopted(start)
    if root is None:
        raise locate.none_here(start, by_agent=environment.by_agent)
    stores = Stores(root, environment)
    owned = locate.check_owner(start, root)
    if not stores.adopted:
        adopt = locate.ELSEWHERE if environment.by_agent else "To adopt it, without changing a file: agentws init"
        stores.odd.append(f"This folder is not adopted yet, so default settings apply. {adopt}")
        return stores
    stores.load()
    if owned:
        stores._say_odd(owned)
    return stores
