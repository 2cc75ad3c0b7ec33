"""What a log says only for form's sake: that there was nothing, that all is well, that a session began."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentws.planning.compaction.units import Unit

EMPTY = "it says that there was nothing"

_LONGEST_CHARS = 240
_MARKED = 7
_LEAD = re.compile(r"^\d{4}-\d\d-\d\d (?:[^:]{0,90}: )?")
_LABEL = re.compile(r"^[^\W\d_][\w/&-]*(?: [\w/&-]+){0,2}:\s+(?=\S)")
_HINTS = frozenset(
    (
        *(
            "no",
            "none",
            "nothing",
            "n/a",
            "nil",
            "kein",
            "keine",
            "nichts",
            "ready",
            "activated",
            "started",
            "complete",
        ),
        *(
            "initialized",
            "initialised",
            "completed",
            "online",
            "booted",
            "operational",
            "normal",
            "normally",
            "smoothly",
        ),
        *(
            "ok",
            "okay",
            "done",
            "running",
            "active",
            "healthy",
            "stable",
            "good",
            "nominal",
            "idle",
            "success",
            "working",
        ),
        *("unchanged", "clear", "green", "operating", "session_start", "session_end", "by", "awaiting", "successful"),
        *("passed", "fine", "go", "up", "resumed", "ended", "began", "begins", "well", "expected", "operations", "ok."),
    )
)
_SPLITS = str.maketrans(dict.fromkeys('[](){}*:;,.!—–-✅🟢`"', " "))
_ADJECTIVES = (
    r"(?:new|further|more|other|additional|major|critical|significant|material|urgent|immediate|outstanding|open|active|"
    r"pending|notable|known|missing|unchecked|unread|remaining|specific|important|special|real|further)"
)
_NOUNS = (
    r"(?:tasks?|decisions?|problems?|commitments?|blockers?|issues?|items?|messages?|e-?mails?|changes?|errors?|events?|"
    r"activity|activities|actions?|updates?|questions?|alerts?|notifications?|to-?dos?|lessons?|incidents?|progress|"
    r"entries|work|findings?|requests?|replies|responses|notes?|promises|insights?|preferences?)"
)
_ENDS = (
    r"(?=\W*$|\s*[—–:;,.(\[-]|\s+(?:found|recorded|made|needed|required|reported|detected|noted|today|tonight|yet|"
    r"so far|since|between|during|at (?:this|the)|this|in this|from|or|solved|to report|remain(?:s|ing)?|pending|"
    r"identified|encountered|received|necessary|logged|occurred|taken)\b)"
)
_NOTHING = re.compile(
    rf"^\W*(?:(?:none|n/a|nil)(?:\s+(?:new|major|today|yet|so far|recorded|needed|required|identified|pending)\b)*"
    rf"{_ENDS}"
    r"|nothing(?:\W*$|\s+(?:new|to report|changed|urgent|pending|else|happened|significant|major|special|today|yet|"
    r"more)\b)"
    rf"|no\s+(?:{_ADJECTIVES}(?:\s+or\s+|\s*[/,]\s*|\s+))+(?:\w+[ -])?{_NOUNS}{_ENDS}"
    rf"|no\s+{_NOUNS}(?:\s+(?:found|made|needed|required|recorded|today|reported|yet|detected|taken))*\W*$"
    r"|(?:keine?|nichts)(?:\s+(?:neuen?|weiteren?|offenen?))?(?:\s+\w+)?\W*$)",
    re.IGNORECASE,
)
_STATUS = (
    r"(?:ok|okay|done|complete|completed|operational|running|online|active|healthy|stable|green|good|nominal|normal|ready|"
    r"idle|success|successful|working|unchanged|passed|up|fine|clear|standing by|go)"
)
_BARE = re.compile(
    rf"^\W*+(?:(?:all|every|everything|all systems|system|systems|status|result|state|health|session|gateway)\W++"
    rf"(?:(?:is|are|was|were)\b\W*+)?)*(?:fully |now |currently )?{_STATUS}(?:\W++(?:and\W++)?{_STATUS}\b)*+\W*+$",
    re.IGNORECASE,
)
_READY = re.compile(
    r"^\W*+(?:(?:now|currently|fully|agent|session|system)\s++)*ready\**+:?\s*+"
    r"(?:and (?:operational|waiting|listening|available)\b.*+"
    r"|(?:for|to) (?:work|duty|go|help|assist|serve|instructions?|orders|direction|(?:the )?next (?:direction|task|"
    r"session|instructions?)|initial setup)\b.*+)?\W*+$",
    re.IGNORECASE,
)
_BEGAN = re.compile(
    r"^\W*+(?:\w++(?:['-]\w++){0,3}\W++){0,3}(?:cycle|session|boot|bootstrap|heartbeat|wake-?up|startup|check-?in)\W++"
    r"(?:(?:was|is|has been|sequence|check)\W++)*(?:activated|started|initiali[sz]ed|complete|completed|online|booted|"
    r"ok|resumed|begins?|began|ended)\W*+$"
    r"|\bSESSION_(?:START|END)\b",
    re.IGNORECASE,
)
_FINE = re.compile(
    r"\b(?:responding|operating|running|working|functioning) (?:normally|smoothly|as expected|well)\b"
    r"|\bwithin normal\b|\bnormal operations?\b|\b(?:fully )?(?:operational|synchroni[sz]ed) and\b"
    r"|^.{0,30}\b(?:system|systems|infrastructure|service|services|state)\b.{0,24}"
    r"\b(?:stable|healthy|operational|nominal)\b.{0,20}$",
    re.IGNORECASE,
)
_AWAITS = re.compile(
    r"^\W*(?:awaits|awaiting|waiting for)\b.{0,30}\b(?:directions?|instructions?|orders|input|next task)\W*$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r";\s+|(?<=[.!?\]])\s+")


def is_idle(unit: Unit) -> bool:
    """True for a note, or an entry of one, that says nothing and that nobody marked."""
    if unit.is_spoken or unit.is_pinned or unit.done is False or (unit.importance or 0) >= _MARKED:
        return False
    return says_nothing(_LEAD.sub("", unit.text) if unit.entry is not None else unit.text)


def says_nothing(text: str) -> bool:
    """True for what tells nothing that somebody could need: `None`, `No new tasks`, `Ready`, `Status: operational`.

    Several sentences say nothing where each of them does, or where the first says that there was nothing.
    """
    if len(text) > _LONGEST_CHARS or _HINTS.isdisjoint(text.lower().translate(_SPLITS).split()):
        return False
    clauses = [_LABEL.sub("", part) for part in _CLAUSES.split(text) if part.strip()]
    if not clauses:
        return False
    if _NOTHING.search(clauses[0]) and all(_is_empty(part) or len(part) < len(text) // 2 for part in clauses[1:]):
        return len(clauses[0]) < _LONGEST_CHARS // 2
    return all(map(_is_empty, clauses))


def _is_empty(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_NOTHING, _BARE, _READY, _BEGAN, _AWAITS, _FINE))
