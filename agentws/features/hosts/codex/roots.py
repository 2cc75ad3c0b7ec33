"""Codex's `writable_roots` in config.toml, which its sandbox may write to: adds and removes the workspace. Pure.

Every other byte of the person's file stays: agentws's lines end in a mark. After an edit the file is parsed again, and
must hold what it held before and this folder.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.text.lazy import Pattern
from agentws.errors import DamagedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TABLE, _KEY = "sandbox_workspace_write", "writable_roots"
_MARK = "# agentws"
_LIST_END = f"] {_MARK}\n"
_HEAD = f"[{_TABLE}] {_MARK}\n"
_OURS = Pattern(rf'\n    "(?:[^"\\\n]|\\.)*", {_MARK}\n')
_LIST = Pattern(rf"{_KEY}[ \t]*=[ \t]*\[")
_HEADER = Pattern(rf"^[ \t]*\[[ \t]*{_TABLE}[ \t]*\].*\n", "MULTILINE")
_EMPTY_TABLE = Pattern(rf"\n?\[{_TABLE}\] {_MARK}\n(?=\s*(?:\[|\Z))")


def with_root(text: str, root: str, *, where: str) -> str:
    """Return config.toml with this folder first among the writable roots; unchanged if it is one already."""
    before = _read(text, where)
    known = _roots(before)
    if root in known:
        return text
    wanted = {**before, _TABLE: {**_table(before), _KEY: [root, *known]}}
    for made in _ways(text, root):
        if _parsed(made) == wanted:
            return made
    raise UsageError(
        f"{where}: [{_TABLE}] cannot be edited automatically.",
        hint=f"Add {plainjson.dumps(root)} to {_KEY} of that table by hand, then install again.",
    )


def ours(text: str) -> list[str]:
    """Return the writable roots that `with_root` added."""
    lines = (match.group().strip() for match in _OURS.compiled.finditer(text))
    return [plainjson.loads(line.removesuffix(_MARK).rstrip(" ,")) for line in lines]


def without_roots(text: str, *, where: str) -> str:
    """Return config.toml without the writable roots that `with_root` added."""
    left = _OURS.sub("", text)
    if left == text:
        return text
    left = _EMPTY_TABLE.sub("", left.replace(f"{_KEY} = [{_LIST_END}", ""))
    before, after = _read(text, where), _read(left, where)
    others = [root for root in _roots(before) if root not in ours(text)]
    is_same = {**before, _TABLE: {}} == {**after, _TABLE: {}} and others == _roots(after)
    return left if is_same else text


def _ways(text: str, root: str) -> Iterator[str]:
    """Yield the text with the new root, once for each place that may be the right one."""
    entry = f"\n    {plainjson.dumps(root)}, {_MARK}\n"
    ends = "" if text.endswith("\n") or not text else "\n"
    gap = "\n" if text else ""
    for match in _LIST.compiled.finditer(text):
        yield text[: match.end()] + entry + text[match.end() :]
    made = f"{_KEY} = [{entry}{_LIST_END}"
    for match in _HEADER.compiled.finditer(text + ends):
        yield (text + ends)[: match.end()] + made + (text + ends)[match.end() :]
    yield f"{text}{ends}{gap}{_HEAD}{made}"


def _roots(settings: dict[str, Any]) -> list[Any]:
    value = _table(settings).get(_KEY)
    return value if isinstance(value, list) else []


def _table(settings: dict[str, Any]) -> dict[str, Any]:
    value = settings.get(_TABLE)
    return value if isinstance(value, dict) else {}


def _parsed(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(text: str, where: str) -> dict[str, Any]:
    fields = _parsed(text.replace("\r\n", "\n"))
    if fields is None:
        raise DamagedError(f"{where}: not valid TOML.", hint="Nothing was changed.")
    return fields
