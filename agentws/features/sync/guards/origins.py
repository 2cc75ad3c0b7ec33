"""Keep the origin of text from outside if another machine removed only its mark, or the `src` of a row or a header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentws.core.formats import layout
from agentws.core.formats.documents import document, fields, managed
from agentws.core.formats.json import plainjson
from agentws.core.text import names, origin
from agentws.errors import AgentwsError
from agentws.features.sync.state import State
from agentws.features.sync.store.repo import Repo

_STATE = "To state a text as your own: agentws remember --from FILE:LINE"
_MARK = re.compile(r" \(via [^()\s]+\)")


def settle(repo: Repo, state: State) -> list[str]:
    """Put missing origins back into the changed files of a merged state; return notices."""
    sources = repo.blob(state.result[layout.SOURCES]) if layout.SOURCES in state.result else b""
    paths = []
    for path, value in [*state.plan.changes.items()]:
        old = state.ours.tree.get(path)
        if value is None or old is None or path not in state.result or path in state.ours.apart:
            continue
        now = repo.blob(state.result[path])
        data = _kept(path, repo.blob(old), now, sources)
        if data != now:
            state.put(repo, path, data)
            paths.append(path)
    return [f"{names.some(paths)}: another machine removed origins (via …); they stay. {_STATE}"] if paths else []


def _kept(path: str, ours: bytes, made: bytes, sources: bytes = b"") -> bytes:
    """Return the merged file with every origin of our side that is missing though its words are there.

    `sources` is the merged `memory/sources.jsonl`: a fact that somebody has stated as their own (`remember --from`)
    needs no mark.
    """
    mine, text = (side.decode("utf-8", "surrogateescape") for side in (ours, made))
    if path == layout.SOURCES:
        text += "".join(f"{line}\n" for line in _lost_rows(mine, text))
    elif path.endswith(".md"):
        rows = _rows(sources.decode("utf-8", "surrogateescape")) if path == layout.MEMORY else ()
        text = _with_marks(mine, text, {key for key, src, _ in rows if src and not origin.is_outside(src)})
        text = _with_source(path, mine, text)
    return text.encode("utf-8", "surrogateescape")


def _with_marks(ours: str, made: str, stated: set[str]) -> str:
    before, lines = {*ours.split("\n")}, made.split("\n")
    marked = {_MARK.sub("", line): line for line in before.difference(lines) if origin.of_line(line)}
    for at, line in enumerate(lines):
        ours_line = marked.get(_MARK.sub("", line))
        is_own = line in before or origin.of_line(line) or managed.of_text(line.removeprefix("- ")) in stated
        if ours_line and not is_own:
            lines[at] = ours_line
    return "\n".join(lines)


def _with_source(path: str, ours: str, made: str) -> str:
    """Return a document whose header has our `src` if that is from outside and the merged one is not."""
    if "src:" not in ours:
        return made
    try:
        source = fields.source(document.decode(ours.encode("utf-8", "surrogateescape"), where=path))
        merged = document.decode(made.encode("utf-8", "surrogateescape"), where=path)
        if origin.is_outside(source) and not origin.is_outside(fields.source(merged)):
            return document.encode(document.with_fields(merged, {"src": source}, where=path)).decode()
    except AgentwsError:
        pass  # such a header is not read
    return made


def _rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (entry, source, line) of each row about an entry."""
    for line in text.split("\n"):
        try:
            row = plainjson.loads(line) if line else {}
            key = row.get("entry") or row.get("stated")
        except (ValueError, AttributeError):
            continue
        if isinstance(key, str):
            yield key, str(row.get("src") or ""), line


def _lost_rows(ours: str, made: str) -> list[str]:
    before = {key: line for key, src, line in _rows(ours) if src and origin.is_outside(src)}
    after = {key: src for key, src, _ in _rows(made)}
    return [line for key, line in before.items() if key in after and not (after[key] and origin.is_outside(after[key]))]
