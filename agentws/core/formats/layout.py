"""The layout of a workspace: paths, names and kinds of its files. Specified in docs/format/layout.md.

A place inside a workspace is a RelPath: a relative path with `/` between names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

RelPath = str

MANIFEST = "agentws.toml"
SOUL = "SOUL.md"
IDENTITY = "IDENTITY.md"
USER = "USER.md"
AGENTS = "AGENTS.md"
MEMORY = "MEMORY.md"

DAYS = "memory"
DIGEST = "memory/digest.md"
OLD_DIGEST = "memory/archive/digest.md"
"""Digest of folded days, made by `compact`: docs/format/memory.md."""
ARCHIVE = "memory/archive"
IMPORTED = f"{DAYS}/imported"
"""Memories of other programs, a page for each: docs/format/memory.md."""
SOURCES = f"{DAYS}/sources.jsonl"
SUPERSEDED = f"{ARCHIVE}/superseded.md"
TASKS = "tasks"
CONTEXTS = "contexts"
HANDOFFS = "handoffs"
APPROVALS = "approvals"
"""Questions to a person, with the action that each is about: docs/format/approval.md."""
JOURNAL = "journal"
DATA = "data"
"""Tables of rows, which are documents, and in its folders the logs that programs keep: docs/format/layout.md."""
ARTIFACTS = "artifacts"
"""Files by their SHA-256; the table data/artifacts.jsonl names them."""
CHECKPOINTS = "checkpoints"
CONFLICTS = "conflicts"
"""Conflicts of two machines, until a person decides: docs/format/sync.md."""
WRITERS = "identity/writers.jsonl"
SIGNERS = "identity/allowed_signers"
APPROVERS = "identity/approvers"
"""The keys of people who may approve, with `.sig` beside it: docs/format/approval.md."""
MACHINE_RULES = "/etc/agentws/rules.toml"
"""The rules of the administrator of this machine, which an agent cannot write. A constant."""
RULES, RULES_SIGNATURE = "identity/ask-rules.toml", "identity/ask-rules.toml.sig"
"""Rules for calls that need approval, signed by a person: docs/format/rules.md."""
KEPT_OUT = "identity/kept-out.jsonl"
"""Digests of what was forgotten, rejected or superseded: docs/format/kept-out.md."""
MOVED = "identity/moved.json"
RETIRED = "identity/retired.jsonl"
EXAM = "exam.toml"
"""Questions to boot and search, with what must be in the answer: docs/format/exam.md."""
INCOMING = ".incoming-"
"""Part of the name of a folder into which a copy of a workspace is arriving."""
LOCAL = ".agentws"
OWN_FOLDER = ".agentmem"
"""The folder of a workspace in a code repository, which keeps it apart from the code."""
IDLE_PARTS = f"{LOCAL}/idle-parts"
MIGRATION = f"{LOCAL}/migration.json"
"""The move from here that is under way: docs/format/local.md."""
FENCE = f"{LOCAL}/fence.json"
"""The calls in flight of crashed sessions, and the sessions that run side by side (core/stores/fence.py)."""
CALLS = f"{LOCAL}/calls"
"""Tool calls that the hook file wrote: docs/format/local.md."""
HOOK = f"{LOCAL}/hook"
"""The shell script that hooks of agent programs start, written by `install` for this machine."""
ARRIVAL = f"{LOCAL}/arrival.json"
"""How the copy came here, where the agent has moved: docs/format/identity.md."""
WORKFLOW = "workflow-"
RESTORED, TASK_RUNS, WORKFLOWS = f"{LOCAL}/restored", f"{LOCAL}/task-runs.json", f"{LOCAL}/{WORKFLOW}*"

AGENT_FILES = (SOUL, IDENTITY, USER, AGENTS, MEMORY)
"""Files that boot reads from the root, in the order of its output."""

_IN_ANY_CASE = {path.lower(): path for path in AGENT_FILES}

HOST_FILES = ("BOOT.md", "BOOTSTRAP.md", "CLAUDE.md", "GEMINI.md", "HEARTBEAT.md", "TOOLS.md")
"""Files of the root that other programs read: known and kept, not loaded by boot unless they are pinned."""

SIGNS_OF_AN_AGENT = (SOUL, MEMORY, DAYS)
"""Any one of these in a folder makes it an agent's workspace, adopted or not."""

_VERSIONED_FOLDERS = ("memory/", "tasks/", "contexts/", "handoffs/", "approvals/", "identity/")


def usual(path: RelPath) -> RelPath:
    """Return `MEMORY.md` for `memory.md`: an agent's file by its name in the layout, any other path as it is."""
    return _IN_ANY_CASE.get(path.lower(), path)  # not casefold, which takes ſ for s


def spelt(path: RelPath, names: Iterable[str]) -> str:
    """Return which of the root's `names` is the agent's file `path` of the layout, in whatever letters; else `path`.

    The exact name comes before others, which sort by their letters.
    """
    return min((name for name in names if usual(name) == path), key=lambda name: (name != path, name), default=path)


def misspelt(names: Collection[str]) -> list[tuple[str, str]]:
    """Return (name, the name that is read instead) of the agent's files in a root that differ only in their letters."""
    other = [name for name in names if usual(name) != name]
    return [(name, read) for name in sorted(other) if (read := spelt(usual(name), names)) != name]


def call_mark(host: str, process: int) -> str:
    """Return the path of the mark that lets the hook file write the messages of a host's process."""
    return f"{CALLS}/.{host}-{process}"


def idle_part(host: str, number: int) -> RelPath:
    """Return where the layout has the mark that stops a host's hook from starting agentws for a part of boot."""
    return f"{IDLE_PARTS}/{host}-{number}"


_HEX = frozenset("0123456789abcdef")


def checkpoint_id(name: str) -> str:
    """Return the checkpoint id in a file name of the layout, or empty. See docs/format/checkpoint.md."""
    id = name.removesuffix(".json")
    number, _, tail = id.partition("-")
    named = len(number) >= 6 and number.isascii() and number.isdigit()
    return id if named and len(tail) == 6 and _HEX.issuperset(tail) and name != id else ""


def is_checkpoint_text(path: RelPath) -> bool:
    """Return whether the layout puts a long text of checkpoints at this path."""
    above, _, name = path.rpartition("/")
    return above == f"{CHECKPOINTS}/blobs" and len(name) == 64 and _HEX.issuperset(name)


def is_checkpoint(path: RelPath) -> bool:
    """Return whether the layout puts a checkpoint or one of their long texts at this path."""
    top, _, rest = path.partition("/")
    is_one = top == CHECKPOINTS and rest.count("/") == 1 and bool(checkpoint_id(rest.partition("/")[2]))
    return is_one or is_checkpoint_text(path)


def is_memory(path: RelPath) -> bool:
    """Return whether a file is shown as memory: a log, MEMORY.md, or another file in `memory/`."""
    return path.startswith(f"{DAYS}/") or usual(path) == MEMORY


def day_path(day: str) -> RelPath:
    """Return the path of the daily log of `day` (`YYYY-MM-DD`) in a workspace's layout."""
    return f"{DAYS}/{day}.md"


def day_of(name: str) -> str | None:
    """Return the day in the name of a daily log by the workspace's layout, None for any other file in `memory/`.

    `2026-11-20.md`, and with a slug or number behind the date: `2026-11-20-standup.md`, `2026-11-20.2.md`. A date
    that no calendar has (`2026-02-31.md`) is not a day.
    """
    if len(name) < 13 or not name.endswith(".md") or name[10] not in "-.":
        return None
    day = name[:10]
    return day if is_day(day) and not (len(name) > 13 and is_copy_of_day(name)) else None


_COPY_MARKS = (" ", "~", "conflict", "_conf(", ".orig", ".rej", ".edited-meanwhile-")
"""One of these, or a capital behind a hyphen, is in the name of each copy that another program makes of a file."""


def may_be_copy(names: str) -> bool:
    """Return whether a name of the layout, or one of several joined, may be a copy's: core/formats/copies.py."""
    every = names.casefold()
    if every != names and any(part[:1].isupper() for part in names.split("-")[1:]):
        return True
    return any(mark in every for mark in _COPY_MARKS)


def is_copy_of_day(name: str) -> bool:
    """Return whether a name in the layout's `memory/` is that of a sync program's copy of a daily log."""
    if not may_be_copy(name):
        return False
    from agentws.core.formats import copies

    return copies.original(name, None).startswith(name[:10])


def markdown_files(names: Iterable[str]) -> list[str]:
    """Return the names of a folder's Markdown files in the layout, without copies that other programs made."""
    result = [name for name in names if name.endswith(".md")]
    if not may_be_copy("\n".join(result)):
        return result
    from agentws.core.formats import copies

    known = frozenset(result)
    return [name for name in result if not (may_be_copy(name) and copies.is_copy(name, known))]


_DAYS_OF_MONTH = tuple(f"{day:02}" for day in range(1, 32))


def daily_logs(names: Collection[str]) -> list[str]:
    """Return the names of daily logs among files in the layout's `memory/`; their first ten characters are the day."""
    # Ten years of them are looked at in one go, and most are called by nothing but their day.
    months = {month for month in {name[:8] for name in names} if len(month) == 8 and month.isascii()}
    days = {month + day for month in months for day in _DAYS_OF_MONTH[: _days_of(month)]}
    plain = {f"{day}.md" for day in days}
    result = [
        name
        for name in names
        if name in plain or (name[10:11] in ("-", ".") and name[:10] in days and name.endswith(".md"))
    ]
    if len(result) == len(plain.intersection(names)) or not may_be_copy("\n".join(result)):
        return result
    return [name for name in markdown_files(result) if not is_copy_of_day(name)]


def is_day(text: str) -> bool:
    """Return True for a `YYYY-MM-DD` that exists in the calendar, as the layout names daily logs."""
    if len(text) != 10 or not text.isascii():
        return False
    day = text[8:]
    # A folder may hold ten years of days, and they are looked at one by one.
    days = _known_months.get(text[:8]) or _days_of(text[:8])
    return day.isdigit() and 1 <= int(day) <= days


def without_day(title: str) -> tuple[str, str]:
    """Return a title without the day in brackets at its end, and that day: of `Next steps (2026-10-03)`, else empty."""
    before, _, day = title.rpartition(" (")
    is_dated = title.endswith(")") and is_day(day[:-1])
    return (before, day[:-1]) if is_dated else (title, "")


def is_document(path: RelPath) -> bool:
    """Return whether a path in the workspace's layout is a document, which history records: Markdown, the manifest."""
    folder, _, name = path.rpartition("/")
    return bool(documents(folder, (name,)))


def documents(folder: RelPath, names: Iterable[str]) -> list[str]:
    """Return which file names in a folder of the layout are documents (the root is the empty path)."""
    if not folder:
        own = (MANIFEST, EXAM, ".gitignore")
        return [name for name in names if name in own or (name.endswith(".md") and not name.startswith("."))]
    if folder == DATA:
        return [name for name in names if name.endswith((".jsonl", ".md", ".schema.json")) and not name.startswith(".")]
    if not may_hold(folder):
        return []
    return [
        name
        for name in names
        if (name.endswith((".md", ".jsonl")) and not name.startswith("."))
        or name == ".gitattributes"
        or f"{folder}/{name}" == SIGNERS
    ]


def may_hold(folder: RelPath) -> bool:
    """Return whether the layout puts documents in this folder or below it."""
    return folder == DATA or (f"{folder}/".startswith(_VERSIONED_FOLDERS) and "/." not in folder)


_known_months: dict[str, int] = {}


def _days_of(month: str) -> int:
    """Return the number of days of the month `YYYY-MM-`, 0 for an invalid month."""
    year, number = month[:4], month[5:7]
    if month[4] + month[7] != "--" or not (year.isdigit() and number.isdigit()) or not 1 <= int(number) <= 12:
        return 0
    _known_months[month] = _days_in(int(year), int(number)) if int(year) else 0
    return _known_months[month]


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
