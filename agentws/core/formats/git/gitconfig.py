"""The settings of a git repository: its config, with only what cannot run a program, and `info/exclude`. Pure.

The kept keys are listed in docs/format/git.md; every other key is left out, known or not. In `info/exclude` only the
workspace's block is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentws.core.formats import layout
from agentws.errors import UsageError

LIMIT_BYTES = 1 << 20
"""Of a longer file nothing is kept."""

_PLAIN = frozenset(
    (
        *(f"core.{name}" for name in ("repositoryformatversion", "filemode", "bare", "ignorecase", "symlinks")),
        *(f"core.{name}" for name in ("precomposeunicode", "logallrefupdates", "autocrlf", "eol", "safecrlf")),
        *(f"core.{name}" for name in ("quotepath", "abbrev")),
        *(f"extensions.{name}" for name in ("objectformat", "refstorage", "worktreeconfig", "partialclone")),
        *("push.default", "pull.rebase", "pull.ff", "fetch.prune"),
    )
)
"""Keys whose value is a word or a number."""
_TEXT = frozenset(("user.name", "user.email"))
_WORKTREE = "core.worktree"
_NAMED = {
    "remote": {"url": "url", "pushurl": "url", "fetch": "text", "tagopt": "text", "promisor": "plain",
               "partialclonefilter": "plain"},
    "branch": {"remote": "url", "pushremote": "url", "merge": "text", "rebase": "plain"},
    "submodule": {"url": "url", "active": "plain"},
}  # fmt: skip
"""Keys of a section with a name, and what their value has to be."""
_SCHEMES = ("ssh", "git", "http", "https", "file", "git+ssh", "ssh+git")
_MOST_CHARS = 4096
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def fresh(old: bytes, git_dir: str = ".git") -> tuple[bytes, list[str]]:
    """Return a git config with only the safe settings of `old`, and the names of those left out, once each.

    `git_dir` is the RelPath of the repository: a work tree elsewhere is kept where it lies within the workspace.
    """
    lines: list[str] = []
    left: dict[str, None] = {}
    header = ""
    for section, name, key, value in settings(old):
        if not _is_safe(section, name, key, value, git_dir):
            left[f"{section}.{key}"] = None
            continue
        titled = f"[{section}]" if name is None else f"[{section} {_quoted(name)}]"
        if titled != header:
            header = titled
            lines.append(titled)
        lines.append(f"\t{key} = {_written(value)}")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), list(left)


def settings(data: bytes) -> Iterator[tuple[str, str | None, str, str]]:
    """Return (section, subsection, key, value) of each setting of a git config; a key alone is `true`."""
    if len(data) > LIMIT_BYTES:
        yield "file", None, "toolarge", ""
        return
    section, name = "", None
    for line in _lines(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")):
        rest = line.lstrip()
        if rest.startswith("["):
            section, name, rest = _header(rest)
            rest = rest.lstrip()
        if not rest or rest[0] in "#;":
            continue
        key, mark, value = rest.partition("=")
        key = key.strip()
        if key.strip("-") and all(char == "-" or char in _LETTERS for char in key):
            yield section, name, key.lower(), _value(value) if mark else "true"
        else:
            yield section or "file", name, "unreadable", ""


def _lines(text: str) -> Iterator[str]:
    """The lines, those joined that end in a backslash."""
    held: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2:
            held.append(line[:-1])
            continue
        yield "".join([*held, line]) if held else line
        held = []
    if held:
        yield "".join(held)


def _header(text: str) -> tuple[str, str | None, str]:
    """Return (section, subsection, rest of the line) of a line that begins a section."""
    name: str | None = None
    at = 1
    while at < len(text) and text[at] not in ' \t]"':
        at += 1
    section = text[1:at].lower()
    quote = text.find('"', at)
    end = text.find("]", at)
    if quote >= 0 and (end < 0 or quote < end):
        name, at = _until_quote(text, quote + 1)
        end = text.find("]", at)
    elif "." in section:
        section, _, name = section.partition(".")
    return section, name, text[end + 1 :] if end >= 0 else ""


def _until_quote(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            at += 1
        parts.append(text[at : at + 1])
        at += 1
    return "".join(parts), at + 1


def _value(text: str) -> str:
    """A value without its quotes, escapes and comment."""
    parts: list[str] = []
    inside, kept, at = False, 0, 0
    text = text.lstrip()
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\" and at < len(text):
            parts.append(_ESCAPES.get(text[at], text[at]))
            at += 1
        elif char == '"':
            inside = not inside
        elif char in "#;" and not inside:
            break
        else:
            parts.append(char)
            if char in " \t\r" and not inside:
                continue
        kept = len(parts)
    return "".join(parts[:kept])


def _is_safe(section: str, name: str | None, key: str, value: str, git_dir: str) -> bool:
    if len(value) > _MOST_CHARS or not value.isprintable() or not (name or "x").isprintable():
        return False
    full = f"{section}.{key}"
    if name is not None:
        kind = _NAMED.get(section, {}).get(key, "")
        return bool(kind) and not name.startswith("-") and _fits(kind, value)
    if full == _WORKTREE:
        return _is_within(git_dir, value)
    return (full in _PLAIN and _fits("plain", value)) or (full in _TEXT and _fits("text", value))


def _fits(kind: str, value: str) -> bool:
    if value.startswith("-"):
        return False
    if kind == "plain":
        return all(char in ".:-_=" or char in _LETTERS for char in value)
    return kind == "text" or is_safe_url(value)


def is_safe_url(url: str) -> bool:
    """Return whether git runs no program for the URL: no helper (`ext::…`), no option instead of a host."""
    if url.startswith("-") or not url.isprintable():
        return False
    helper, mark, _ = url.partition("::")
    if mark and all(char in "+.-" or char in _LETTERS for char in helper):
        return False
    scheme, mark, rest = url.partition("://")
    if mark and all(char in "+.-" or char in _LETTERS for char in scheme):
        if scheme.lower() not in _SCHEMES:
            return False
        login = rest.partition("/")[0]
    else:
        login = url.partition(":")[0] if ":" in url.partition("/")[0] else ""
    return not any(part.startswith("-") for part in login.split("@"))


def _is_within(git_dir: str, path: str) -> bool:
    """Return whether a relative path, from the repository, leads into the workspace, but not to a repository."""
    if path.startswith("/"):
        return False
    names: list[str] = []
    for part in f"{git_dir}/{path}".split("/"):
        if part == "..":
            if not names:
                return False
            names.pop()
        elif part not in ("", "."):
            names.append(part)
    return not {".git", ".agentws"} & {part.lower() for part in names}


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _written(value: str) -> str:
    needs = value != value.strip() or any(char in '#;"\\' for char in value)
    return _quoted(value) if needs else value


EXCLUDED_FOLDERS = (
    layout.LOCAL, layout.DAYS, layout.JOURNAL, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, "identity", "approvals",
    "checkpoints",
)  # fmt: skip
EXCLUDED_FILES = (layout.MANIFEST, *layout.AGENT_FILES)
_SPECIAL = str.maketrans({special: f"\\{special}" for special in "\\*?["})


def exclude_patterns(prefix: str, added: Iterable[str] = ()) -> list[str]:
    """Return git exclude lines for each file and folder of a workspace at `prefix`, and for the `added` paths.

    UsageError if the path of the workspace contains a line break.
    """
    if "\n" in prefix or "\r" in prefix:
        raise UsageError(
            "The folder's path contains a line break, which git cannot exclude.", hint="Rename the folder."
        )
    more = [path for path in added if path not in EXCLUDED_FILES and path.partition("/")[0] not in EXCLUDED_FOLDERS]
    base = f"/{prefix}/" if prefix else "/"
    return [
        f"{base}{path}".translate(_SPECIAL)
        for path in (*EXCLUDED_FILES, *(f"{name}/" for name in EXCLUDED_FOLDERS), *more)
    ]


def exclude_whole(prefix: str) -> list[str]:
    """Return the exclude line for a workspace whose repository lies within another repository."""
    exclude_patterns(prefix)
    return [f"/{prefix}/".translate(_SPECIAL)]


def with_block(text: str, prefix: str, lines: Iterable[str]) -> str:
    """Return the exclude file with exactly these lines for the workspace at `prefix`; all else unchanged."""
    rest = without_block(text, prefix)
    glue = "\n" if rest and not rest.endswith("\n") else ""
    first, last = _marks(prefix)
    return f"{rest}{glue}{first}\n" + "".join(f"{line}\n" for line in lines) + f"{last}\n"


def without_block(text: str, prefix: str) -> str:
    """Return the exclude file without the block of the workspace at `prefix`."""
    lines = text.split("\n")
    first, last = _marks(prefix)
    while first in lines and last in lines[lines.index(first) :]:
        start = lines.index(first)
        del lines[start : lines.index(last, start) + 1]
    return "\n".join(lines)


def _marks(prefix: str) -> tuple[str, str]:
    return f"# agentws: private, {prefix or '.'}", f"# agentws: end of {prefix or '.'}"
