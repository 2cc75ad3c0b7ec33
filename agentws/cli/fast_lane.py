"""The fast lane: recognises `boot`, `log`, `event` and `hook` in their documented forms; all else is left to Typer.

Typer alone costs six starts of an interpreter, and these verbs run at every turn of an agent. So nothing is guessed
here: an unknown word, an abbreviation, a second value, an odd number, any doubt at all, and the ordinary door decides.
tests/cli/test_doors.py holds the two equal.
"""

from __future__ import annotations

from agentws.cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.cli.options import Option

    Values = dict[str, object]

_LONGEST_NUMBER = 9


def recognise(words: list[str]) -> tuple[str, Values, Values] | None:
    """(verb, what is set of the common options, every parameter of the verb) where all is clear; else None."""
    verb, rest = "", []
    common: Values = {}
    own: Values = {}
    queue = iter(words)
    for word in queue:
        if word == "-" or not word.startswith("-"):
            if verb:
                rest.append(word)
            elif word in options.VERBS:
                verb = word
            else:
                return None
            continue
        name, equals, value = word.partition("=")
        option = _named(name, options.COMMON)
        into = common
        if option is None and verb:
            option, into = _named(name, options.VERBS[verb][0]), own
        if option is None or not _take(option, into, name, value if equals else None, queue):
            return None
        if into is common and verb and option.parameter == options.DIRECTORY:
            common["is_behind"] = True
    return (verb, common, parameters) if verb and (parameters := _parameters(verb, own, rest)) is not None else None


def verb(words: list[str]) -> str:
    """The verb that stands in these words, however sound the rest of them is; empty where there is none."""
    queue = iter(words)
    for word in queue:
        if not word.startswith("-"):
            return word
        option = _named(word, options.COMMON)
        if option is not None and option.kind != options.FLAG:
            next(queue, None)
    return ""


def _named(name: str, among: tuple[Option, ...]) -> Option | None:
    for option in among:
        if name in option.names and option.fast:
            return option
    return None


def _take(option: Option, into: Values, name: str, value: str | None, queue: Iterator[str]) -> bool:
    """Note what `option` was given; False where that is not plain to see."""
    key, known = option.parameter, into.get(option.parameter)
    if option.kind == options.FLAG:
        into[key] = True
        return value is None and known is None
    if value is not None and not name.startswith("--"):
        return False
    value = next(queue, "") if value is None else value
    if not value or value.startswith("-") or (known is not None and option.kind != options.TEXTS):
        return False
    if option.kind == options.TEXTS:
        into[key] = [*known, value] if isinstance(known, list) else [value]
        return True
    found = _number(value, option) if option.kind == options.NUMBER else value
    into[key] = found
    return found is not None


def _number(text: str, option: Option) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        return None
    number = int(text)
    low = option.least is not None and number < option.least
    high = option.most is not None and number > option.most
    return None if low or high else number


def _parameters(verb: str, own: Values, rest: list[str]) -> Values | None:
    """Every parameter of the verb by its name, the defaults filled in; None where words lack or are too many."""
    known, required, optional = options.VERBS[verb]
    if not len(required) <= len(rest) <= len(required) + len(optional):
        return None
    found: Values = {option.parameter: own.get(option.parameter, option.default) for option in known}
    found.update(dict.fromkeys(optional))
    found.update(zip((*required, *optional), rest, strict=False))
    return found
