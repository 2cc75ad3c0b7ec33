"""The dashboard: what a person wants to know who has just arrived, from few files. Reads only.

What it calls a problem are the marks of what stopped working; `status` and `doctor` look closer.
"""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.planning.boot import agent_name
from agentws.storage.workspace import alarms
from agentws.storage.workspace.stores import REQUIRE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.formats.journal.event import Event
    from agentws.planning.todo.row import Row
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

_TAIL_BYTES = 1 << 14
_MOST_CALLS = 64
_MARKS = ("- ", "* ", "+ ")


class Dashboard:
    """A workspace at one glance.

    Fields:
        root, name: where, and who.
        now: the present moment, in the zone of the workspace.
        problems: what stopped working, a sentence each.
        open: how many items are open; `next_item` is the one that is due next, else the newest; None for none.
        tasks: state → number of open tasks.
        session: the id of the session that runs here, else None.
        in_flight: the actions whose result is not known, the newest first.
        handoff: path, time (ISO 8601) and whether it is open, of the newest one; None for none.
        log: path and text of the newest line of the newest log; None for none.
        next_steps: commands that suit, the most urgent first.
    """

    __slots__ = (
        *("handoff", "in_flight", "log", "name", "next_item", "next_steps", "notices", "now", "open"),
        *("problems", "root", "session", "tasks"),
    )

    def __init__(self, stores: Stores, now: datetime) -> None:
        self.root = stores.root
        self.name = stores.manifest.name or agent_name.from_folder(stores.root)
        self.now = now
        self.problems: list[str] = []
        self.open = 0
        self.next_item: Row | None = None
        self.tasks: dict[str, int] = {}
        self.session: str | None = None
        self.in_flight: list[Event] = []
        self.handoff: tuple[str, str, bool] | None = None
        self.log: tuple[str, str] | None = None
        self.next_steps: list[str] = []
        self.notices: list[str] = []


def dashboard(stores: Stores) -> Dashboard:
    """The workspace at one glance."""
    found = Dashboard(stores, stores.clock.now())
    if stores.shared is None:
        found.problems = [*stores.odd[:1], *alarms.of(stores), *alarms.pending(stores)]
    may_write = _standing(stores, found)
    verbs: Verbs = stores  # type: ignore[assignment]
    listed = verbs.todos(stale=False)
    _count(found, listed.rows)
    _journal(stores, found)
    found.handoff = _handoff(stores)
    found.log = _log(stores, listed.day)
    found.next_steps = _next_steps(found, may_write=may_write)
    found.notices = listed.notices
    return found


def _standing(stores: Stores, found: Dashboard) -> bool:
    """Return whether this copy may be written to; where not, why not is the first problem."""
    is_left = stores.files.exists(layout.MOVED) or stores.files.exists(layout.RETIRED)
    is_closed = stores.shared is None and stores.manifest.setting("identity.mode") == REQUIRE
    if not (is_left or is_closed):  # as nearly always: then nothing is loaded that judges it
        return stores.adopted
    from agentws.planning.identity import write_access
    from agentws.storage.workspace import facts

    try:
        here = write_access.judge(write_access.Facts(**facts.gather(stores)))
    except AgentwsError as error:
        found.problems.append(error.message)
        return True
    if not here.may_write:
        found.problems.insert(0, f"{here.said} {here.remedy}.")
    return here.may_write


def _count(found: Dashboard, rows: Sequence[Row]) -> None:
    """Fills in how many items and tasks are open, and which item comes next."""
    for row in rows:
        if row.form == "task":
            found.tasks[row.state] = found.tasks.get(row.state, 0) + 1
        else:
            found.open += 1
            found.next_item = found.next_item or row
    dated = [row for row in rows if row.due]
    if dated:
        found.next_item = dated[0]


def _journal(stores: Stores, found: Dashboard) -> None:
    """Fills in the session of this installation, and what of it is in flight; others are not asked."""
    from agentws.storage.installation import installation
    from agentws.storage.journal import reference

    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    if here is None or not stores.adopted or stores.shared is not None:
        return
    try:
        found.session = stores.running_session()
        calls = reference.open_calls(stores.files, [here.writer])[-_MOST_CALLS:]
        events = [reference.at(stores.files, writer, ref) for writer, ref in reversed(calls)]
    except AgentwsError as error:
        found.problems.append(error.message)
        return
    found.in_flight = [event for event in events if event is not None]


def _handoff(stores: Stores) -> tuple[str, str, bool] | None:
    names = sorted((name for name in stores.files.listing(layout.HANDOFFS) if name.endswith(".md")), reverse=True)
    if not names:
        return None
    from agentws.formats.documents import handoff

    path = f"{layout.HANDOFFS}/{names[0]}"
    try:
        newest = handoff.decode(stores.files.read(path), path=path)
    except AgentwsError:
        return path, "", True  # `status` says what is wrong with it
    return path, newest.at, not newest.closed


def _log(stores: Stores, today: str) -> tuple[str, str] | None:
    days = [(day, name) for name in stores.files.listing(layout.DAYS) if (day := layout.day_of(name)) and day <= today]
    for _, name in sorted(days, reverse=True)[:1]:
        path = f"{layout.DAYS}/{name}"
        try:
            tail, _ = stores.files.part(path, _TAIL_BYTES, from_end=True)
        except AgentwsError:
            return None
        lines = tail.decode("utf-8", "replace").split("\n")
        return path, next((line[2:].strip() for line in reversed(lines) if line.startswith(_MARKS)), "")
    return None


def _next_steps(found: Dashboard, *, may_write: bool) -> list[str]:
    """Commands that suit what was found, at most three; none that writes where that is refused."""
    item = found.next_item
    steps = [
        ("agentws doctor", found.problems),
        ("agentws handoff show", found.handoff and found.handoff[2]),
        (f"agentws done {item.ref}" if item else "", may_write and item and item.due),
        ("agentws task list", found.tasks),
        ("agentws todo", found.open),
        ("agentws boot", True),
    ]
    return [command for command, suits in steps if suits][:3]
