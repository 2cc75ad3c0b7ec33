"""status: gathers the health of a workspace: checks, boot files, logs, tasks, handoffs and memory. Reads only."""

from __future__ import annotations

from agentws import features
from agentws.core import Result
from agentws.core.disk import dir_cache, lenient, local_dir, task_heads
from agentws.core.disk.inspect import mounts, scan
from agentws.core.disk.system import shipped
from agentws.core.findings import WARNING, Check, Finding, of_error
from agentws.core.formats import agent_name, layout
from agentws.core.formats.documents import document, handoff, task
from agentws.core.states import past, repository
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.core.text.names import some
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.doctor import checks as _checks, documents as inspected, sessions
from agentws.features.doctor.plan import durability, location, verdict

__all__ = ["Check", "Status", "status"]

_LARGEST_READ_BYTES = 1 << 20
_MOST_LOGS = 60
_TRIES_AGAIN = "Fix the cause. The next command that writes tries again."


class Status(Result):
    """The result of `status`.

    `files` are (path, bytes, tokens); `tasks` (state → number); `layers` (layer of memory, content). `handoffs` are the
    paths of open ones, `broken` the sessions for which boot recovers a missing one, `in_flight` the actions (tool,
    call) of crashed ones. `checks` has the state of each protection, `damage` the findings in the documents that were
    read, `findings` the problems as `doctor` lists them, the worst first, but before them those with the identity;
    `archived_day` is that of the newest archived log if no other is there; `not_checked` is what only `doctor` checks.
    """

    __slots__ = (
        "_counted",
        "_texts",
        "adopted",
        "agent_id",
        "archived_day",
        "broken",
        "checks",
        "counter",
        "damage",
        "days",
        "findings",
        "handoffs",
        "in_flight",
        "large",
        "layers",
        "name",
        "not_checked",
        "notices",
        "root",
        "tasks",
        "timezone",
    )  # fmt: skip

    def __init__(self, stores: Stores) -> None:
        self.root = stores.root
        self.adopted = stores.adopted
        self.agent_id = stores.manifest.agent_id
        self.name = stores.manifest.name
        self.timezone = stores.manifest.timezone
        self.counter = stores.manifest.setting("boot.tokenizer")
        self._texts: list[tuple[str, int, str]] = []
        self._counted: list[tuple[str, int, int]] = []
        self.large: list[str] = []
        self.days: list[str] = []
        self.archived_day = ""
        self.tasks: dict[str, int] = {}
        self.handoffs: list[str] = []
        self.broken: list[str] = []
        self.in_flight: list[tuple[str, str]] = []
        self.layers: list[tuple[str, str]] = []
        self.checks: list[Check] = []
        self.damage: list[Finding] = []
        self.findings: list[Finding] = []
        self.notices: list[str] = []
        self.not_checked = verdict.DEEPER

    @property
    def files(self) -> list[tuple[str, int, int]]:
        """(path, bytes, tokens) of each file that boot begins with, for the status; tokens are counted on first use."""
        if self._texts:
            counter = counters.counter(self.counter, shipped.open_o200k)
            self._counted = [(path, size, counters.tokens(counter, text)) for path, size, text in self._texts]
            self._texts = []
        return self._counted

    def add_file(self, path: str, size: int, text: str) -> None:
        """Add a boot file of `size` bytes to the status; its tokens are counted later."""
        self._texts.append((path, size, text))

    @property
    def unlogged(self) -> str:
        """What to say of the logs where none is in `memory/`: when the last was, if it is archived."""
        last = self.archived_day
        return f"no log in memory/, the last ({last}) is archived" if last else "no log in memory/"

    @property
    def well(self) -> bool:
        """Return whether no check found a problem. `doctor` checks more."""
        return not any(finding.needs_you for finding in self.findings)


def status(stores: Stores) -> Status:
    """Return the status of the workspace. Reads only."""
    state = Status(stores)
    seen = Seen(stores, scan.look(stores.files), is_glance=True)
    notes = _look(seen, state)
    findings = [*_checks.quick(seen), *state.damage]
    advising = {check.name for check in state.checks if check.advises}
    listed = verdict.findings(findings, state.checks)
    state.findings = [finding for finding in listed if finding.needs_you or finding.name in advising]
    state.findings.sort(key=lambda finding: finding.name != "identity")  # who works in a copy must know it first
    state.checks += verdict.unsaid(findings, state.checks)
    unended = sessions.find(stores, notes)
    state.broken = list(unended.broken)
    state.in_flight = list(unended.in_flight)
    state.layers = sessions.layers(
        stores, days=state.days, handoffs=len(state.handoffs) + len(state.broken), gone=unended.gone
    )
    state.name = state.name or agent_name.from_folder(stores.root)
    return state


def look(seen: Seen) -> Status:
    """Return a status with only the checks and the damage in documents, for `doctor`."""
    state = Status(seen.stores)
    _look(seen, state)
    return state


def _look(seen: Seen, state: Status) -> list[handoff.Handoff]:
    """Fill in the checks, files and tasks; return the handoffs."""
    stores = seen.stores
    documents, notes = _documents(seen, state)
    state.checks = [
        _manifest(stores),
        documents,
        _interrupted(stores),
        _writable(seen),
        _history(seen),
        *(check for ask in features.each("checks", stores.files) for check in ask(seen)),
        *_size(state.large),
    ]
    return notes


def _size(large: list[str]) -> list[Check]:
    """Return a failing check if a file is so large that boot leaves out its middle."""
    if not large:
        return []
    more = f" and {len(large) - 1} more" if len(large) > 1 else ""
    says = f"too large to be read completely: {large[0]}{more}; boot reads the beginning and the end"
    return [Check("size", ok=False, says=says, remedy="Move old content to another file.")]


def _manifest(stores: Stores) -> Check:
    if not stores.adopted:
        says = "not adopted yet: read-only, with default settings"
        return Check("manifest", ok=False, says=says, remedy="agentws init")
    _ = stores.clock  # opening the clock checks the time zone
    if stores.odd:
        remedy = stores.damage and stores.damage.hint
        return Check(
            "manifest", ok=False, says=stores.odd[0], remedy=remedy or f"Correct {layout.MANIFEST} in an editor."
        )
    return Check("manifest", ok=True, says=f"format 1, times in {stores.manifest.timezone}")


def _documents(seen: Seen, state: Status) -> tuple[Check, list[handoff.Handoff]]:
    """Fill in files, tasks and handoffs; return the check whether documents are readable, and the handoffs."""
    stores = seen.stores
    odd: list[Finding] = []
    for path in (*layout.AGENT_FILES, *stores.manifest.setting("boot.pinned")):
        try:
            data, size = stores.files.part(path, _LARGEST_READ_BYTES)
        except MissingFileError:
            continue
        except AgentwsError as error:
            odd.append(_unread(error))
            continue
        state.add_file(path, size, data.decode("utf-8", "replace"))
        odd += inspected.damage(path, data, is_cut=size > len(data))
        if not lenient.is_whole(size, data):
            state.large.append(f"{path} ({size / 1e6:,.1f} MB)")
    there = seen.look.names(layout.DAYS)
    logs = sorted(layout.daily_logs(there if there and not seen.look.cut else _listing(stores, layout.DAYS, odd)))
    state.days = list(dict.fromkeys(name[:10] for name in logs))
    if folders := stores.manifest.setting("log.folders"):
        from agentws.core.disk import adopted_folders

        state.days = sorted({*state.days, *(day for day, _ in adopted_folders.daily_notes(stores.files, folders))})
    if not state.days:
        state.archived_day = _archived_day(stores, odd)
    odd += _logs(stores, [f"{layout.DAYS}/{name}" for name in logs[-_MOST_LOGS:]])
    handoffs = []
    _count_tasks(stores, state, odd)
    for folder in (layout.HANDOFFS, layout.CONTEXTS):
        for name in stores.own_documents(folder, [name for name, _ in _names(stores, folder, odd)]):
            path = f"{folder}/{name}"
            made = _document(stores, path, odd)
            if made is not None and folder == layout.HANDOFFS:
                handoffs.append(handoff.Handoff(path, made))
                handoffs[-1].body = ""  # the texts are not kept in memory
    state.handoffs = [note.path for note in handoff.still_open(handoffs)]
    links = {entry.path for entry in seen.look.entries.values() if entry.kind != scan.FILE}
    odd = state.damage = [each for each in odd if each.path not in links]  # a link is a separate finding
    if odd:
        remedy = "Correct these files: boot skips unreadable content."
        return Check("documents", ok=False, says=_first(odd), remedy=remedy), handoffs
    return Check("documents", ok=True, says="boot files, tasks, handoffs and contexts are readable"), handoffs


def _archived_day(stores: Stores, odd: list[Finding]) -> str:
    """Return the day of the newest archived log, empty for none."""
    years = sorted(name for name, kind in _names(stores, layout.ARCHIVE, odd) if kind == "folder" and name.isdigit())
    logs = (layout.daily_logs(_listing(stores, f"{layout.ARCHIVE}/{year}", odd)) for year in reversed(years))
    return next((max(names)[:10] for names in map(list, logs) if names), "")


def _logs(stores: Stores, paths: list[str]) -> list[Finding]:
    """Return the damage in these logs; `doctor` reads all logs."""
    odd: list[Finding] = []
    files = dir_cache.over(stores.files)
    try:
        for path in paths:
            try:
                data, size = files.part(path, _LARGEST_READ_BYTES)
            except AgentwsError:
                continue  # boot and `doctor` report it
            odd += inspected.damage(path, data, is_cut=size > len(data))
    finally:
        dir_cache.let_go(files)
    return odd


def _first(odd: list[Finding]) -> str:
    """Return the first finding as text, and the paths of the others."""
    others = [path for path in dict.fromkeys(each.path or each.says for each in odd[1:]) if path != odd[0].path]
    says = f"{odd[0].where}: {odd[0].says}" if odd[0].where else odd[0].says
    return f"{says.rstrip('.')}; also: {some(others)}" if others else says


def _unread(error: AgentwsError) -> Finding:
    return of_error("unread", WARNING, error.message, remedy=error.hint or inspected.MEND)


def _count_tasks(stores: Stores, state: Status, odd: list[Finding]) -> None:
    """Fill in how many tasks there are of each status; for most of them the first lines are read."""
    names = stores.own_documents(layout.TASKS, [name for name, _ in _names(stores, layout.TASKS, odd)])
    paths = [f"{layout.TASKS}/{name}" for name in names]
    files = dir_cache.Held(stores.root)
    try:
        for path in paths:
            status = task_heads.status(files, path)
            if status is None:
                made = _document(stores, path, odd)
                status = task.Task(task_heads.slug(path), made).status if made is not None else None
            if status is not None:
                state.tasks[status] = state.tasks.get(status, 0) + 1
    finally:
        files.close()


def _document(stores: Stores, path: str, odd: list[Finding]) -> document.Document | None:
    """Return a document, None if it cannot be read. With damaged front matter it has no fields, as for boot."""
    try:
        data = stores.files.part(path, _LARGEST_READ_BYTES)[0]
    except AgentwsError as error:
        odd.append(_unread(error))
        return None
    read, damage = document.lenient(data, where=path)
    if damage is not None:
        odd += inspected.damage(path, data)
    return read


def _names(stores: Stores, folder: str, odd: list[Finding]) -> list[tuple[str, str]]:
    try:
        return stores.files.names(folder)
    except AgentwsError as error:
        odd.append(_unread(error))
        return []


def _listing(stores: Stores, folder: str, odd: list[Finding]) -> list[str]:
    try:
        return stores.files.listing(folder)
    except AgentwsError as error:
        odd.append(_unread(error))
        return []


def _interrupted(stores: Stores) -> Check:
    try:
        unfinished = local_dir.interrupted(stores.files)
    except AgentwsError as error:
        return Check("changes", ok=False, says=error.message, remedy="Check the owner and mode of .agentws.")
    if unfinished:
        return Check(
            "changes",
            ok=False,
            says="a change was interrupted",
            remedy="No data is lost. To complete or revert the change: agentws doctor --fix",
        )
    return Check("changes", ok=True, says="no change was interrupted")


def _writable(seen: Seen) -> Check:
    stores = seen.stores
    if stores.files.writable():
        for denied in location.unwritable(seen.unwritable()):
            return Check("disk", ok=False, says=f"{denied.path} {denied.says}", remedy=denied.remedy)
        tight = location.free_space(mounts.free_space(stores.root))
        return Check("disk", ok=not tight, says=tight or "writable", remedy=location.MAKE_ROOM if tight else "")
    return Check(
        "disk",
        ok=False,
        says="read-only",
        remedy="Check the owner and mode of the folder, and how its disk is mounted.",
    )


def _history(seen: Seen) -> Check:
    stores = seen.stores
    failure = stores.history_failure()
    if failure:
        return Check("history", ok=False, says=f"not recorded since {failure}", remedy=durability.RECORD)
    mode = stores.manifest.setting("history.commits")
    if mode == "off" or repository.find(stores.root) is None:
        why = "switched off" if mode == "off" else "no repository"
        return Check("history", ok=True, says=f"no history ({why})")
    try:
        newest = seen.newest_state()
    except AgentwsError as error:
        return Check("history", ok=False, says=error.message, remedy=error.hint or _TRIES_AGAIN)
    since = f"newest state {newest[1]:%Y-%m-%d %H:%M}" if newest else "no state yet"
    kept = seen.history
    line = kept.line if kept is not None and kept.kind == "ref" else "own branch"
    says, remedy = f"{since} ({line})", ""
    held_back = stores.held_back()
    try:
        newer = seen.look.modified_since(newest[1].timestamp()) if newest else []
        later = (
            past.edited(stores.files, seen.history, newest[0], newer, but=held_back) if seen.history and newest else []
        )
    except AgentwsError as error:
        return Check("history", ok=False, says=error.message, remedy=error.hint or _TRIES_AGAIN)
    if later:
        says += f"; edited since, not in it yet: {some(later)}"
    others = seen.others()
    if others:
        says += f"; not versioned (not documents): {some(others)}"
        remedy = durability.KEEP
    if held_back:
        says += f"; not versioned (possible secrets): {some(held_back)}"
        remedy = f"To version a file that holds no secret, add it to history.include in {layout.MANIFEST}."
    return Check("history", ok=True, says=says, remedy=remedy)
