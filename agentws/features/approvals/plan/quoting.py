"""Quotes, brackets, texts, braces and patterns in a line for a shell: where they end, what they stand for. Pure."""

from __future__ import annotations

from agentws.features.approvals.plan.named import ONE, RUN

ENDS = frozenset(";|&\n()")
BLANKS = frozenset(" \t")
_SET = "\3"
WILD = {"*": RUN, "?": ONE, "[": _SET}
"""What stands in a pattern for the letters with which a shell looks for files, where no quote hides them."""
PLAIN = str.maketrans({sign: char for char, sign in WILD.items()})
_MOST_BRACED = 64
_MOST_NESTED = 60


class UnclearError(ValueError):
    """A line of which nobody can tell what it runs: a quote without its end, a name that a variable holds."""


class Text:
    """A text behind `<<` in a line: its `mark`, whether that `is_quoted`, and `at`, the place behind it."""

    __slots__ = ("_is_dashed", "at", "is_quoted", "mark")

    def __init__(self, line: str, start: int) -> None:
        start += 2
        self._is_dashed = line.startswith("-", start)
        start += self._is_dashed
        while start < len(line) and line[start] in BLANKS:
            start += 1
        end = start
        if line[start : start + 1] in ("'", '"'):
            end = closing(line, start, line[start])
        while end < len(line) and line[end] not in ENDS and line[end] not in BLANKS and line[end] not in "<>":
            end += 1
        told = line[start:end]
        self.at = end
        self.mark = told.replace("'", "").replace('"', "").replace("\\", "")
        self.is_quoted = self.mark != told
        if not self.mark:
            raise UnclearError("a text without its mark")

    def end(self, line: str, start: int, *, within: bool = False) -> tuple[int, int]:
        """Return where the text that begins at `start` ends, and where the line goes on.

        Some shells take `MARK)` for the end of one `within` brackets: UnclearError.
        """
        at = start
        while at < len(line):
            stop = line.find("\n", at)
            stop = len(line) if stop < 0 else stop
            said = line[at:stop].lstrip("\t") if self._is_dashed else line[at:stop]
            if said == self.mark:
                return at, stop + 1
            if within and said.startswith(self.mark) and said[len(self.mark) :].lstrip().startswith(")"):
                break
            at = stop + 1
        raise UnclearError("a text without its end")


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
    texts: list[Text] = []
    is_sum = line.startswith("((", start)  # there `<<` is mostly no text
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 2
            continue
        if char in "'\"`" and at > start:
            at = closing(line, at, char, nested + 1) + 1
            continue
        if line.startswith("<<", at) and not is_sum:
            if line.startswith("<<<", at):
                at += 3
            else:
                texts.append(Text(line, at))
                at = texts[-1].at
            continue
        if char == "\n" and texts:
            at += 1
            for text in texts:
                at = text.end(line, at, within=True)[1]
            texts = []
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at
        at += 1
    raise UnclearError("a bracket without its end")
