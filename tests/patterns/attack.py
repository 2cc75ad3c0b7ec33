"""Texts on which a regular expression is slow if it can be, made from the parsed expression.

A backtracking matcher is slow where it has many ways to divide a run of characters among its parts, or many places to
begin at, and where all of them fail. So for each part of a pattern, and for each run of neighbouring parts, there is a
text of it over and over (*pumped*), behind what leads there, and before something that lets the rest fail.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from random import Random
from re import (
    _constants as code,  # type: ignore[attr-defined]
    _parser as parser,  # type: ignore[attr-defined]
)

Node = tuple[object, object]
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)

_LONGEST_REPEATED = 3
"""How often a part that may come back is written into one turn of a pump, at most."""
_LONGEST_PUMP = 400
_MOST_PARTS = 6
"""How many neighbouring parts a pump goes over."""
_MANY = 100
"""A part that comes back so often at most counts as without bound."""
_COMMON = "a1 \t\n_-.,:*`\"'([{#|xé字\0"
_FAILS = ("\0", "\n", "!", "", "x")


def attacks(source: str | bytes, flags: int, size: int, most: int) -> Iterator[str | bytes]:
    """Texts of about `size` characters, `most` of them at most; the first of each kind of attack come first."""
    texts = islice(_texts(source, flags, size), most)
    return (text.encode("latin-1", "replace") for text in texts) if isinstance(source, bytes) else texts


def _texts(source: str | bytes, flags: int, size: int) -> Iterator[str]:
    for lead, pump, end in _shapes(source, flags):
        yield lead + pump * (size // len(pump)) + end


@cache
def _shapes(source: str | bytes, flags: int) -> list[tuple[str, str, str]]:
    """(what leads there, what is repeated, how it ends), in an order that takes from all over the pattern first."""
    tree = parser.parse(source, flags & ~re.UNICODE if isinstance(source, bytes) else flags)
    alphabet = _alphabet(tree)
    pumps = [*dict.fromkeys(pair for pair in _pumps(list(tree), "", alphabet) if 0 < len(pair[1]) <= _LONGEST_PUMP)]
    pumps = [*dict.fromkeys([*pumps, *(("", char) for char in alphabet)])]
    Random(crc32(repr(source).encode())).shuffle(pumps)
    return [(lead, pump, end) for end in _FAILS for lead, pump in pumps if end == _FAILS[0] or len(pump) == 1]


def _pumps(nodes: Sequence[Node], lead: str, alphabet: str, *, repeated: bool = False) -> Iterator[tuple[str, str]]:
    """(what leads there, what is repeated) for each run of neighbouring parts, and within each part."""
    long = [_is_long(node) for node in nodes]
    for first, node in enumerate(nodes):
        before = lead + _sample(nodes[:first], alphabet)
        if long[first] or repeated:
            yield from _within(node, before, alphabet, repeated=repeated)
        for last in range(first + 1, min(len(nodes), first + _MOST_PARTS) + 1):
            if repeated or any(long[max(0, first - 1) : last + 1]):
                for times in (0, 1, 2):
                    pump = _sample(nodes[first:last], alphabet, times)
                    yield before, pump
                    yield "", pump
                    yield "", pump + " "
    whole = _sample(nodes, alphabet)
    yield "", whole[:-1]
    yield "", whole[:-1] + " "


def _within(node: Node, lead: str, alphabet: str, *, repeated: bool) -> Iterator[tuple[str, str]]:
    kind, value = node
    if kind in _REPEATS:
        _, most, body = value  # type: ignore[misc]
        if most > 1:
            for char in _accepted(list(body), alphabet):
                yield lead, char
        yield from _pumps(list(body), lead, alphabet, repeated=repeated or most > _MANY)
    else:
        for nodes in _parts(node):
            yield from _pumps(nodes, lead, alphabet, repeated=repeated)


def _is_long(node: Node) -> bool:
    """True where a part may take as much text as there is."""
    kind, value = node
    if kind in _REPEATS and value[1] >= _MANY:  # type: ignore[index]
        return True
    return any(_is_long(each) for nodes in _parts(node) for each in nodes)


def _parts(node: Node) -> list[list[Node]]:
    """What a part consists of: one sequence, or several of which one is met."""
    kind, value = node
    if kind in _REPEATS or kind is code.SUBPATTERN:
        return [list(value[-1])]  # type: ignore[index]
    if kind is code.ATOMIC_GROUP:
        return [list(value)]  # type: ignore[call-overload]
    if kind is code.BRANCH:
        return [list(each) for each in value[1]]  # type: ignore[index]
    if kind in (code.ASSERT, code.ASSERT_NOT):
        return [list(value[1])]  # type: ignore[index]
    return []


def _sample(nodes: Sequence[Node], alphabet: str, times: int = 0) -> str:
    """A text that these parts match, more or less: `times` says how often what may be left out is there."""
    return "".join(_of(node, alphabet, times) for node in nodes)


def _of(node: Node, alphabet: str, times: int) -> str:
    kind, value = node
    if kind in _REPEATS:
        least, most, body = value  # type: ignore[misc]
        return _sample(list(body), alphabet, times) * min(most, max(least, times if times < 2 else _LONGEST_REPEATED))
    if kind is code.ASSERT_NOT or (kind is code.ASSERT and value[0] > 0):  # type: ignore[index]
        return ""
    parts = _parts(node)
    return _sample(parts[0], alphabet, times) if parts else next(_accepted([node], alphabet), "")


def _accepted(nodes: Sequence[Node], alphabet: str) -> Iterator[str]:
    """The characters of the alphabet with which what a sequence matches begins, found as they are asked for."""
    for node in nodes:
        kind, value = node
        if kind is code.LITERAL:
            yield chr(value)  # type: ignore[call-overload]
            return
        if kind in (code.IN, code.ANY, code.NOT_LITERAL):
            yield from (char for char in alphabet if _matches(node, char))
            return
        if kind not in (code.ASSERT, code.ASSERT_NOT):
            yield from dict.fromkeys(char for each in _parts(node) for char in _accepted(each, alphabet))
            return


_CLASSES = {
    code.CATEGORY_DIGIT: str.isdigit,
    code.CATEGORY_SPACE: str.isspace,
    code.CATEGORY_WORD: lambda char: char == "_" or char.isalnum(),
}
_OTHERS = {
    code.CATEGORY_NOT_DIGIT: code.CATEGORY_DIGIT,
    code.CATEGORY_NOT_SPACE: code.CATEGORY_SPACE,
    code.CATEGORY_NOT_WORD: code.CATEGORY_WORD,
}


def _matches(node: Node, char: str) -> bool:
    """True where a part of one character is met by this one."""
    kind, value = node
    if kind is code.ANY:
        return char != "\n"
    if kind is code.NOT_LITERAL:
        return ord(char) != value
    if kind is code.LITERAL:
        return ord(char) == value
    if kind is code.RANGE:
        return value[0] <= ord(char) <= value[1]  # type: ignore[index, no-any-return]
    if kind is code.CATEGORY:
        return not _CLASSES[_OTHERS[value]](char) if value in _OTHERS else _CLASSES[value](char)
    negated = value[0][0] is code.NEGATE  # type: ignore[index]
    return any(_matches(each, char) for each in value[negated:]) is not negated  # type: ignore[index]


def _alphabet(tree: object) -> str:
    """The characters that the pattern names, the ends of its ranges, and some of each common class."""
    found: dict[str, None] = {}
    _collect(tree, found)
    return "".join(dict.fromkeys([*_COMMON, *found]))


def _collect(value: object, found: dict[str, None]) -> None:
    if isinstance(value, tuple) and len(value) == 2 and value[0] in (code.LITERAL, code.NOT_LITERAL):
        found[chr(value[1])] = None
    elif isinstance(value, tuple) and len(value) == 2 and value[0] is code.RANGE:
        found[chr(value[1][0])] = None
    elif isinstance(value, tuple | list | parser.SubPattern):
        for each in value:  # type: ignore[union-attr]
            _collect(each, found)
