"""The fast lane: parses a call from the table of its verb, without Typer, which takes six interpreter starts.

It guesses nothing: an unknown word, an abbreviation, a second value, an odd number or any other doubt is left to Typer.
tests/cli/test_doors.py checks that both agree.
"""

from __future__ import annotations

from agentws.cli import commands
from agentws.core.terminal import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.options import Option, Verb

    Values = dict[str, object]

_LONGEST_NUMBER = 9


class Call:
    """A call that the fast lane has parsed: a verb, the given common options, and every parameter of the verb.

    `is_hot`: it is a run as at every turn of an agent.
    """

    __slots__ = ("common", "is_hot", "values", "verb")

    def __init__(self, verb: Verb, common: Values, values: Values, *, is_hot: bool) -> None:
        self.verb = verb
        self.common = common
        self.values = values
        self.is_hot = is_hot


def recognise(words: list[str]) -> Call | None:
    """Return the fast lane's call for these words if all of them are plain; else None."""
    matched: Verb | None = None
    rest: list[str] = []
    common: Values = {}
    own: Values = {}
    is_hot, is_cut = True, False
    queue = iter(words)
    for word in queue:
        if word == "-" or not word.startswith("-"):
            if is_cut:
                return None  # the other door says by what
            if matched is not None and (matched.name not in commands.families() or own):
                rest.append(word)
            elif (matched := _verb(word, queue) if matched is None else _inner(matched.name, word)) is None:
                return None
            continue
        name, equals, value = word.partition("=")
        option = _named(name, options.COMMON)
        into = common
        if option is None and matched is not None:
            option, into = _named(name, matched.options), own
        if option is None or not _take(option, into, name, value if equals else None, queue):
            return None
        is_hot = is_hot and option.is_hot
        is_cut = matched is not None and matched.text_at is not None and len(rest) > matched.text_at
        if into is common and matched is not None and option.parameter == options.DIRECTORY:
            common["is_behind"] = True
    if matched is None or (values := _values(matched, own, rest)) is None:
        return None
    return Call(matched, common, values, is_hot=is_hot and matched.is_hot and bool(rest or not matched.words))


def within_text(verb: Verb, words: list[str]) -> str:
    """Return the option between the words of a verb's text, if plain for the fast lane so far; else empty."""
    count, between = 0, ""
    queue = iter(words)
    for word in queue if verb.text_at is not None else ():
        if word == "-" or not word.startswith("-"):
            if between:
                return between
            count += 1
            continue
        name, equals, _ = word.partition("=")
        option = _named(name, (*verb.options, *options.COMMON))
        if option is None:
            return ""
        if count > (verb.text_at or 0):
            between = name
        if option.kind != options.FLAG and not equals:
            next(queue, None)
    return ""


def is_bare(words: list[str]) -> bool:
    """Return whether a call in the fast lane has only common options, without a verb."""
    return not verb(words) and recognise([*words, "status"]) is not None


def with_list(words: list[str]) -> list[str]:
    """Return the words with the command of LISTS behind a family that is called with common options only."""
    at = _verb_at(words)
    if words[at : at + 1] and words[at] in commands.families() and is_bare([*words[:at], *words[at + 1 :]]):
        return [*words[:at], *(commands.list_of(words[at]) or words[at]).split(), *words[at + 1 :]]
    return words


def verb(words: list[str]) -> str:
    """Return the verb that the fast lane sees in these words, even if the rest is invalid; empty without one."""
    return next(iter(words[_verb_at(words) :]), "")


def _verb_at(words: list[str]) -> int:
    """Return the place of the first word that is neither an option nor an option's value."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        option = _named(words[at], options.COMMON)
        at += 1 if option is None or option.kind == options.FLAG else 2
    return at


def _verb(word: str, queue: Iterator[str]) -> Verb | None:
    """Return the verb at the beginning of the words; for a family, the next word names it."""
    matched = commands.of(word).get(word)
    return _inner(word, next(queue, "")) if matched is None and word in commands.families() else matched


def _inner(family: str, word: str) -> Verb | None:
    return commands.of(family).get(f"{family} {word}")


def _named(name: str, among: tuple[Option, ...]) -> Option | None:
    for option in among:
        if name in option.names or name == option.off:
            return option
    return None


def _take(option: Option, into: Values, name: str, value: str | None, queue: Iterator[str]) -> bool:
    """Note what `option` was given; False if that is not plain to see."""
    key, known = option.parameter, into.get(option.parameter)
    if option.kind == options.FLAG:
        into[key] = name != option.off
        return value is None and known is None
    if value is not None and not name.startswith("--"):
        return False
    value = next(queue, "") if value is None else value
    if not value or value.startswith("-") or (known is not None and not option.is_many):
        return False
    number = _number(value, option) if option.kind == options.NUMBER else value
    into[key] = ([*known, number] if isinstance(known, list) else [number]) if option.is_many else number
    return number is not None


def _number(text: str, option: Option) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        return None
    number = int(text)
    low = option.least is not None and number < option.least
    high = option.most is not None and number > option.most
    return None if low or high else number


def _values(verb: Verb, own: Values, rest: list[str]) -> Values | None:
    """Every parameter of the verb by its name, the defaults filled in; None if words lack or are too many."""
    if any(option.is_required and option.parameter not in own for option in verb.options):
        return None
    values: Values = {option.parameter: own.get(option.parameter, option.default) for option in verb.options}
    queue = iter(rest)
    for word in verb.words:
        value = list(queue) if word.is_many else next(queue, None)
        if word.is_required and (value is None or value == []):
            return None
        values[word.parameter] = word.default if value is None else value
    return None if next(queue, None) is not None else values
