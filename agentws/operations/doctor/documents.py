"""The documents: can they be read, do they hold secrets, are they larger than a boot, do they say things twice."""

from __future__ import annotations

from agentws.errors import AgentwsError, DamagedError, MissingFileError
from agentws.formats import layout
from agentws.formats.documents import document, managed
from agentws.formats.markdown import markdown
from agentws.formats.secrets import secrets
from agentws.hosts import block, catalogue
from agentws.planning.boot import assemble, request, sources
from agentws.planning.doctor import documents
from agentws.planning.doctor.finding import ADVICE, PROBLEM, WARNING, Finding, of_error
from agentws.planning.doctor.permissions import quoted
from agentws.planning.tokens import counters
from agentws.storage.inspect import scan
from agentws.storage.system import vocabulary
from agentws.storage.workspace import freshness, provenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.doctor.report import Seen
    from agentws.planning.boot.request import Source
    from agentws.ports import TokenCounter
    from agentws.storage.workspace.stores import Stores

_MOST_OF_ONE, _MOST_OF_ALL = 1 << 20, 12 << 20
_MOST_OF_BOOT = 1 << 18
_HEADED = (layout.TASKS, layout.HANDOFFS, layout.CONTEXTS)
"""Folders whose documents mean something by their front matter."""
_INSTRUCTIONS = (layout.AGENTS, "CLAUDE.md", "GEMINI.md")
_ALMOST = (".txt", ".markdown", ".mdown", ".org", ".rst")
"""Endings of files that somebody may take for a task or a handoff, and that nothing reads."""
_MEND = "Correct it in an editor."


def standing(seen: Seen) -> list[Finding]:
    """What the manifest and the names of the files show, with no document read."""
    return [*_manifest(seen.stores), *_named(seen.stores), *_strange(seen)]


def findings(seen: Seen) -> list[Finding]:
    """What reading the documents shows."""
    return _read(seen) + _shares(seen) + _orders(seen.stores) + _drifted(seen.stores)


def _manifest(stores: Stores) -> list[Finding]:
    if not stores.adopted:
        says = "not adopted yet: default settings, read-only"
        return [Finding("not-adopted", WARNING, says, remedy="agentws init", path=stores.root)]
    if stores.damage is not None:
        return [of_error("manifest", PROBLEM, stores.damage.message, remedy=stores.damage.hint or _MEND)]
    unknown = stores.manifest.unknown_settings
    wrong = [
        Finding("setting", WARNING, says, remedy=_MEND, path=layout.MANIFEST) for says in stores.manifest.wrong.values()
    ]
    return wrong + [
        Finding("setting", ADVICE, f"unknown setting {key}", remedy="Correct or remove it.", path=layout.MANIFEST)
        for key in unknown
    ]


def _named(stores: Stores) -> list[Finding]:
    """Files that the manifest names and that are not there."""
    used = stores.manifest.setting("boot.context")
    named = [("boot.pinned", path) for path in stores.manifest.setting("boot.pinned")]
    named += [("boot.context", f"{layout.CONTEXTS}/{used}.md")] if used else []
    found = []
    for setting, path in named:
        try:
            there = stores.files.exists(path)
        except AgentwsError as error:
            found.append(of_error("named-file", WARNING, f"{layout.MANIFEST}: {error.message}", remedy=_MEND))
            continue
        if not there:
            says = f"{setting} names {path}, which is missing"
            remedy = f"Remove it from {setting}, or restore the file."
            found.append(Finding("named-file", WARNING, says, remedy=remedy, path=layout.MANIFEST))
    return found


def _strange(seen: Seen) -> list[Finding]:
    """What stands where a document or a folder of ours should and is neither: a link, a FIFO, a file for a folder."""
    found = []
    for entry in seen.look.entries.values():
        is_ours = entry.folder in ("", *_HEADED, layout.DAYS) and layout.is_document(entry.path)
        misplaced = entry.path in (*_HEADED, layout.DAYS, layout.JOURNAL, layout.LOCAL) and entry.kind != scan.FOLDER
        if misplaced or (is_ours and entry.kind != scan.FILE):
            says = "not a folder: not read" if misplaced else "a link, folder or device: not read"
            remedy = "Use a regular file or folder: agentws follows no links."
            found.append(Finding("unsafe-file", WARNING, says, remedy=remedy, path=entry.path))
        elif entry.folder in (layout.TASKS, layout.HANDOFFS) and entry.name.casefold().endswith(_ALMOST):
            says = "not read: it does not end in .md"
            remedy = f"To have it read: mv {quoted(entry.path)} {quoted(entry.path.rpartition('.')[0] + '.md')}"
            found.append(Finding("unread-file", ADVICE, says, remedy=remedy, path=entry.path))
    return found


def _read(seen: Seen) -> list[Finding]:
    """What reading the documents shows, as many of them as one look is worth."""
    files, left = seen.stores.files, _MOST_OF_ALL
    found: list[Finding] = []
    leaks: list[tuple[str, int, str]] = []
    paths = [
        entry.path for entry in seen.look.entries.values() if entry.kind == scan.FILE and layout.is_document(entry.path)
    ]
    for number, path in enumerate(paths):
        if left <= 0:
            seen.notices.append(f"{len(paths) - number} documents were not checked: too many at once.")
            break
        try:
            data, size = files.part(path, min(_MOST_OF_ONE, left))
        except AgentwsError as error:
            found.append(of_error("unread", WARNING, error.message, remedy=error.hint or _MEND))
            continue
        left -= len(data)
        if size > len(data):
            seen.notices.append(f"{path}: only its first {len(data):,} bytes were checked.")
        leaks += [(path, leak.line, leak.kind) for leak in secrets.find(data.decode("utf-8", "replace"))]
        found += damage(path, data)
    keeps = seen.stores.keeps_history()
    return found + documents.secrets(leaks, included=seen.stores.manifest.setting("history.include"), history=keeps)


def damage(path: str, data: bytes) -> list[Finding]:
    """Findings where this content of a document cannot be read as what it is."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4096]:
        says = "not UTF-8 (UTF-16 or binary): boot cannot show it"
        return [Finding("encoding", WARNING, says, remedy="Save it as UTF-8.", path=path, line=1)]
    if path.partition("/")[0] not in _HEADED or not path.endswith(".md"):
        return []
    try:
        document.decode(data, where=path)
    except AgentwsError as error:
        return [of_error("front-matter", WARNING, error.message, remedy=error.hint or _MEND)]
    return []


def _shares(seen: Seen) -> list[Finding]:
    """What a boot could show of the usual files, had it nothing else to show."""
    stores, today = seen.stores, seen.moment.date().isoformat()
    usual = [source for path in layout.AGENT_FILES if (source := _source(stores, path)) is not None]
    if not usual:
        return []
    budget = max(stores.manifest.setting("boot.budget"), request.SMALLEST_BUDGET)
    asked = request.Request(
        name=stores.manifest.name, now="", sources=usual, budget=budget, counter=_counter(stores), today=today
    )
    return documents.shares(assemble.fit(asked), budget=budget)


def _drifted(stores: Stores) -> list[Finding]:
    """Entries of MEMORY.md about files that are not as they were."""
    doubtful = {entry: tie for entry, tie in freshness.of(stores).items() if tie.is_doubtful}
    if not doubtful:
        return []
    text = provenance.text_of(stores.files, layout.MEMORY)
    ties = ((unit.line, doubtful.get(managed.of_unit(unit))) for unit in markdown.units(text))
    return documents.drifted([(line, tie.path, tie.state) for line, tie in ties if tie is not None])


def _source(stores: Stores, path: str) -> Source | None:
    try:
        data = stores.files.part(path, _MOST_OF_BOOT)[0]
        found = document.decode(data, where=path)
    except AgentwsError:
        return None  # what is wrong with it is a finding of its own
    return sources.of_file(path, sources.ROLES[path], found)


def _counter(stores: Stores) -> TokenCounter:
    try:
        return counters.counter(stores.manifest.setting("boot.tokenizer"), vocabulary.open_o200k)
    except (MissingFileError, DamagedError):
        return counters.Bytes()


def _orders(stores: Stores) -> list[Finding]:
    """Orders to read what boot shows; not where our own block in one of these files says that it is done."""
    texts: dict[str, str] = {}
    for path in _INSTRUCTIONS:
        try:
            texts[path] = stores.files.part(path, _MOST_OF_BOOT)[0].decode("utf-8", "replace")
        except AgentwsError:
            continue
    if any(block.body_of(text, host) for text in texts.values() for host in catalogue.TITLES):
        return []
    return [found for path, text in texts.items() for found in documents.orders(path, text)]
