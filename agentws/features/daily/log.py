"""log and todo: append one durable line to today's log."""

from __future__ import annotations

from agentws.core import Record, Result, several
from agentws.core.disk import daily_log, local_dir
from agentws.core.formats import layout
from agentws.core.formats.documents import daily
from agentws.core.formats.secrets import secrets
from agentws.errors import AgentwsError, NothingOpenError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from agentws.core.notes.closure import Row
    from agentws.core.stores.stores import Stores

_KINDS = (*daily.KINDS, "rule", "waiting")
"""Kinds of entries that agentws treats specially."""


class Logged(Record, Result):
    """A line appended to today's log: `path` (RelPath), `line` (1-based), its text as `entry`, and `ref` (or empty)."""

    path: str
    line: int
    day: str
    time: str
    entry: str
    ref: str
    notices: list[str]

    def plain(self) -> dict[str, object]:
        """Return the line appended to the log and its place as JSON fields."""
        fields = {name: getattr(self, name) for name in ("path", "line", "day", "time")}
        return {**fields, "entry": self.entry.rstrip("\n")}


def log(
    stores: Stores,
    text: str,
    *,
    kind: str | None = None,
    importance: int | None = None,
    tags: str | Sequence[str] = (),
    via: str | None = None,
    task: str | None = None,
    closes: str | Sequence[str] = (),
) -> Logged:
    """Append one entry to today's log; when this returns it is durable.

    `task` is a slug, or a unique beginning of one. `closes` are the references of the items that the entry closes, as
    `todos` lists them. A reference without an open item is a notice, in a session with a shared audience a
    NothingOpenError. SecretRefusedError if the text contains a secret, UsageError if it is empty or not UTF-8, or a
    part is malformed.
    """
    stores.check_writable()
    tags = tuple(several(tags))
    _check(text, kind, via, task, *tags)
    whole = task
    if task is not None:
        _check_task(task)
        whole = _whole(stores, task)
    kind, said_of_kind = _kind(stores, kind) if kind and kind not in _KINDS else (kind, [])
    closes = tuple(ref.removeprefix("^") for ref in several(closes))
    unknown = _unknown(stores, closes) if closes else []
    if unknown and stores.is_narrowed and stores.audience() != "main":
        raise NothingOpenError(_nothing_open(unknown[0]), hint="List open items: agentws todo")
    logged = _append(stores, text, kind, tags, importance=importance, via=via, task=whole, closes=closes)
    if whole != task:
        logged.notices.append(f"--task {task} was read as {whole}.")
    logged.notices += [*said_of_kind, *(f"{_nothing_open(ref)} The line was written." for ref in unknown)]
    if kind in daily.CLOSING and not closes:
        verb = "done" if kind == daily.DONE else "drop"
        logged.notices.append(f"This line closes no item. To close one: agentws {verb} WORDS|REF")
    return logged


def log_closed(stores: Stores, text: str, *, kind: str, tags: tuple[str, ...], closes: tuple[str, ...]) -> Logged:
    """Append the line to today's log that closes items which were found to be open.

    Of their `tags` it has the private ones, so that it is hidden too.
    """
    from agentws.core.formats.documents import shared
    from agentws.core.markdown import notes

    secrets.refuse(text)
    labels = shared.labels(stores.manifest.setting("boot.private_tags"))
    tags = tuple(tag for tag in tags if notes.has_label(f"#{tag}", labels))
    if closes and not text.isprintable():  # the references close the items, so the words need not match
        from agentws.core.text import utf8

        text = utf8.replaced(text)
    return _append(stores, text, kind, tags, closes=closes)


def todo(
    stores: Stores, text: str, *, due: str | date | None = None, for_whom: str | None = None, via: str | None = None
) -> Logged:
    """Append one open item to today's log, with a reference by which `done` closes it.

    `due` is a time as for tasks (2026-11-24, monday, 3d), `for_whom` a name. Errors as for `log`.
    """
    stores.check_writable()
    _check(text, for_whom, via)
    _check_new(stores, text.strip())
    _check_due(text, due)
    day, notices = _day(stores, due) if due is not None else ("", [])
    first, newline, rest = text.replace("\r\n", "\n").strip().partition("\n")
    if first:
        first += _for(for_whom) + (f" (due {day})" if day else "")
    logged = _append(stores, first + newline + rest, daily.TODO, (), via=via, has_ref=True)
    logged.notices += notices
    return logged


def _check_due(text: str, day: object) -> None:
    """Raise UsageError if the text of a todo is empty, has an invalid due date, or one in addition to `--due`."""
    if not text.strip():
        raise UsageError("The item has no text.", hint='For example: agentws todo "Call Tom" --due friday')
    if "(due " not in text and "📅" not in text:
        return
    from agentws.core.notes import entry as _entry

    if wrong := _entry.unreadable(text):
        raise UsageError(f"{wrong!r} is not a date.", hint="Write the day as in (due 2026-11-24), or use --due friday.")
    if day is not None and (marked := _entry.day_in(text)):
        raise UsageError(
            f"The text is due on {marked} already.", hint="Leave that out of the text, or leave out --due."
        )


def _check(*texts: str | None) -> None:
    """Raise SecretRefusedError if a text contains a secret, UsageError if one is not UTF-8."""
    secrets.refuse(*texts)
    if not all(text is None or text.isprintable() for text in texts):
        from agentws.core.text import utf8

        utf8.check(*texts)


def _append(
    stores: Stores,
    text: str,
    kind: str | None,
    tags: tuple[str, ...],
    *,
    importance: int | None = None,
    via: str | None = None,
    task: str | None = None,
    closes: tuple[str, ...] = (),
    has_ref: bool = False,
) -> Logged:
    if not text.isprintable():
        from agentws.core.text import sanitize

        text = sanitize.written(text)
    stores.sweep()
    # The clock is read once: around midnight, day and time must belong together.
    local = stores.here()
    day, time = local.day, local.time
    if stores.made_for() != "main":
        from agentws.core.formats import audience

        tags = (*tags, audience.TAG)
    archived = stores.files.exists(f"{layout.DAYS}/archive/{day[:4]}/{day}.md")
    path = daily.path_for(day, archived=archived)
    ref = _reference(stores, path, day, time, text) if has_ref else ""
    entry = daily.entry(
        text, time=time, kind=kind, importance=importance, tags=tags, via=via, task=task, closes=closes, ref=ref
    )
    if has_ref:
        _check_open(entry)
    stores.refuse_forgotten(entry)
    heading = stores.manifest.setting("log.heading")
    older = stores.missing_change()
    notices = _lost_lines(stores)
    may_be_halved = False

    def addition(tail: bytes, whole: bool) -> bytes:
        nonlocal may_be_halved
        may_be_halved = not whole or b"<<<<<<<" in tail
        return daily.addition(tail, whole=whole, entry=entry, day=day, heading=heading)

    line, kept = daily_log.append(stores.files, path, addition, by=stores.by())
    stores.sign_in(older=older)  # the line first: if the disk has room for one of the two only, it is the line
    notices += stores.notices
    if may_be_halved:
        notices += _conflict(stores, path)
    if kept:
        notices.append(f"A line that a crash had cut off was moved to {kept}.")
    if task and not stores.visible_to().files.exists(f"{layout.TASKS}/{task}.md"):
        notices.append(f"Task {task} does not exist; the line was written anyway.")
    return Logged(path, line, day, time, entry, ref, notices)


def _lost_lines(stores: Stores) -> list[str]:
    """Return a notice for each log in which acknowledged lines are missing, and for MEMORY.md if facts are."""
    try:
        if not local_dir.is_overwritten(stores.files):
            return []
        from agentws.core.stores import lost_lines  # seldom

        return [lost.notice for lost in lost_lines.losses(stores.files)]
    except AgentwsError:
        return []  # this line is what counts now; `status` and `doctor` report damage


def _conflict(stores: Stores, path: str) -> list[str]:
    """Return a notice if the log has an unresolved merge conflict, so that its lines are not read."""
    from agentws.core.markdown import conflict  # seldom

    try:
        data = stores.files.read(path)
    except AgentwsError:
        return []  # the line is written; readers report the file
    at = conflict.line(data.decode("utf-8", "replace")) if b"<<<<<<<" in data else 0
    says = "an unresolved merge conflict; the line was written, but boot and todo do not read the file."
    return [f"{path}:{at}: {says} {conflict.REMEDY}"] if at else []


def _reference(stores: Stores, path: str, day: str, time: str, text: str) -> str:
    """Return a reference for the entry that is unique in its log; across logs readers resolve equal references.

    Without that, an item closed and added again within a minute would be closed by the first one's closing line.
    """
    from agentws.core.notes import reference

    own = stores.installation()
    writer = own.writer if own else stores.manifest.agent_id
    known = stores.files.read(path) if stores.files.exists(path) else b""
    while f"^{(result := reference.computed('', f'{writer} {day}', f'{time} {text}'))}".encode() in known:
        text += "\0"
    return result


def _check_open(entry: str) -> None:
    """Raise UsageError if marks in the entry say that it is done: it would be written, but never listed."""
    first = entry.partition("\n")[0]
    if first.isascii() and "~~" not in first:
        return
    from agentws.core.markdown import notes
    from agentws.core.text import origin

    if notes.state(first) in (notes.DONE, notes.DROPPED) and not origin.of_line(first):
        raise UsageError(
            "The text is marked as done (ticked or struck through).",
            hint="Remove the mark, or put it in backticks.",
        )


def _check_new(stores: Stores, text: str) -> None:
    """Raise UsageError if the text is the reference of an open item, which is already written."""
    from agentws.core.notes import reference

    if not reference.is_like_ours(text.removeprefix("^")):
        return
    from agentws.core.notes import closure

    named = closure.by_reference(text, _rows(stores))
    if named:
        raise UsageError(
            f"{text} is open already: {closure.words(named[0].text, '')}",
            hint=f"To change its day: agentws drop {named[0].ref}, then add the item again with --due.",
        )


def _unknown(stores: Stores, refs: tuple[str, ...]) -> list[str]:
    """Return the references that no open item has, as far as this session may know."""
    from agentws.core.notes import closure

    rows = _rows(stores)
    return [ref for ref in refs if not closure.by_reference(ref, rows)]


def _rows(stores: Stores) -> list[Row]:
    """Return all open items, as far as this session may know them."""
    from agentws import features
    from agentws.core.stores import open_items

    open_item = open_items.read(stores.visible_to(), features.each("open_items"))
    return [*open_item.rows, *open_item.outside]


def _nothing_open(ref: str) -> str:
    return f"No open item has the reference {ref}."


def _kind(stores: Stores, word: str) -> tuple[str, list[str]]:
    """Return the kind to write for an unknown word (its kind in another language, or the word itself), with notices."""
    lower = word.lower()
    if lower in _KINDS:
        return lower, []
    from agentws.core.notes import vocabulary

    kind = vocabulary.extended(stores.manifest.vocabulary).kind(word)
    if kind in _KINDS:
        return kind, [f"The kind {word} was written as {kind}."]
    return lower, [
        f"The kind {word} was stored, but agentws does not treat it specially. Known kinds: {', '.join(_KINDS)}."
    ]


def _for(whom: str | None) -> str:
    if whom is None:
        return ""
    if not (name := " ".join(whom.split())) or any(sign in name for sign in "()[]"):
        raise UsageError(f"{whom!r} is not a name.", hint="Write the name without brackets: --for Sam")
    return f" (for {name})"


def _day(stores: Stores, due: str | date) -> tuple[str, list[str]]:
    """Return the day that `due` names, with the minute if given, and a notice if it is past.

    UsageError if it is not a time.
    """
    from agentws.core.notes import schedule, vocabulary

    day, is_past = schedule.due(due, now=stores.clock.now(), day_name=vocabulary.day)
    return day, [f"The due date {str(due).strip()} is in the past: already overdue."] if is_past else []


def _whole(stores: Stores, task: str) -> str:
    """Return the slug that uniquely begins with this text; the text itself if none or several do."""
    files = stores.visible_to().files
    if files.exists(f"{layout.TASKS}/{task}.md"):
        return task
    from agentws.core.disk import named

    return named.whole(files, layout.TASKS, task)


def _check_task(name: str) -> None:
    from agentws.core.text import letters

    if not name.strip(".") or not letters.is_name(name):
        raise UsageError(f"{name!r} is not a task name: use letters, digits, `-`, `_` and `.`.")
