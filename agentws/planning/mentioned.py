"""The files that notes name between backticks: what looks like one and is none is left out. Pure."""

from __future__ import annotations

from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SPAN = Pattern(r"`([^`\n]{3,120})`")
_PATH = Pattern(r"^(?:~|\.{1,2})?/?(?:[\w@+.-]+/)*[\w@+.-]+/?$")
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
    or lies in a folder of which another file is named: `openai/gpt-5` is a model, and `from/to` are two words.
    """
    spans = [span for text in texts for span in _SPAN.findall(text) if _PATH.match(span)]
    folders = {span.partition("/")[0] for span in spans if "/" in span and _has_ending(span)} - {"", "~", ".", ".."}
    found: dict[str, None] = {}
    for span in reversed(spans):
        is_beside = "/" in span and span.partition("/")[0] in folders
        if is_beside or _has_ending(span) or _is_place(span):
            found.setdefault(span, None)
    return list(found)[::-1]


def _has_ending(span: str) -> bool:
    stem, dot, ending = span.rpartition("/")[2].rpartition(".")
    return bool(dot) and ending.lower() in _ENDINGS and (bool(stem) or ending.lower() == "env")


def _is_place(span: str) -> bool:
    first, slash, rest = span.partition("/")
    if first in ("~", ".", "..") and slash:
        return bool(rest)
    if slash and not first:
        root, _, below = rest.partition("/")
        return root in _ROOTS and bool(below)
    return bool(slash and first) and span.endswith("/")
