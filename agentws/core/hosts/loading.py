"""`Host`, the description of an agent program, and which files of a workspace it loads itself. Pure.

Claude Code and Gemini CLI follow `@path` imports. If it is doubtful whether a host follows one, it counts as not
followed: a file that is shown twice costs tokens, one that is shown nowhere is lost.
"""

from __future__ import annotations

from agentws.core import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Protocol

    class Folder(Protocol):
        """The files of a workspace that a host may load."""

        def has(self, path: str) -> bool:
            """Return whether the host would find a file or folder at `path`."""

        def text(self, path: str) -> str | None:
            """Return the text of the file at `path` for a host, None if there is none that can be read whole."""


PLAIN = "plain"
"""The name of a host about which nothing is known."""
CHARACTERS, TOKENS = "characters", "tokens"
BYTES_PER_TOKEN = 4
"""The bytes that a host with a limit in tokens counts as one."""


class Cap(Record):
    """The limit of one text that a host accepts, `most` of `unit`; the host cuts longer ones.

    `in_all` limits all texts together with the files that the host loads itself, 0 for no limit.
    """

    most: int
    unit: str
    in_all: int = 0

    def __str__(self) -> str:
        return f"{self.most:,} {self.unit}"


class Reach(Record):
    """How much a host reads: up to `each` of a file and `in_all` of all files, measured by `size`.

    `special` has limits of single files. `imports` is how many steps it follows `@path`, each file ending in `suffix`.
    """

    each: int = 1 << 62
    in_all: int = 1 << 62
    size: Callable[[str], int] = len
    special: Mapping[str, int] = {}
    imports: int = 0
    suffix: str = ""


class Host(Record):
    """A host (agent program), as its folder in features/hosts describes it.

    Fields:
        name, title: its names on the command line and for people, given by the table of hosts.
        signs: files that show that a project uses the host.
        loads: the files that it loads by itself: of each entry the first one that exists.
        main_only: those of them that it does not load if others listen.
        named_in: its project settings that may name other files to load, in `context.fileName`.
        reach: how much of these files it reads.
        cap: its limit for each text.
        tokenizer: the counter of its models, empty if unknown.
        recorded: what its hooks record.
        in_parts: whether a larger boot is split into several texts, with a hook each.
        in_one: whether a setting makes it accept a larger text than by default.
        once: whether only one hook prints if two levels have one for the same workspace.
        allows_all: whether it lets an agent run any command by default.
        sandboxed: whether `install --user --allow` also lets its sandbox write to the workspace.
        own_memory: whether its own memory can be moved into the workspace.
        project_files, user_files: the files that may contain its hooks, in a project and in the user's folder.
        homes: possible folders of the user's settings, each a variable and a subfolder; `settings` picks one.
        runs: its project settings that can run programs, in lower case; a folder ends in `/`.
        variables: the environment variables that are read for it, each with its documentation.
        is_family: whether its `calls` use features/hosts/family/speech.py.
    """

    signs: tuple[str, ...] = ()
    loads: tuple[tuple[str, ...], ...] = ()
    main_only: tuple[str, ...] = ()
    named_in: str = ""
    reach: Reach = Reach()
    cap: Cap | None = None
    tokenizer: str = ""
    recorded: str | None = "Prompts and tool calls"
    in_parts: bool = False
    in_one: bool = False
    once: bool = False
    allows_all: bool = False
    sandboxed: bool = False
    own_memory: bool = False
    project_files: tuple[str, ...] = ()
    user_files: tuple[str, ...] = ()
    homes: tuple[tuple[str, str], ...] = ()
    runs: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    is_family: bool = False
    name: str = PLAIN
    title: str = "a program that loads nothing"

    def files(self, names: Collection[str]) -> tuple[str, ...]:
        """Return which of `names` the host loads itself."""
        firsts = (next((name for name in names_ if name in names), "") for names_ in self.loads)
        return tuple(name for name in firsts if name)


class Loaded:
    """The files of a workspace that a host loads itself: paths of those it loads whole, and the size of all."""

    def __init__(self) -> None:
        self.whole: set[str] = set()
        self.size = 0


def loaded(host: Host, folder: Folder, *, shared: bool = False) -> Loaded:
    """Return the files in `folder` that `host` loads itself; `shared` is for a session where others listen."""
    result = Loaded()
    for names in _entries(host, folder):
        path = next((name for name in names if folder.has(name)), "")
        if path and not (shared and path in host.main_only):
            _load(result, path, folder, host.reach)
    return result


def _load(result: Loaded, path: str, folder: Folder, reach: Reach) -> None:
    text = folder.text(path)
    if text is None:
        return
    most = min(reach.special.get(path, reach.each), reach.in_all - result.size)
    size = reach.size(text)
    result.size += max(0, min(size, most))
    if size <= most:
        result.whole.add(path)
    if reach.imports:
        result.whole |= followed(path, text, folder.text, steps=reach.imports, suffix=reach.suffix)


def _entries(host: Host, folder: Folder) -> Sequence[tuple[str, ...]]:
    """Return `host.loads`, or the files that the settings of this workspace name instead."""
    if not host.named_in or not folder.has(host.named_in):
        return host.loads
    names = _context_files(folder.text(host.named_in) or "")
    return host.loads if names is None else [(name,) for name in names]


def _context_files(settings: str) -> list[str] | None:
    """Return the files in `context.fileName`, None if it is not set. Unreadable settings: no file is sure."""
    import json

    try:
        read = json.loads(settings)
        context = read.get("context", {}).get("fileName", read.get("contextFileName"))
    except (ValueError, AttributeError, RecursionError):
        return []
    if context is None:
        return None
    names = [context] if isinstance(context, str) else context
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


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
