"""Unknown words: those of a question that no entry contains, so that no answer is certain. Pure."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import terms, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.features.search.plan.query import Query

_WORD = Pattern(rf"[{terms.LETTER}'’./:@+#-]+\*?")
_EDGES = "'’./:@-*"
_FRAME = """
    actually again already always ask asked away back because bring brought came come did does done else ever every
    exactly few find found gave get give given gone got happen happened it's just keep kept kind let like list long look
    made make many may me mean meant might mention more most much must need never not now often once one only other
    others own people please put rather really recent reason remember remind right said same saw say see seen sent set
    shall should show still take taken tell thing think thought time together told took two until use used want way
    well went whether while whose without yet
    aber alle auch auf aus bei beim dann das dass dem den der des die diese doch ein eine einem einen einer er es für
    ganz ganze ganzen gab habe haben hat hatte hatten ich ihr im immer ist kein keine man mit nach nicht noch nur oder
    schon sie sind so über um und uns unser unsere vom von vor wann war waren warum was welche welchen welcher wem wen
    wer werden weshalb wie wieder wir wird wo wurde wurden zu zum zur
    como con cual cuando cuál cuándo cómo de del dónde el en era es esta este fue ha hay la las lo los nos para pero por
    porque que quien quién qué se sin son su sus un una y
    au aux avec ce ces cette comment dans des du elle est et il ils le les leur nous où ou par pas pour pourquoi quand
    que quel quelle qui quoi sa ses son sur une vous été
"""
_FRAME_TERMS = frozenset(terms.of(_FRAME))
"""Words that only frame a question."""


def words(query: Query, df: Mapping[str, int]) -> list[str]:
    """Return the unknown words of a question as they are written, each once: no entry holds any of their terms.

    `df` counts the entries of each term. Days that were understood, prefixes (`word*`) and words that only frame the
    question do not count.
    """
    has_days = bool(query.spans or query.anchor)
    by_terms: dict[frozenset[str], str] = {}
    for word, own in _content(query):
        if not any(df.get(term, 0) for term in own) and not (has_days and when.is_part(word)):
            by_terms.setdefault(own, word)
    return list(by_terms.values())


def asks_for_days_alone(query: Query) -> bool:
    """Return whether a question has days and frame words only, none to be unknown: "what happened on 3 May"."""
    return bool(query.spans) and not query.prefixes and all(when.is_part(word) for word, _ in _content(query))


def _content(query: Query) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each word of a question that is not a frame word, as it is written, with its terms."""
    asked = set(query.terms)
    for raw in _WORD.compiled.findall(query.text):
        word = raw.strip(_EDGES)
        own = asked.intersection(terms.of(word))
        if not raw.endswith("*") and len(word) > 1 and own and not own <= _FRAME_TERMS:
            yield word, frozenset(own)
