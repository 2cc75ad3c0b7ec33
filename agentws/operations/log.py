"""log: one durable line in today's file."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats import daily, layout, secrets
from agentws.storage import daily_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.stores import Stores


class Logged:
    """Where the line stands: `path` (RelPath) and `line` (1-based); `entry` is what was written."""

    __slots__ = ("day", "entry", "line", "notices", "path", "time")

    def __init__(self, path: str, line: int, *, day: str, time: str, entry: str, notices: list[str]) -> None:
        self.path = path
        self.line = line
        self.day = day
        self.time = time
        self.entry = entry
        self.notices = notices


def log(
    stores: Stores,
    text: str,
    *,
    kind: str | None = None,
    importance: int | None = None,
    tags: tuple[str, ...] = (),
    via: str | None = None,
    task: str | None = None,
) -> Logged:
    """Append one entry to today's log; when this returns it is durable.

    SecretRefusedError where the text carries a secret, UsageError where it is empty or a part is malformed.
    """
    stores.check_writable()
    secrets.refuse(text, kind, via, task, *tags)
    if not text.isprintable():
        from agentws.formats import inert

        text = inert.written(text)
    if task is not None:
        _check_task(task)
    stores.sweep()
    # One look at the clock decides day and time: at midnight they must not come from two sides of it.
    here = stores.here()
    day, time = here.day, here.time
    if stores.made_for() != "main":
        from agentws.formats import audience

        tags = (*tags, audience.TAG)
    entry = daily.entry(text, time=time, kind=kind, importance=importance, tags=tags, via=via, task=task)
    archived = stores.files.exists(f"{layout.DAYS}/archive/{day[:4]}/{day}.md")
    path = daily.path_for(day, archived=archived)
    heading = stores.manifest.setting("log.heading")
    older = stores.lacks()
    line, kept = daily_log.append(
        stores.files,
        path,
        lambda tail, whole: daily.addition(tail, whole=whole, entry=entry, day=day, heading=heading),
        by=stores.by(),
    )
    stores.sign_in(older=older)  # the line first: where the disk has room for one of the two only, it is that
    notices = list(stores.notices)
    if kept:
        notices.append(f"A line that was cut short by a crash was taken out first, and is kept in {kept}.")
    if task and not stores.files.exists(f"{layout.TASKS}/{task}.md"):
        notices.append(f"There is no tasks/{task}.md; the line was written all the same.")
    return Logged(path, line, day=day, time=time, entry=entry, notices=notices)


def _check_task(name: str) -> None:
    from agentws.formats import letters

    if not name.strip(".") or not letters.is_name(name):
        raise UsageError(f"{name!r} is no task: its name is made of letters, digits, `-`, `_` and `.`.")
