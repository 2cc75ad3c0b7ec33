"""The past of a workspace, as history has it at an earlier moment, for `boot --now`. See docs/guides/history.md.

Its documents are those of the state in force at that moment. Logging a line records no state: the logs of the days
since that state come from the next one, or from the disk, up to that moment.
"""

from __future__ import annotations

from functools import partial

from agentws.core.disk import clock
from agentws.core.disk.cache import Cache
from agentws.core.formats import layout
from agentws.core.formats.documents import sources
from agentws.core.states import versions
from agentws.core.states.past import PastFiles
from agentws.core.text import names
from agentws.errors import AgentwsError, DamagedError, FormatVersionError
from agentws.features.history.plan import point_in_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.core.disk.files import Files
    from agentws.core.states.past import Past
    from agentws.core.stores.stores import Stores
    from agentws.features.history.plan.point_in_time import State

_AT_ONCE = 90
_AS_NOW = "the current documents are shown."


def of(stores: Stores) -> Stores | None:
    """Return the workspace as it was at the past moment of `stores`, None if history lacks it; problems are notices."""
    moment = stores.environment.now
    if moment is None or moment >= (stores.environment.present or clock.SystemClock("UTC").now()):
        return None
    try:
        past = versions.open_past(stores.files, stores.manifest)
        states = [point_in_time.State(*each) for each in past.states()] if past else []
        if past is None or not states:
            return None
        state = point_in_time.newest_until(states, moment)
        if state is None:
            began = states[-1].local(stores.clock.now().tzinfo)
            stores.notices.append(f"History begins only at {began:%Y-%m-%d %H:%M}: {_AS_NOW}")
            return None
        return _opened(stores, _Then(stores, past, state, point_in_time.next_after(states, state)))
    except AgentwsError as error:
        stores.notices.append(f"History could not be read ({error.message.rstrip('.')}): {_AS_NOW}")
        return None


def _opened(stores: Stores, then: _Then) -> Stores:
    """Return the same workspace with the documents of that moment, manifest included. Nothing of it is cached."""
    result = stores.through(PastFiles(stores.root, then.paths, read=then.content, is_now=then.is_now))
    result.cache = Cache(None, stores.root)
    result.notices = list(stores.notices)
    if layout.MANIFEST in then.paths:
        result.notices = []  # what is odd about the present manifest is not asked
        try:
            result.load()
        except FormatVersionError as error:
            result.notices.append(f"{error.message} Using the current manifest.")
    pinned = [path for path in result.manifest.setting("boot.pinned") if not layout.is_document(path)]
    if pinned:
        result.notices.append(
            f"History does not have these files; their current content is shown: {names.some(pinned)}."
        )
    return result


class _Then:
    """The files at the moment of `stores`: the documents of `state`, and the logs that had grown since.

    `later` is the state after that, None if `state` is the newest.
    """

    def __init__(self, stores: Stores, past: Past, state: State, later: State | None) -> None:
        self._past = past
        self._tree = {path: name for path, name in past.tree(state.id).items() if layout.is_document(path)}
        self._read: dict[str, bytes] = {}
        self._disk = self._later = stores.files
        if later is not None:
            read = partial(self._of, tree := past.tree(later.id))
            self._later = PastFiles(stores.root, tree, read=read, is_now=lambda path: False)
        local = stores.here()
        self._today, self._time = local.day, local.time
        self._since = state.local(stores.clock.now().tzinfo).strftime("%Y-%m-%d")
        self._held = frozenset(stores.held_back()) - set(self._tree)
        self._logs = dict(self._grown())
        self.paths = frozenset({*self._tree, *self._logs})

    def is_now(self, path: str) -> bool:
        """Return True for a file that history never recorded because it looks like a secret."""
        return path in self._held and path not in self._logs

    def content(self, path: str) -> bytes:
        """The content of one of `paths`."""
        return self._logs[path] if path in self._logs else self._of(self._tree, path)

    def _of(self, tree: dict[str, str], path: str) -> bytes:
        """The content of a file of a state."""
        if tree[path] not in self._read:
            # With the newest ones beside it: boot asks for one after the other, and each question is a process.
            folder = path.rpartition("/")[0]
            others = (name for name in tree if name.rpartition("/")[0] == folder)
            beside = sorted((other for other in others if tree[other] not in self._read), reverse=True)
            self._read |= self._past.read([tree[name] for name in (path, *beside[:_AT_ONCE])])
        content = self._read.get(tree[path])
        if content is None:
            raise DamagedError(f"{path}: the git repository does not contain this version.")
        return content

    def _grown(self) -> Iterator[tuple[str, bytes]]:
        """(path → content then) of the logs of the days from the state on."""
        for path, later in self._found_later().items():
            recorded = self._of(self._tree, path) if path in self._tree else None
            until = self._time if _day(path) == self._today else ""
            data = point_in_time.log_then(recorded, later, until=until)
            if data is not None:
                yield path, data

    def _found_later(self) -> dict[str, bytes | None]:
        """(path → content at the next record) of these logs; compaction may have moved them since."""
        there = [f"{layout.DAYS}/{name}" for name in self._later.listing(layout.DAYS)]
        years = [f"{layout.ARCHIVE}/{year}" for year in self._later.listing(layout.ARCHIVE) if year.isdigit()]
        months = [f"{year}/{name}" for year in years for name in self._later.listing(year) if name.endswith(".jsonl")]
        months = [path for path in months if self._since[:7] <= path[-13:-6] <= self._today[:7]]
        known = sources.Sidecar()
        for content in _contents(self._later, months).values():
            sources.decode(content.decode("utf-8", "surrogateescape"), known)
        texts = {folded.path: folded.to for folded in known.folded.values() if folded.to and self._is_meant(folded.day)}
        texts |= {path: path for path in there if self._is_meant(_day(path))}
        contents = _contents(self._later, texts.values())
        held = [path for path in self._held if self._is_meant(_day(path))]
        return {**{path: contents.get(place) for path, place in texts.items()}, **_contents(self._disk, held)}

    def _is_meant(self, day: str) -> bool:
        return self._since <= day <= self._today


def _contents(files: Files, paths: Iterable[str]) -> dict[str, bytes]:
    """(path → content) of these files, without those that are gone: they cannot tell what was appended."""
    contents = {}
    for path in paths:
        try:
            contents[path] = files.read(path)
        except AgentwsError:
            continue
    return contents


def _day(path: str) -> str:
    """The day of a log that lies in the folder of logs itself, empty for anything else."""
    folder, _, name = path.rpartition("/")
    return (layout.day_of(name) or "") if folder == layout.DAYS else ""
