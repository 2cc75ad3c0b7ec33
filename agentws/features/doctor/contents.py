"""Findings from the contents of documents: secrets, damage, large files, needless instructions, outdated entries."""

from __future__ import annotations

from agentws import features
from agentws.core.disk import lenient
from agentws.core.disk.system import vocabulary
from agentws.core.findings import WARNING, Finding, of_error
from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.formats.secrets import secrets
from agentws.core.hosts import block
from agentws.core.markdown import markdown
from agentws.core.stores import freshness, provenance
from agentws.core.tokens import counters
from agentws.errors import AgentwsError
from agentws.features.doctor import documents
from agentws.features.doctor.plan import documents as planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.ports import TokenCounter
    from agentws.core.stores.seen import Seen
    from agentws.core.stores.stores import Stores

_MOST_OF_ONE, _MOST_OF_ALL = 1 << 20, 12 << 20
_MOST_OF_BOOT = 1 << 18
_INSTRUCTIONS = (layout.AGENTS, "CLAUDE.md", "GEMINI.md")


def findings(seen: Seen) -> list[Finding]:
    """Return the findings from the contents of the documents."""
    return _read(seen) + _sizes(seen) + _orders(seen.stores) + _drifted(seen.stores)


def _read(seen: Seen) -> list[Finding]:
    """Return the findings on secrets and damage in the documents, up to a total size."""
    files, left = seen.stores.files, _MOST_OF_ALL
    faults: list[Finding] = []
    leaks: list[tuple[str, int, str]] = []
    adopted = seen.stores.manifest.setting("adopted.documents")
    paths = [path for path in seen.look.every_file() if layout.is_document(path)]
    read = set(layout.markdown_files(paths))
    for number, path in enumerate(paths):
        if left <= 0:
            seen.notices.append(f"{len(paths) - number} documents were not checked: there are too many.")
            break
        try:
            data, size = files.part(path, min(_MOST_OF_ONE, left))
        except AgentwsError as error:
            faults.append(of_error("unread", WARNING, error.message, remedy=error.hint or documents.MEND))
            continue
        left -= len(data)
        if size > len(data):
            seen.notices.append(f"{path}: only its first {len(data):,} bytes were checked.")
        leaks += [(path, leak.line, leak.kind) for leak in secrets.find(data.decode("utf-8", "replace"))]
        if path in read or not path.endswith(".md"):  # a copy by another program is a finding of its own
            damage = documents.damage(path, data, is_cut=size > len(data))
            is_theirs = damage and path.partition("/")[0] in adopted and _is_of_others(data)
            faults += [each for each in damage if not (is_theirs and each.name == "front-matter")]
    keeps = seen.stores.keeps_history()
    return faults + planned.secrets(leaks, included=seen.stores.manifest.setting("history.include"), history=keeps)


def _is_of_others(data: bytes) -> bool:
    from agentws.core.disk import adopted_folders  # seldom

    return not adopted_folders.is_own(data)


def _sizes(seen: Seen) -> list[Finding]:
    """Return the findings on files that take much of a boot; `status` finds those that boot cannot read whole."""
    stores = seen.stores
    budget = stores.manifest.setting("boot.budget")
    counter: TokenCounter | None = None
    tokens: dict[str, int] = {}
    for path in layout.AGENT_FILES:
        try:
            data, size = stores.files.part(path, _MOST_OF_BOOT)
        except AgentwsError:
            continue  # an unreadable file is a finding of its own
        # No counter counts more tokens than bytes.
        if size * 2 <= budget or not lenient.is_whole(size, data):
            continue
        counter = counter or counters.counter_or_bytes(
            stores.manifest.setting("boot.tokenizer"), vocabulary.open_o200k, seen.notices
        )
        tokens[path] = counters.tokens(counter, data.decode("utf-8", "replace"))
    return planned.sizes(tokens, budget=budget)


def _drifted(stores: Stores) -> list[Finding]:
    """Return the findings on entries of MEMORY.md about files that have changed."""
    doubtful = {entry: tie for entry, tie in freshness.of(stores).items() if tie.is_doubtful}
    if not doubtful:
        return []
    text = provenance.text_of(stores.files, layout.MEMORY)
    ties = ((unit.line, doubtful.get(managed.of_unit(unit))) for unit in markdown.units(text))
    return planned.drifted([(line, tie.path, tie.state) for line, tie in ties if tie is not None])


def _orders(stores: Stores) -> list[Finding]:
    """Return the findings on instructions to read what boot shows, unless a block of agentws is in one of the files."""
    texts: dict[str, str] = {}
    for path in _INSTRUCTIONS:
        try:
            texts[path] = stores.files.part(path, _MOST_OF_BOOT)[0].decode("utf-8", "replace")
        except AgentwsError:
            continue
    if any(block.body_of(text, host) for text in texts.values() for host in features.HOSTS):
        return []
    return [order for path, text in texts.items() for order in planned.orders(path, text)]
