"""What a search found, as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

import sys

from agentws.cli import output
from agentws.errors import UsageError
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.cli.invocation import Run
    from agentws.operations.search.result import Found, Hit

_MOST_CHARS = 300


def fields(found: Found) -> dict[str, object]:
    """The fields of `agentws/search@1`."""
    return {
        "query": found.query.text,
        "certain": found.is_certain,
        "confidence": round(found.confidence, 3),
        "hits": [hit_fields(hit) for hit in found.hits],
        "notices": found.notices,
    }


def hit_fields(hit: Hit) -> dict[str, object]:
    """The fields of one hit."""
    one = hit.unit
    return {
        "path": one.path,
        "line": one.line,
        "end_line": one.end_line,
        "score": round(hit.score, 4),
        "text": hit.text,
        "at": hit.at or None,
        "kind": one.kind or None,
        "heading": " › ".join(one.headings) or None,
        "src": one.src or None,
    }


def lines(found: Found) -> Iterator[str]:
    """Two lines for each hit."""
    for hit in found.hits:
        one = hit.unit
        yield f"{one.path}:{one.line}  {' · '.join(filter(None, (hit.at, *one.headings[-1:])))}"
        said = " ".join(hit.text.split())
        yield f"  {said[:_MOST_CHARS]}"
    if not found.hits:
        yield "Nothing found."


def answer_lines(run: Run, *, k: int) -> None:
    """Answer each line of standard input with a line: `{"id","query","now"}` with `{"id","hits":[…]}`."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("--stdin needs piped input.")
    searcher = run.workspace().searcher()
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        asked = _asked(line, number)
        found = searcher.find(asked["query"], k=k, now=asked.get("now") or None)
        answer = output.without_secrets({"id": asked.get("id"), **fields(found)})
        output.text(plainjson.dumps(answer, separators=(",", ":")) + "\n")


def _asked(line: bytes, number: int) -> dict[str, str]:
    try:
        asked = plainjson.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Line {number} is not JSON: {error}.") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise UsageError(f"Line {number} must be an object with a query.", hint='{"id": 1, "query": "why SQLite"}')
    return asked
