"""What can be counted of a sentence that tells whether somebody will need it: the columns that the weights are for."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.counts import Counts
    from agentws.planning.compaction.units import Unit

# All but the last are matched against text in small letters: to match both sizes takes twice as long.
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DATE = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2}|"
    r"\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_AGO = re.compile(
    r"\b(?:yesterday|tonight|tomorrow|last|next|ago|recently|just|since|until|weekend|week|month|year|years|months|"
    r"weeks|days|summer|winter|spring|fall|birthday|anniversary|deadline)\b"
)
_FIRST = frozenset(
    (
        *("i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we've", "we're", "our"),
        *("us", "ich", "mein", "meine", "wir"),
    )
)
_SECOND = frozenset(("you", "your", "you're", "you've", "you'll", "yours", "yourself"))
_KIN = frozenset(
    (
        *("mom", "dad", "mother", "father", "sister", "brother", "son", "daughter", "wife", "husband"),
        *("partner", "friend", "friends", "boyfriend", "girlfriend", "kids", "family", "dog", "cat"),
        *("puppy", "kitten", "pet", "parents", "grandma", "grandpa", "cousin", "uncle", "aunt", "niece"),
        *("nephew", "boss", "colleague", "team", "baby"),
    )
)
_ASK = re.compile(
    r"\b(?:can|could|would|will|do|did|have|are|what|how|why|when|where|who) "
    r"(?:you|your|we|i|it|about|else|do|are|is)\b"
    r"|\b(?:please|let me know|help me|tell me)\b"
)
_SMALL = frozenset(
    (
        *("hi", "hey", "hello", "thanks", "thank", "wow", "cool", "great", "awesome", "nice", "good"),
        *("glad", "sure", "yeah", "yep", "yes", "ok", "okay", "bye", "haha", "lol", "sounds", "amazing"),
        *("totally", "absolutely", "definitely", "agree", "congrats", "proud", "love", "welcome", "luck"),
        *("care", "soon", "chat", "happy", "understand", "perfect", "excellent", "understood"),
        *("certainly", "wonderful", "fantastic"),
    )
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|chose|chosen|agreed|settled|confirmed|approved|will use|going with|switch\w*|plan(?:s|ning|ned)? to"
    r"|want to|need to|going to|prefer\w*|favou?rite|always|never|must|should|important|remember|learn\w*|realiz\w+|"
    r"allerg\w+|hate|afraid|worr\w+|struggl\w+|goal|budget|because)\b"
)
_BY_THE_WAY = re.compile(r"\b(?:by the way|btw|actually|also|speaking of|i'm thinking|i was wondering)\b")
_DID = re.compile(
    r"\b(?:i|we|i've|we've) (?:\w+ )?(?:\w+ed|got|went|bought|made|had|took|started|saw|found|met|did|won|lost|gave|"
    r"read|been|ran|wrote|built|left|moved|have|has|was|were)\b"
)
_QUOTED = re.compile(r"[\"“][^\"”]{3,60}[\"”]|'[A-Z][^']{3,50}'|\*[^*]+\*|`[^`]+`")
_IMAGE = "[shared "
_MACHINES = frozenset({"assistant", "ai", "bot", "agent", "claude", "chatgpt", "gpt", "model", "system", "tool"})

_SHARED = (
    *("one", "length", "length2", "content", "idf_sum", "names", "mid_names", "addresses", "number", "numbers", "date"),
    *(
        "when",
        "first",
        "second",
        "did",
        "kin",
        "question",
        "ask",
        "small",
        "decided",
        "by_the_way",
        "quoted",
        "exclaims",
    ),
    *(
        "colon",
        "opens",
        "closes",
        "after_question",
        "days_mid",
        "followed",
        "new_words",
        "image",
        "bullet",
        "kind",
        "important",
    ),
    "todo",
)
_MACHINE = (
    "one",
    "length",
    "length2",
    "content",
    "idf_sum",
    "names",
    "mid_names",
    "number",
    "question",
    "second",
    "first",
    "place",
    "size",
    "opens",
    "alone",
    "days_mid",
)
_USER = (
    "one",
    "place",
    "size",
    "alone",
    "days_mid",
    "days_max",
    "ask",
    "question",
    "after_question",
    "idf_sum",
    "second",
)
_NO_MACHINE, _NO_USER = [0.0] * len(_MACHINE), [0.0] * len(_USER)
_NEAR = 7
NAMES = (*_SHARED, *(f"machine_{name}" for name in _MACHINE), *(f"user_{name}" for name in _USER))


def columns(units: Sequence[Unit], counts: Counts, places: Sequence[int]) -> Iterator[list[float]]:
    """The values of NAMES for the units at `places`, which are in order."""
    if not places:
        return
    who = {unit.who for unit in units}
    named = frozenset(part.lower() for one in who for part in one.split())
    has_machine = any(one.lower() in _MACHINES for one in who)
    followed = _followed(counts)
    seen: set[str] = set()
    for index in places:
        unit, found = units[index], counts.words[index]
        own = _own(unit, found, counts, named)
        own["followed"] = followed[index]
        own["new_words"] = sum(word not in seen for word in found) / max(1, len(found))
        seen.update(found)
        machine = unit.who.lower() in _MACHINES
        values = [own[name] for name in _SHARED]
        values += [own[name] for name in _MACHINE] if machine else _NO_MACHINE
        values += [own[name] for name in _USER] if has_machine and unit.is_spoken and not machine else _NO_USER
        yield values


def _followed(counts: Counts) -> list[float]:
    """For each unit the share of its words that come again in one of the next few."""
    shares = [0.0] * len(counts.words)
    next_at: dict[str, int] = {}
    for index in range(len(shares) - 1, -1, -1):
        found = counts.words[index]
        near = index + _NEAR
        shares[index] = sum(next_at.get(word, near + 1) <= near for word in found) / max(1, len(found))
        for word in found:
            next_at[word] = index
    return shares


def _own(unit: Unit, found: dict[str, bool], counts: Counts, named: frozenset[str]) -> dict[str, float]:
    text = unit.text
    lowered = text.lower().replace("’", "'")
    tokens = _TOKEN.findall(text)
    low = _TOKEN.findall(lowered)
    idfs = [counts.idf(word) for word in found]
    names = sum(found.values())
    mid = sum(
        1
        for token, word in zip(tokens[1:], low[1:], strict=False)
        if token[0].isupper() and word not in _FIRST and word not in named
    )
    is_mine = not _FIRST.isdisjoint(low)
    numbers = sum(1 for token in tokens if token[0].isdigit())
    rel = [counts.spread(word) for word in found]
    n = max(1, len(found))
    return {
        "one": 1.0,
        "length": math.log(1 + len(low)),
        "length2": min(len(low), 60) / 30,
        "content": math.log(1 + len(found)),
        "idf_sum": math.log(1 + sum(idfs)),
        "names": math.log(1 + names),
        "mid_names": math.log(1 + mid),
        "addresses": float(not named.isdisjoint(low)),
        "number": float(numbers > 0),
        "numbers": math.log(1 + numbers),
        "date": float(bool(_DATE.search(lowered))),
        "when": float(bool(_AGO.search(lowered))),
        "first": float(is_mine),
        "second": float(not _SECOND.isdisjoint(low)),
        "did": float(is_mine and bool(_DID.search(lowered))),
        "kin": float(not _KIN.isdisjoint(low)),
        "question": float(text.rstrip("\"')*_").endswith("?")),
        "ask": float(bool(_ASK.search(lowered))),
        "small": sum(word in _SMALL for word in low) / max(1, len(low)),
        "decided": float(bool(_DECIDED.search(lowered))),
        "by_the_way": float(bool(_BY_THE_WAY.search(lowered))),
        "quoted": float(bool(_QUOTED.search(text))),
        "image": float(_IMAGE in text),
        "exclaims": float(text.endswith("!")),
        "colon": float(text.endswith(":")),
        "opens": float(unit.place == 0),
        "closes": float(unit.place == unit.size - 1),
        "place": unit.place / max(1, unit.size),
        "size": math.log(unit.size),
        "alone": float(unit.size == 1),
        "after_question": float(unit.after_question),
        "days_mid": sum(0.1 < share < 0.6 for share in rel) / n,
        "days_max": max(rel, default=0.0),
        "bullet": float(unit.form == "item" and not unit.is_spoken),
        "kind": float(unit.kind in ("decision", "lesson", "preference", "fact")),
        "important": ((unit.importance or 5) - 5) / 5,
        "todo": float(unit.done is False),
    }
