"""Quotes, brackets, braces and patterns in a line for a shell: where they end, and what words they stand for. Pure."""

from __future__ import annotations

from agentws.planning.ask.named import ONE, RUN

_SET = "\3"
WILD = {"*": RUN, "?": ONE, "[": _SET}
"""What stands in a pattern for the letters with which a shell looks for files, where no quote hides them."""
PLAIN = str.maketrans({sign: char for char, sign in WILD.items()})
_MOST_BRACED = 64
_MOST_NESTED = 60


class UnclearError(ValueError):
    """A line of which nobody can tell what it runs: a quote without its end, a name that a variable holds."""


def unquoted(inner: str) -> str:
    """Return what stands in backquotes, as the shell within reads it."""
    return inner.replace("\\`", "`").replace("\\\\", "\\")


def pattern(word: str) -> str:
    """Return a word with what stands for letters: a set of them is one letter."""
    first, *rest = word.split(_SET)
    found = [first]
    for part in rest:
        _, close, behind = part.partition("]")
        found.append(ONE + behind if close else f"[{part}")
    return "".join(found)


def braced(word: str) -> list[str]:
    """Return the words that a shell makes of one with braces: `a{b,c}` is `ab` and `ac`. UnclearError for too many."""
    done: list[str] = []
    left = [word]
    while left:
        one = left.pop()
        split = alternatives(one)
        if split is None:
            done.append(one)
        else:
            left += reversed(split)
        if len(done) + len(left) > _MOST_BRACED:
            raise UnclearError("too many words in braces")
    return done


def alternatives(word: str) -> list[str] | None:
    """Return the words that the first braces with a comma stand for; None where there are none."""
    start = word.find("{")
    while start >= 0:
        depth, cuts = 0, [start]
        for at in range(start, len(word)):
            depth += (word[at] == "{") - (word[at] == "}")
            if depth == 1 and word[at] == ",":
                cuts.append(at)
            if depth == 0:
                if len(cuts) == 1:
                    break
                ends = [*cuts[1:], at]
                return [
                    word[:start] + word[cut + 1 : end] + word[at + 1 :] for cut, end in zip(cuts, ends, strict=True)
                ]
        start = word.find("{", start + 1)
    return None


def unescaped(inner: str) -> str:
    """Return what stands in double quotes, without the backslashes that a shell takes away."""
    if "\\" not in inner:
        return inner
    for char in '"$`\\':
        inner = inner.replace(f"\\{char}", char)
    return inner.replace("\\\n", "")


def closing(line: str, start: int, quote: str, nested: int = 0) -> int:
    """Return the place of the quote that closes the one at `start`; UnclearError where there is none."""
    if quote == "'":
        at = line.find(quote, start + 1)
        if at < 0:
            raise UnclearError(f"a {quote} without its end")
        return at
    at = start + 1
    while at < len(line):
        if line[at] == "\\":
            at += 2
            continue
        if quote == '"' and line.startswith("$(", at):
            at = bracket(line, at + 1, nested + 1) + 1
            continue
        if line[at] == quote:
            return at
        at += 1
    raise UnclearError(f"a {quote} without its end")


def bracket(line: str, start: int, nested: int = 0) -> int:
    """Return the place of the bracket that closes the one at `start`; UnclearError where there is none."""
    if nested > _MOST_NESTED:
        raise UnclearError("brackets within brackets")
    depth, at = 0, start
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 2
            continue
        if char in "'\"`" and at > start:
            at = closing(line, at, char, nested + 1) + 1
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at
        at += 1
    raise UnclearError("a bracket without its end")
