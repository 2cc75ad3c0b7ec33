"""The simple commands of a line for a shell, as far as they can be told without a shell. Pure.

What a shell would make of variables, aliases and files is not known: rules are a net for what an agent does in good
faith, and for what is written plainly.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = frozenset(";|&\n(){}")
_BLANKS = frozenset(" \t\r<>")
_BEFORE = frozenset(
    ("sudo", "env", "nohup", "time", "command", "exec", "nice", "then", "do", "else", "if", "while", "!")
)
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh"))
_MOST_DEPTH = 4


class UnclearError(ValueError):
    """A line that is no whole line: a quote without its end, or lines within lines too deep."""


def commands(line: str, depth: int = 0) -> list[list[str]]:
    """Return the words of each simple command, without quotes, assignments and what only runs another one.

    Commands within `$(…)`, backquotes, `sh -c` and `eval` are told too. UnclearError.
    """
    if depth > _MOST_DEPTH:
        raise UnclearError("commands within commands")
    found: list[list[str]] = []
    for split in _split(line, found, depth):
        words = split
        while words and (words[0].rpartition("/")[2] in _BEFORE or _is_assignment(words[0])):
            words = _after_options(words[1:])
        if not words:
            continue
        found.append([words[0].rpartition("/")[2] or words[0], *words[1:]])
        found += _within(words, depth)
    return found


def _within(words: list[str], depth: int) -> list[list[str]]:
    """Return the commands that these words hand to another shell."""
    name = words[0].rpartition("/")[2]
    if name == "eval":
        return commands(" ".join(words[1:]), depth + 1)
    if name in _SHELLS:
        for at, word in enumerate(words[1:-1], 1):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                return commands(words[at + 1], depth + 1)
    return []


def _after_options(words: list[str]) -> list[str]:
    at = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    return words[at:]


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


def _split(line: str, found: list[list[str]], depth: int) -> Iterator[list[str]]:
    """Yield the words of each simple command; commands in substitutions go to `found`."""
    words: list[str] = []
    word: list[str] | None = None
    at, end = 0, len(line)
    while at < end:
        char = line[at]
        if char == "\\":
            word = word or []
            word.append(line[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif char in "'\"":
            close = _closing(line, at, char)
            inner = line[at + 1 : close]
            if char == '"':
                _substituted(inner, found, depth)
            word = (word or []) + [inner if char == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")]
            at = close + 1
        elif char == "`" or line.startswith("$(", at):
            close = _closing(line, at, char) if char == "`" else _bracket(line, at + 1)
            found += commands(line[at + (1 if char == "`" else 2) : close], depth + 1)
            word = (word or []) + [line[at : close + 1]]
            at = close + 1
        elif char in _ENDS or char in _BLANKS or (char == "#" and word is None):
            if word is not None:
                words.append("".join(word))
                word = None
            if char == "#":
                at = line.find("\n", at) if "\n" in line[at:] else end
                continue
            if char in _ENDS:
                yield words
                words = []
            at += 1
        else:
            word = word or []
            word.append(char)
            at += 1
    yield [*words, "".join(word)] if word is not None else words


def _substituted(text: str, found: list[list[str]], depth: int) -> None:
    """Add the commands that stand in substitutions within double quotes."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            close = _closing(text, at, "`")
            found += commands(text[at + 1 : close], depth + 1)
            at = close + 1
        elif text.startswith("$(", at):
            close = _bracket(text, at + 1)
            found += commands(text[at + 2 : close], depth + 1)
            at = close + 1
        else:
            at += 1


def _closing(line: str, start: int, quote: str) -> int:
    """Return the place of the quote that closes the one at `start`; UnclearError where there is none."""
    at = start + 1
    while at < len(line):
        if line[at] == "\\" and quote != "'":
            at += 2
            continue
        if quote == '"' and line.startswith("$(", at):
            at = _bracket(line, at + 1) + 1
            continue
        if line[at] == quote:
            return at
        at += 1
    raise UnclearError(f"a {quote} without its end")


def _bracket(line: str, start: int) -> int:
    """Return the place of the bracket that closes the one at `start`; UnclearError where there is none."""
    depth, at = 0, start
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 2
            continue
        if char in "'\"" and at > start:
            at = _closing(line, at, char) + 1
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at
        at += 1
    raise UnclearError("a bracket without its end")
