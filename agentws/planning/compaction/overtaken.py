"""Which clauses of a text tell that something went well, and which of its words tell what was done. Pure."""

from __future__ import annotations

from agentws.formats import notes
from agentws.formats.lazy import Pattern
from agentws.planning.compaction.words import words

_WELL = Pattern(
    r"[✅☑✔]|\b(?:done|completed?|unblocked|resolved|solved|fixed|deployed|shipped|verified|validated|confirmed|passed|"
    r"succeeded|success|successful|successfully|restored|recovered|works|working|installed|imported|uninstalled|removed|"
    r"answered|approved|received|delivered|submitted|merged|finished|scheduled|implemented|published|live)\b",
    "IGNORECASE",
)
_BADLY = Pattern(
    r"\b(?:not|never|pending|(?:a)?waiting|blocked|blockers?|needs?|needed|to-?do|missing|still|unless|until|"
    r"unauthorized|invalid|denied|fail(?:s|ed|ing)?|should|must|will|would|tomorrow|remaining|ready to|only \w+ can|"
    r"to (?:be|do|complete|confirm|finish|fix|install|restore|test|verify))\b"
    r"|n['’]t\b|\?\s*$|⏳|🔄|\[ \]",
    "IGNORECASE",
)
_CLAUSES = Pattern(r"(?<![.;!?)])[.;!?)]++\s+|\),|,? but | — | – | prevents? |, so ")


def roots(text: str) -> frozenset[str]:
    """What the words of a text have in common with others of the same root: `verify`, `verified`, `verification`."""
    return frozenset(found for word in words(text) if (found := word[:6].rstrip("eiy")))


ACTS = roots(
    "add build check clean complete completed confirm create created deploy deployed deployment done fix fixed finish "
    "get implement implemented install installed installation installing make need provide push pushed review run send "
    "sent set setup start started test update updated verify write written next step task status still via use using "
    "want work working new first day project fail failed live resolved solved ready shipped restored issue need "
    "action missing"
)
"""Roots of words that tell what is done rather than to what."""


def clauses_that_went_well(text: str) -> list[str]:
    """What the text tells but for the clauses in which something did not go well; nothing where nothing went well."""
    if not _WELL.search(text):
        return []
    if "[ ]" in text and notes.marked(text):
        text = text.replace("[ ]", "", 1)  # a mark beside it has closed the box
    clauses = [one for one in _CLAUSES.sub("\n", text).split("\n") if not _BADLY.search(one)]
    return clauses if any(_WELL.search(one) for one in clauses) else []
