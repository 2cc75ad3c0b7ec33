"""log: one durable line in today's file."""

from __future__ import annotations

from agentws.errors import SecretRefusedError
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
    _refuse_secrets(text)
    # One look at the clock decides day and time: at midnight they must not come from two sides of it.
    now = stores.clock.now()
    day, time = now.date().isoformat(), f"{now:%H:%M}"
    entry = daily.entry(text, time=time, kind=kind, importance=importance, tags=tags, via=via, task=task)
    archived = stores.files.exists(f"{layout.DAYS}/archive/{day[:4]}/{day}.md")
    path = daily.path_for(day, archived=archived)
    heading = stores.manifest.setting("log.heading")
    line = daily_log.append(
        stores.files,
        path,
        lambda tail, whole: daily.addition(tail, whole=whole, entry=entry, day=day, heading=heading),
    )
    notices = list(stores.notices)
    if task and not stores.files.exists(f"{layout.TASKS}/{task}.md"):
        notices.append(f"There is no tasks/{task}.md; the line was written all the same.")
    return Logged(path, line, day=day, time=time, entry=entry, notices=notices)


def _refuse_secrets(text: str) -> None:
    """Raise SecretRefusedError where `text` carries a secret, or the placeholder of one that was redacted."""
    found = secrets.find(text)
    if found:
        kinds = ", ".join(sorted({finding.kind for finding in found}))
        raise SecretRefusedError(
            f"This looks like a secret ({kinds}, line {found[0].line}); nothing was written.",
            hint="Keep the secret in your secret store and log where it is. If it is none, reword it, "
            "or write it into the file yourself.",
        )
    if secrets.has_placeholder(text):
        raise SecretRefusedError(
            "The text holds the placeholder of a redacted secret; nothing was written.",
            hint="A placeholder is not the content: write what you mean instead.",
        )
