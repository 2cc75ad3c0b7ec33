"""Findings about documents: secrets, sizes, instructions to read again what boot shows, outdated entries. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from agentws.core.findings import ADVICE, WARNING, Finding, quoted
from agentws.core.formats import layout
from agentws.core.markdown import markdown
from agentws.core.text.lazy import Pattern
from agentws.core.text.names import some

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


def secrets(rows: Sequence[tuple[str, int, str]], *, included: Collection[str], history: bool) -> list[Finding]:
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
    for block in markdown.blocks("\n".join(lines)):
        if block.kind != markdown.FENCE:
            yield from enumerate(block.text.split("\n"), block.line)


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
