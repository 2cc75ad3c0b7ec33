"""Finds the files of a workspace that a host loads through `@path` imports, as Claude Code and Gemini CLI do. Pure.

If it is doubtful whether a host follows an import, it counts as not followed: a file that is shown twice costs tokens,
one that is shown nowhere is lost.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_FILES = 100


def followed(path: str, text: str, read: Callable[[str], str | None], *, steps: int, suffix: str = "") -> set[str]:
    """Return the files of the workspace that the file at `path` imports, directly or over `steps` steps.

    `read` returns the text of a file, None if it is unreadable; only files that end in `suffix` count.
    """
    result: set[str] = set()
    level = [(path, text)]
    for _ in range(steps):
        deeper = []
        for above, words in level:
            for target in targets(words):
                there = resolved(above, target)
                if there is None or there in result or not there.endswith(suffix) or len(result) >= _MOST_FILES:
                    continue
                inner = read(there)
                if inner is not None:
                    result.add(there)
                    deeper.append((there, inner))
        level = deeper
    return result


def targets(text: str) -> list[str]:
    """Return the target of each `@` import: at the beginning of a word, outside of code and comments."""
    prose = "".join(_unfenced(_without_comments(text)))
    # Hosts differ in where a paragraph ends, and a span of code with it: an import has to be one either way.
    by_line = set(_marked("\n".join(map(_spanless, prose.split("\n")))))
    by_paragraph = _marked("\n\n".join(map(_spanless, prose.split("\n\n"))))
    return [target for target in by_paragraph if target in by_line]


def resolved(path: str, target: str) -> str | None:
    """Return the path from the root of an import's `target` in the file at `path`; None if outside or no path."""
    if not (target[:1].isalnum() or target[:1] in (".", "_", "-")):
        return None  # an absolute path, one below the home folder, or no path at all
    steps = path.split("/")[:-1]
    for step in target.split("/"):
        if step == "..":
            if not steps:
                return None
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps) or None


def _marked(prose: str) -> list[str]:
    import re

    matches = re.finditer(r"(?:^|\s)@((?:[^\s\\]|\\ )+)", prose)
    return [match[1].partition("#")[0].replace("\\ ", " ") for match in matches]


def _without_comments(text: str) -> str:
    kept = []
    while True:
        before, opened, rest = text.partition("<!--")
        kept.append(before)
        if not opened:
            return "".join(kept)
        text = rest.partition("-->")[2]


def _unfenced(text: str) -> Iterator[str]:
    """Yield the lines outside fences that are not indented like code; an unclosed fence goes on to the last line."""
    fence = ""
    for line in text.split("\n"):
        body = line.strip()
        mark = _mark(body)
        if fence:
            if mark.startswith(fence) and body == mark:
                fence = ""
        elif mark:
            fence = mark
        elif not line.startswith(("    ", "\t")):
            yield line.rstrip() + "\n"
            continue
        yield "\n"


def _mark(body: str) -> str:
    for char in "`~":
        if body.startswith(char * 3):
            return char * (len(body) - len(body.lstrip(char)))
    return ""


def _spanless(paragraph: str) -> str:
    """Return `paragraph` with `x` for each span of code."""
    if "`" not in paragraph:
        return paragraph
    import re

    runs = [(match.start(), match.end()) for match in re.finditer("`+", paragraph)]
    last = {end - start: start for start, end in runs}
    kept = []
    at = 0
    place = 0
    while place < len(runs):
        start, end = runs[place]
        place += 1
        if last[end - start] == start:
            continue  # nothing closes it: an ordinary character
        closer = next(index for index in range(place, len(runs)) if runs[index][1] - runs[index][0] == end - start)
        kept.append(paragraph[at:start] + "x")
        at = runs[closer][1]
        place = closer + 1
    return "".join((*kept, paragraph[at:]))
