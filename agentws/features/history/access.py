"""Opens the recorded history for reading, or explains what is available without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from agentws.core.disk import clock
from agentws.core.disk.change import undo_record
from agentws.core.formats import layout
from agentws.core.states import repository, versions
from agentws.core.states.past import Past
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DamagedError, MissingFileError, UsageError
from agentws.features.history.plan import point_in_time
from agentws.features.history.plan.point_in_time import State

_MOST_CHANGES = 3
_SHORT = 10
_SETTING = f'commits = "ref" under [history] in {layout.MANIFEST}'


class Opened:
    """The opened history of a workspace: its states, newest first, and the `past` that reads their content."""

    def __init__(self, stores: Stores, past: Past) -> None:
        self.stores = stores
        self.past = past
        self.newest = next(self.walk(), None)

    def state(self, word: str | None, *, notices: list[str] | None = None) -> State:
        """Return the state of history that `word` means, an id or a time; the newest for None. UsageError.

        With `notices`, a time before history begins means its first state, and a notice says so.
        """
        if word is None and self.newest is not None:
            return self.newest
        states = point_in_time.named(self.walk(), word or "")
        if len(states) > 1:
            raise UsageError(
                f"{len(states)} states begin with {word!r}.", hint=f"Type more digits, such as {states[0].id[:_SHORT]}."
            )
        return states[0] if states else self._at(word or "", notices)

    def walk(self) -> Iterator[State]:
        """Yield every state of history, newest first, loaded only as needed."""
        return (State(*each) for each in self.past.walk())

    def tree(self, id: str) -> dict[str, str]:
        """Return (path → content id) of the documents in history's state with this id."""
        return {path: content for path, content in self.past.tree(id).items() if layout.is_document(path)}

    def shown(self, state: State) -> str:
        """Return when history recorded a state, in the workspace's zone, and its short id."""
        return f"{self.local(state):%Y-%m-%d %H:%M} ({state.id[:_SHORT]})"

    def local(self, state: State) -> datetime:
        """Return when history recorded a state, in the workspace's zone."""
        return state.local(self.stores.clock.now().tzinfo)

    def _at(self, word: str, notices: list[str] | None) -> State:
        try:
            moment = clock.moment(word, now=self.stores.clock.now())
        except UsageError as error:
            raise UsageError(
                f"{word!r} is neither a time nor a state id.",
                hint="Write 2026-11-20, 2026-11-20T07:15, yesterday, 3d, or an id that `agentws history FILE` shows.",
            ) from error
        state = point_in_time.newest_until(self.walk(), moment)
        if state is None:
            *_, state = self.walk()
            says = f"History begins on {self.shown(state)}; {word} is earlier."
            if notices is None:
                raise UsageError(says, hint=f"The oldest state is {state.id[:_SHORT]}.")
            notices.append(says)
        return state


def opened(stores: Stores, path: str = "") -> Opened:
    """Return the history of the workspace; AgentwsError if none is kept, with what else there is of `path`."""
    is_read = stores.adopted and stores.damage is None
    past = None if is_read else versions.open_past_blindly(stores.files)
    past = past or versions.open_past(stores.files, stores.manifest)
    if past is None:
        raise _none_kept(stores, path)
    result = Opened(stores, past)
    if result.newest is None:
        raise AgentwsError(
            f"History has no state yet.{_kept_for_undo(stores, path)}",
            hint="The next change by agentws records a state, such as: agentws remember TEXT",
        )
    return result


def refuse_other(path: str) -> None:
    """Raise UsageError, with the reason, if history does not record the file at `path`."""
    if layout.is_document(path):
        return
    top = path.partition("/")[0]
    if top == layout.JOURNAL:
        raise UsageError(f"{path} is part of the append-only journal.", hint="See: agentws journal list")
    what = "belongs to this machine only" if top == layout.LOCAL else "is not a document"
    raise UsageError(
        f"{path} {what}: history does not contain it.",
        hint="History contains the manifest and the Markdown files of the workspace. See: agentws docs format/layout",
    )


def missing(opened: Opened, path: str, state: State) -> MissingFileError:
    """Return the error for a file that did not exist in a state of history."""
    return MissingFileError(
        f"{path} did not exist on {opened.shown(state)}.", hint=f"To list its states: agentws history {path}"
    )


def missing_content(opened: Opened, path: str, state: State, others: Sequence[State]) -> DamagedError:
    """Return the error for a file whose content git lacks in a state of history; `others` are states that have one."""
    known = ", ".join(f"{opened.shown(other)}" for other in others[:_MOST_CHANGES])
    have = f"These states have the content: {known}. Restore one: agentws restore {path} --at ID." if known else ""
    return DamagedError(
        f"{path} existed on {opened.shown(state)}, but the git repository lacks its content."
        f"{_kept_for_undo(opened.stores, path)}",
        hint=f"{have or 'No other state here has the content.'} If this is a partial clone: git fetch --refetch",
    )


def _none_kept(stores: Stores, path: str) -> AgentwsError:
    """Return the error for a workspace without history: why, what undo has instead, how to begin one."""
    is_off = stores.manifest.setting("history.commits") == "off"
    has_repository = repository.find(stores.root) is not None
    why = f"it is switched off in {layout.MANIFEST}" if is_off else "there is no git repository"
    steps = [*([] if has_repository else ["git init"]), *([f"set {_SETTING}"] if is_off else [])]
    return AgentwsError(
        f"There is no history: {why}.{_kept_for_undo(stores, path)}",
        hint=f"To start one: {', then '.join(steps)}. The next change by agentws then records a state.",
    )


def _kept_for_undo(stores: Stores, path: str) -> str:
    """A sentence about the records of undo that hold the file as it was, or about undo at all."""
    changes = list(undo_record.changes_of(stores.files, path)) if path else []
    if not changes:
        return " `agentws undo` reverts the last change by agentws."
    named = ", ".join(f"{change.verb} (.agentws/undo/{change.number:06d})" for change in changes[:_MOST_CHANGES])
    return f" Earlier versions of {path}, kept for undo: from before {named}."
