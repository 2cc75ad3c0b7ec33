"""Findings from the contents of documents: secrets, damage, large files, needless instructions, outdated entries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from agentws import features
from agentws.core.disk import lenient
from agentws.core.disk.system import shipped
from agentws.core.findings import ADVICE, WARNING, Finding, of_error, quoted
from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.formats.secrets import secrets
from agentws.core.hosts import block
from agentws.core.markdown import markdown
from agentws.core.stores import freshness
from agentws.core.text.lazy import Pattern
from agentws.core.text.names import some
from agentws.core.tokens import counters
from agentws.errors import AgentwsError
from agentws.features.doctor import documents

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
        if path in read or not path.endswith(".md"):  # a copy by another program is a separate finding
            damage = documents.damage(path, data, is_cut=size > len(data))
            is_theirs = damage and path.partition("/")[0] in adopted and _is_of_others(data)
            faults += [each for each in damage if not (is_theirs and each.name == "front-matter")]
    keeps = seen.stores.keeps_history()
    return faults + secret_findings(leaks, included=seen.stores.manifest.setting("history.include"), history=keeps)


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
            continue  # an unreadable file is a separate finding
        # No counter counts more tokens than bytes.
        if size * 2 <= budget or not lenient.is_whole(size, data):
            continue
        counter = counter or counters.counter_or_bytes(
            stores.manifest.setting("boot.tokenizer"), shipped.open_o200k, seen.notices
        )
        tokens[path] = counters.tokens(counter, data.decode("utf-8", "replace"))
    return sizes(tokens, budget=budget)


def _drifted(stores: Stores) -> list[Finding]:
    """Return the findings on entries of MEMORY.md about files that have changed."""
    doubtful = {entry: tie for entry, tie in freshness.of(stores).items() if tie.is_doubtful}
    if not doubtful:
        return []
    from agentws.core.stores import provenance  # seldom

    text = provenance.text_of(stores.files, layout.MEMORY)
    ties = ((unit.line, doubtful.get(managed.of_unit(unit))) for unit in markdown.units(text))
    return drifted([(line, tie.path, tie.state) for line, tie in ties if tie is not None])


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
    return [order for path, text in texts.items() for order in orders(path, text)]


_MOST_SECRETS = 20
_MOST_DRIFTED = 20
_BECAME = {"drifted": "which has changed since", "gone": "which was deleted"}
_ORDER = Pattern(
    r"\b(?:re-?)?(?:read|load|open|review|check|cat|skim|go through)\b(?P<between>[^.;!?]{0,60}?)"
    r"(?P<name>\b(?:SOUL|USER|IDENTITY|MEMORY)\.md\b|\bmemory/(?:\d{4}|YYYY|<|\{|\*|today)"
    r"|\b(?:today|yesterday)'?s? log)",
    "IGNORECASE",
)
_NOT = Pattern(
    r"\b(?:not|never|n't|no need|without|already|instead|replaces?|unless|before (?:edit|chang)\w*)\b", "IGNORECASE"
)
_TOLD = ("replace", "instead", "already", "no need", "need not")


def secret_findings(rows: Sequence[tuple[str, int, str]], *, included: Collection[str], history: bool) -> list[Finding]:
    """Return a finding for each line of a document that looks like a secret, from (path, line, kind).

    Files in `history.include` get one advice in all: a person has looked at them.
    """
    rest = [pair for pair in rows if pair[0] not in included]
    kept = " A file with such a line is not versioned." if history else ""
    remedy = f"Move the secret to a secret store, note where it is, and change the secret.{kept}"
    made = [
        Finding("secret", WARNING, f"looks like a secret ({kind})", remedy=remedy, path=path, line=line)
        for path, line, kind in rest[:_MOST_SECRETS]
    ]
    if len(rest) > _MOST_SECRETS:
        paths = sorted({path for path, _, _ in rest[_MOST_SECRETS:]})
        says = f"{len(rest) - _MOST_SECRETS} more lines that look like secrets, in {some(paths)}"
        made.append(Finding("secret", WARNING, says, remedy=remedy))
    meant = sorted({path for path, _, _ in rows if path in included})
    if meant:
        says = f"some lines of {some(meant)} look like secrets, and are versioned because of history.include"
        remedy = f"To stop that, remove the files from history.include in {layout.MANIFEST}."
        made.append(Finding("secret-included", ADVICE, says, remedy=remedy, path=meant[0]))
    return made


def sizes(tokens: Mapping[str, int], *, budget: int) -> list[Finding]:
    """Return a finding for each document that takes more than half of a boot's `budget`; `tokens` by path."""
    findings = []
    for path, count in tokens.items():
        if count * 2 <= budget:
            continue
        name = "memory-large" if path == layout.MEMORY else "file-large"
        shorten = f"Shorten {path}, or raise boot.budget (agentws config)"
        remedy = f"{shorten}. To see what boot leaves out: agentws boot --explain"
        if count > budget:
            says = f"its {count:,} tokens do not fit into a boot of {budget:,}"
        else:
            says = f"its {count:,} tokens are more than half of a boot of {budget:,}: some may be left out"
        findings.append(Finding(name, WARNING if count > budget else ADVICE, says, remedy=remedy, path=path))
    return findings


def orders(path: str, text: str) -> list[Finding]:
    """Return a finding if instructions tell the agent to read files that boot shows, unless they mention that."""
    lines = text.split("\n")
    if any("agentws" in line.lower() and any(word in line.lower() for word in _TOLD) for line in lines):
        return []
    names: dict[str, int] = {}
    for number, line in _prose(lines):
        match = _ORDER.search(line)
        if match and not _NOT.search(line):
            names.setdefault(_shown_name(match["name"]), number)
    if not names:
        return []
    says = f"tells the agent to read {some(list(names))}, which boot already shows: the tokens are spent twice"
    remedy = "Delete these lines, or run: agentws install agents-md (its text says that boot shows the files)"
    return [Finding("read-again", ADVICE, says, remedy=remedy, path=path, line=min(names.values()))]


def _shown_name(name: str) -> str:
    return name if name.casefold().endswith(".md") else "the daily logs"


def _prose(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line outside of code blocks."""
    for part in markdown.blocks("\n".join(lines)):
        if part.kind != markdown.FENCE:
            yield from enumerate(part.text.split("\n"), part.line)


def drifted(rows: Sequence[tuple[int, str, str]]) -> list[Finding]:
    """Return a finding for each entry of MEMORY.md about a changed file, from (line, path, drifted or gone)."""
    made = []
    for line, path, state in rows[:_MOST_DRIFTED]:
        again = f"agentws remember TEXT --about {quoted(path)}"
        remedy = f"If still true: {again}. If outdated: {again} --replaces {layout.MEMORY}:{line}"
        says = f"this entry describes {path}, {_BECAME[state]}"
        made.append(Finding("memory-drifted", ADVICE, says, remedy=remedy, path=layout.MEMORY, line=line))
    if len(rows) > _MOST_DRIFTED:
        says = f"{len(rows) - _MOST_DRIFTED} more entries of {layout.MEMORY} describe files that have changed"
        made.append(
            Finding(
                "memory-drifted",
                ADVICE,
                says,
                remedy="Correct the entries above. agentws doctor then lists the next ones.",
            )
        )
    return made
