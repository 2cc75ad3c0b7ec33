"""agentws restore FILE: restores a document from a recorded state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Result
from agentws.core.formats import digest, layout, manifest
from agentws.core.stores import record, seals
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, ChangedUnderneathError, UsageError
from agentws.features.history import access, file_names
from agentws.features.history.access import Opened
from agentws.features.history.plan import point_in_time
from agentws.features.history.plan.point_in_time import Difference, State

RESTORED = "file.restored"
_IDENTITY = "identity/"
_FORGET = "forget"


class Restored(Result):
    """The result of a restore, or of a dry run: the file `path`, called `was` in the state `id` of the moment `at`.

    `to` is its destination if that is another path. `before` and `after` are digests, `added`, `removed` and `patch`
    the changes at the destination; `is_same` if there are none. `cursor` is the restore's event, None without one.
    """

    __slots__ = (
        "added", "after", "at", "before", "cursor", "dry_run", "id", "is_same", "notices", "patch", "path", "removed",
        "to", "was",
    )  # fmt: skip

    def __init__(self, path: str, was: str, to: str, opened: Opened, state: State) -> None:
        self.path = path
        self.was = was
        self.to = to
        self.id = state.id
        self.at = opened.local(state)
        self.before = self.after = ABSENT
        self.added = self.removed = 0
        self.patch: Sequence[str] = ()
        self.is_same = False
        self.dry_run = True
        self.cursor: str | None = None
        self.notices: list[str] = []


def restore(
    stores: Stores,
    file: str,
    *,
    near: str = "",
    at: str | None = None,
    to: str | None = None,
    dry_run: bool = False,
    known: Restored | None = None,
) -> Restored:
    """Restore a document from the state that `at` means (a time or an id), in place or to the path `to`.

    Without `at` that is the newest state, or if the file is missing there, the newest that has it.

    It can be undone like any other change. `known` is the result of a dry run: ChangedUnderneathError if the file has
    changed since. MissingFileError if the file did not exist in that state.
    """
    path = file_names.meant(stores, file, near)
    _refuse(path)
    is_unread = stores.damage is not None or not stores.adopted
    comes_back = is_unread and path == layout.MANIFEST and to is None
    if not dry_run and not comes_back:
        stores.check_writable()
        stores.settle()
    opened = access.opened(stores, path)
    readings = file_names.readings(stores, file, near)
    state = opened.state(at) if at is not None else _newest(opened, readings)
    path, was, content = _then(opened, readings, state)
    if comes_back:
        _read_with(stores, content)
    done = Restored(path, was, _target(stores, path, to, near), opened, state)
    _compare(stores, done, content)
    if known is not None and (known.before, known.after, known.to) != (done.before, done.after, done.to):
        raise ChangedUnderneathError(
            f"{done.to}: changed after the preview; nothing was restored.", hint="Re-run the command."
        )
    if not dry_run and not done.is_same:
        stores.apply(ChangeSet("restore", (Write(done.to, content, expects=done.before),)))
        done.notices += _tell(stores, done)
    done.dry_run = dry_run
    done.notices += [*stores.notices, *_forgotten(opened, done, state)]
    return done


def _read_with(stores: Stores, content: bytes) -> None:
    """Let the workspace be read with the manifest that comes back: what it says of writing counts for this already."""
    stores.manifest = manifest.decode(content, where=f"{layout.MANIFEST}, as it was")
    stores.damage, stores.adopted = None, True
    stores.odd = []
    stores.notices.clear()  # they told of what is mended by this


def _refuse(path: str) -> None:
    access.refuse_other(path)
    if path.startswith(_IDENTITY):
        raise UsageError(f"{path} lists the writers and is append-only.", hint="See: agentws identity show")


def _newest(opened: Opened, readings: Sequence[str]) -> State:
    """The newest state; where the file was gone by then, the newest that has it."""
    newest = opened.state(None)
    there = opened.tree(newest.id)
    if any(name in there for path in readings for name in file_names.names(opened, path)):
        return newest
    return next((state for path in readings for state in file_names.having(opened, path)), newest)


def _then(opened: Opened, readings: Sequence[str], state: State) -> tuple[str, str, bytes]:
    """(path, what it was called then, its content then) of the first reading that the state knows."""
    there = opened.tree(state.id)
    for path in readings:
        was = next((name for name in file_names.names(opened, path) if name in there), "")
        if was:
            content = opened.past.read([there[was]]).get(there[was])
            if content is None:
                raise access.missing_content(opened, was, state, file_names.having(opened, path))
            return path, was, content
    raise access.missing(opened, readings[0], state)


def _target(stores: Stores, path: str, to: str | None, near: str) -> str:
    if to is None:
        return path
    target = file_names.meant(stores, to, near)
    _refuse(target)
    if stores.files.exists(target):
        raise UsageError(f"{target} already exists.", hint="Name a new path, or leave out --to.")
    return target


def _compare(stores: Stores, done: Restored, content: bytes) -> None:
    done.before, done.after = stores.files.digest(done.to), digest.of(content)
    done.is_same = done.before == done.after
    is_there = done.before != ABSENT
    difference = Difference(stores.files.read(done.to) if is_there else b"", content)
    done.added, done.removed = difference.added, difference.removed
    done.patch = point_in_time.patch(difference, before=done.to if is_there else None, after=done.to)


def _tell(stores: Stores, done: Restored) -> list[str]:
    """Record the event, and seal where that is due; what fails is a notice, for the file is restored."""
    body: dict[str, object] = {
        "path": done.to, "from": done.was, "at": done.at.isoformat(), "state": done.id, "before": done.before,
        "after": done.after,
    }  # fmt: skip
    try:
        recorded, notices = record.record(stores, [record.told(RESTORED, body=body)])
    except AgentwsError as error:
        return [f"Restored, but the event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    done.cursor = recorded[0].cursor
    return [*notices, *seals.quietly(stores, due=True)]


def _forgotten(opened: Opened, done: Restored, state: State) -> list[str]:
    """A notice where `forget` has changed the file since: what was to be forgotten comes back with it."""
    since = list(takewhile(lambda outcome: outcome.id != state.id, opened.walk()))
    later = {outcome.id for outcome in since if outcome.verb.partition(" ")[0] == _FORGET}
    if not any(step.state.id in later for step in file_names.steps(opened, done.path)):
        return []
    return [f"`agentws forget` has changed {done.path} since that state: the restored text may contain forgotten text."]
