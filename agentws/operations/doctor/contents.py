"""The documents by what stands in them: do they hold secrets, are they larger than a boot, do they say things twice."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.markdown import markdown
from agentws.formats.secrets import secrets
from agentws.hosts import block, catalogue
from agentws.operations.doctor import documents
from agentws.planning.doctor import documents as planned
from agentws.planning.doctor.finding import WARNING, Finding, of_error
from agentws.storage.workspace import freshness, provenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.doctor.report import Seen
    from agentws.storage.workspace.stores import Stores

_MOST_OF_ONE, _MOST_OF_ALL = 1 << 20, 12 << 20
_MOST_OF_BOOT = 1 << 18
_INSTRUCTIONS = (layout.AGENTS, "CLAUDE.md", "GEMINI.md")


def findings(seen: Seen) -> list[Finding]:
    """Return the findings from the contents of the documents."""
    return _read(seen) + _shares(seen) + _orders(seen.stores) + _drifted(seen.stores)


def _read(seen: Seen) -> list[Finding]:
    """What reading the documents shows, as many of them as one look is worth."""
    files, left = seen.stores.files, _MOST_OF_ALL
    found: list[Finding] = []
    leaks: list[tuple[str, int, str]] = []
    paths = [path for path in seen.look.every_file() if layout.is_document(path)]
    for number, path in enumerate(paths):
        if left <= 0:
            seen.notices.append(f"{len(paths) - number} documents were not checked: there are too many.")
            break
        try:
            data, size = files.part(path, min(_MOST_OF_ONE, left))
        except AgentwsError as error:
            found.append(of_error("unread", WARNING, error.message, remedy=error.hint or documents.MEND))
            continue
        left -= len(data)
        if size > len(data):
            seen.notices.append(f"{path}: only its first {len(data):,} bytes were checked.")
        leaks += [(path, leak.line, leak.kind) for leak in secrets.find(data.decode("utf-8", "replace"))]
        found += documents.damage(path, data, is_cut=size > len(data))
    keeps = seen.stores.keeps_history()
    return found + planned.secrets(leaks, included=seen.stores.manifest.setting("history.include"), history=keeps)


def _shares(seen: Seen) -> list[Finding]:
    """What a boot could show of the usual files, had it nothing else to show."""
    texts: dict[str, bytes] = {}
    for path in layout.AGENT_FILES:
        try:
            texts[path] = seen.stores.files.part(path, _MOST_OF_BOOT)[0]
        except AgentwsError:
            continue  # what is wrong with it is a finding of its own
    if planned.is_little(sum(map(len, texts.values())), budget=seen.stores.manifest.setting("boot.budget")):
        return []
    from agentws.operations.doctor import shares  # it assembles a boot

    return shares.findings(seen, texts)


def _drifted(stores: Stores) -> list[Finding]:
    """Entries of MEMORY.md about files that are not as they were."""
    doubtful = {entry: tie for entry, tie in freshness.of(stores).items() if tie.is_doubtful}
    if not doubtful:
        return []
    text = provenance.text_of(stores.files, layout.MEMORY)
    ties = ((unit.line, doubtful.get(managed.of_unit(unit))) for unit in markdown.units(text))
    return planned.drifted([(line, tie.path, tie.state) for line, tie in ties if tie is not None])


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
    return [found for path, text in texts.items() for found in planned.orders(path, text)]
