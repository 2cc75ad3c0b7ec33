"""The files that notes name between backticks: what looks like one and is none is left out. Pure."""

from __future__ import annotations

from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SPAN = Pattern(r"`([^`\n]{3,120})`")
_PATH = Pattern(r"^(?:~|\.{1,2})?/?(?:[\w@+.-]+/)*[\w@+.-]+/?$")
_AROUND = 60
_IS_NONE = Pattern(
    r"^[\W_]*(?:(?:path|file|folder|directory|that|which|it|is|was|still|also|simply|there|now)[\W_]+)*"
    r"(?:does(?:n['’]t| not) exist|did(?:n['’]t| not) exist|not found|no such (?:file|folder|directory))\b",
    "IGNORECASE",
)
_FOUND_NONE = Pattern(
    r"\b(?:(?:could|did|can)(?:n['’]t|['’]t|not| not) find(?: (?:it|them|anything|one|any|the \w+))?"
    r"|no such (?:file|folder|directory)|there is no|not found)"
    r"(?: (?:at|in|under|as|called|named|or directory))?[\s:;\"'*—–-]*$",
    "IGNORECASE",
)
_SERVED = frozenset(
    ("html", "htm", "xml", "json", "txt", "js", "css", "svg", "png", "jpg", "jpeg", "gif", "webp", "php")
)
"""What sites serve: with one of these endings `/app/x.js` may lie on a machine as well, and is told."""
_ENDINGS = frozenset(
    (
        *("md", "txt", "rst", "adoc", "tex", "bib", "org", "pdf", "doc", "docx", "odt", "rtf", "xls", "xlsx", "ods"),
        *("csv", "tsv", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "lock", "xml", "plist"),
        *("html", "htm", "css", "scss", "svg", "png", "jpg", "jpeg", "gif", "webp", "mp3", "mp4", "wav", "webm", "mov"),
        *("py", "pyi", "ipynb", "js", "mjs", "cjs", "ts", "tsx", "jsx", "vue", "svelte", "rs", "go", "c", "h", "cc"),
        *("cpp", "hpp", "cu", "java", "kt", "swift", "rb", "php", "pl", "lua", "r", "jl", "ex", "exs", "hs", "ml", "v"),
        *("cs", "fs", "sh", "bash", "zsh", "fish", "ps1", "bat", "sql", "db", "sqlite", "sqlite3", "parquet", "proto"),
        *("service", "timer", "socket", "log", "bak", "zip", "tar", "gz", "tgz", "xz", "zst", "whl", "deb", "rpm"),
        *("pem", "key", "crt", "pub", "patch", "diff", "tmpl", "j2", "tf", "gradle", "mk", "cmake", "ics", "eml"),
    )
)
_ROOTS = frozenset(
    (
        *("home", "Users", "root", "tmp", "etc", "usr", "var", "opt", "mnt", "media", "srv", "run", "data", "dev"),
        *("Volumes", "Applications", "Library", "private", "workspace", "app", "proc", "sys", "boot", "nix"),
    )
)
"""What absolute paths of machines begin with: `/users/me` and `/v2/user` are addresses of a service, and `/data` alone
is a place for files."""


def files(texts: Iterable[str]) -> list[str]:
    """The files that the texts name, each once, at the place where it was named last.

    A path whose last part has no ending of a file is one where it begins as a path of a machine does, ends in a slash,
    or lies in a folder of which another file is named: `openai/gpt-5` is a model, and `from/to` are two words. One of
    which the same words say that it is not there is none, and no more is the route of a site: `/sitemap.xml`.
    """
    spans = [span for text in texts for span in _spans(text)]
    folders = {span.partition("/")[0] for span in spans if "/" in span and _has_ending(span)} - {"", "~", ".", ".."}
    found: dict[str, None] = {}
    for span in reversed(spans):
        is_beside = "/" in span and span.partition("/")[0] in folders
        if is_beside or _has_ending(span) or _is_place(span):
            found.setdefault(span, None)
    return list(found)[::-1]


def _spans(text: str) -> Iterator[str]:
    """What stands between backticks and has the form of a path, but for what is said not to be there."""
    at = 0
    for span in _SPAN.findall(text):
        start = text.index(f"`{span}`", at)
        at = start + len(span) + 2
        if _PATH.match(span) and not _is_said_to_be_none(text, start, at):
            yield span


def _has_ending(span: str) -> bool:
    stem, dot, ending = span.rpartition("/")[2].rpartition(".")
    is_one = bool(dot) and ending.lower() in _ENDINGS and (bool(stem) or ending.lower() == "env")
    return is_one and not _is_route(span, ending.lower())


def _is_route(span: str, ending: str) -> bool:
    """True for an absolute path that begins as none of a machine does, and is one that sites serve."""
    if not span.startswith("/") or span.startswith("//"):
        return False
    root, _, below = span[1:].partition("/")
    return root not in _ROOTS and (not below or ending in _SERVED)


def _is_said_to_be_none(text: str, start: int, end: int) -> bool:
    """True where the words around a path say that it is not there."""
    return (
        _IS_NONE.match(text[end : end + _AROUND]) is not None
        or _FOUND_NONE.search(text[max(0, start - _AROUND) : start]) is not None
    )


def _is_place(span: str) -> bool:
    first, slash, rest = span.partition("/")
    if first in ("~", ".", "..") and slash:
        return bool(rest)
    if slash and not first:
        root, _, below = rest.partition("/")
        return root in _ROOTS and bool(below)
    return bool(slash and first) and span.endswith("/")
