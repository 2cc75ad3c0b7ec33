"""agentws history: the newest states, or those in which a file changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from agentws.core import Result
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.history import access, file_names
from agentws.features.history.access import Opened
from agentws.features.history.file_names import Step
from agentws.features.history.plan import point_in_time
from agentws.features.history.plan.point_in_time import Difference, State

MOST = 20


class StateChange(Result):
    """A change of the file in one state: `change` is `added`, `changed`, `moved` or `removed`.

    `at` is in the workspace's zone; `verb` is empty if a person recorded the state, `subject` is the first line of its
    message; `path` is the file's name from then on, `moved_from` its earlier name if that differs.
    """

    __slots__ = ("added", "at", "change", "id", "moved_from", "path", "removed", "subject", "verb")

    def __init__(self, opened: Opened, step: Step, difference: Difference) -> None:
        self.id = step.state.id
        self.at = opened.local(step.state)
        self.verb = step.state.verb
        self.subject = step.state.subject
        self.path = step.after or step.before
        self.moved_from = step.before if step.after and step.before != step.after else ""
        self.change = _word(step)
        self.added, self.removed = difference.added, difference.removed


@dataclass(slots=True, repr=False)
class StateList(Result):
    """The history of the file at `path`: its `changes`, newest first, and the number of `earlier` ones not shown.

    `edited` are the lines added and removed since the newest state, None without any.
    """

    path: str
    changes: Sequence[StateChange]
    earlier: int
    edited: tuple[int, int] | None = None
    notices: list[str] = field(default_factory=list)


class RecentState(Result):
    """A state of history and the documents that changed in it, by path."""

    __slots__ = ("at", "id", "paths", "subject", "verb")

    def __init__(self, opened: Opened, state: State, paths: list[str]) -> None:
        self.id = state.id
        self.at = opened.local(state)
        self.verb = state.verb
        self.subject = state.subject
        self.paths = paths


@dataclass(slots=True, repr=False)
class RecentStates(Result):
    """The newest `states` of the history; `has_earlier` is whether there are older ones."""

    states: list[RecentState]
    has_earlier: bool
    notices: list[str]


def recent_states(stores: Stores, *, limit: int = MOST) -> RecentStates:
    """Return the newest `limit` states with the documents changed in each; AgentwsError if no history is kept."""
    _check_limit(limit)
    opened = access.opened(stores)
    states = list(islice(opened.walk(), limit + 1))
    trees = [opened.tree(state.id).items() for state in states] + [{}.items()]
    recent = [
        RecentState(opened, state, sorted({path for path, _ in tree ^ before}))
        for state, tree, before in zip(states[:limit], trees, trees[1:], strict=False)
    ]
    return RecentStates(recent, has_earlier=len(states) > limit, notices=list(stores.notices))


def history(stores: Stores, file: str, *, near: str = "", limit: int = MOST) -> StateList:
    """Return the newest `limit` states in which a file changed, under all its names.

    A folded daily log is followed to the archive. `file` may be absolute, or relative to the folder `near` of the
    workspace or to its root. MissingFileError if no state has it; AgentwsError if no history is kept.
    """
    _check_limit(limit)
    path = file_names.meant(stores, file, near)
    access.refuse_other(path)
    opened = access.opened(stores, path)
    path, steps, earlier = _first_known(opened, file_names.readings(stores, file, near), limit)
    contents = opened.past.read([id for step in steps for id in (step.before_id, step.after_id)])
    changes = [_change(opened, step, contents) for step in steps]
    state_list = StateList(path, changes, earlier=earlier)
    state_list.edited = _edited(opened, steps[0], path)
    state_list.notices = [*stores.notices, *_lacking(opened, steps, contents)]
    return state_list


def _check_limit(limit: int) -> None:
    if limit < 1:
        raise UsageError(f"--limit must be at least 1, not {limit}.", hint="Use 1 or more.")


def _first_known(opened: Opened, paths: Sequence[str], limit: int) -> tuple[str, list[Step], int]:
    for path in paths:
        steps, earlier = file_names.newest_steps(opened, path, limit)
        if steps:
            return path, steps, earlier
    raise MissingFileError(
        f"No state of history contains {paths[0]}.", hint="History leaves out new files and files with secrets."
    )


def _lacking(opened: Opened, steps: Sequence[Step], contents: dict[str, bytes]) -> list[str]:
    """A notice where the repository lacks what a state holds: it was not counted."""
    states = [step.state for step in steps if step.after_id and step.after_id not in contents]
    if not states:
        return []
    more = f" and {len(states) - 1} more" if len(states) > 1 else ""
    return [f"The repository lacks the content of {opened.shown(states[0])}{more}: these lines are counted as empty."]


def _change(opened: Opened, step: Step, contents: dict[str, bytes]) -> StateChange:
    before, after = (contents.get(id, b"") for id in (step.before_id, step.after_id))
    return StateChange(opened, step, point_in_time.Difference(before, after))


def _word(step: Step) -> str:
    if not step.before or not step.after:
        return "added" if step.after else "removed"
    return "changed" if step.before == step.after else "moved"


def _edited(opened: Opened, newest: Step, path: str) -> tuple[int, int] | None:
    """Return the lines added and removed since the newest state, if the file exists."""
    try:
        now = opened.stores.files.read(newest.after or path)
    except AgentwsError:
        return None
    if opened.past.content_id(now) == newest.after_id:
        return None
    recorded = opened.past.read([newest.after_id]).get(newest.after_id, b"")
    difference = point_in_time.Difference(recorded, now)
    return difference.added, difference.removed
