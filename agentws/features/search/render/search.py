"""Rendering of `agentws search`: hits as lines for people and as JSON fields, and the loop of `--stdin`."""

from __future__ import annotations

import sys

from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown
from agentws.core.terminal import output
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentws.core.terminal.invocation import Run
    from agentws.features.search.result import Found, Hit, Unit

_MOST_CHARS = 300
_MOST_ALSO = 3
_MOST_IN_LINES = 600
_HEADINGS = 2
_REASONS = 8
_TELLING = 0.05
"""A reason that adds less to a score is shown by `--json` alone."""
_BRIEF = 5
_LONG_BYTES = 4 << 20
"""Reading more than this takes so long that progress is shown."""
_BESIDE = "  · "
"""The beginning of a line for an entry beside a hit."""
_UNCERTAIN = "Nothing certain was found. Nearest:"


def show(run: Run, found: Found, *, explain: bool, is_brief: bool = False) -> None:
    """Print the hits of a search; at a terminal matching words are bold, and a brief answer has the first few hits."""
    output.notices(found.notices, quiet=run.quiet)
    if run.as_json:
        output.data("search", fields(found, explain=explain))
        return
    is_shown = output.is_terminal()
    most = _BRIEF if is_brief and is_shown else len(found.hits)
    output.lines(lines(found, explain=explain, most=most), _look(found) if found.hits and is_shown else output.PLAIN)


def indexing(run: Run) -> Callable[[int, int], None] | None:
    """Return a callback that shows the progress of building a large search index; None without a terminal."""
    if run.quiet or sys.stderr is None or not sys.stderr.isatty():
        return None

    def tell(done: int, total: int) -> None:
        if total > _LONG_BYTES:
            sys.stderr.write("\r\x1b[K" if done >= total else f"\rBuilding the search index: {100 * done // total} %")
            sys.stderr.flush()

    return tell


def _look(found: Found) -> Callable[[str], str]:
    from agentws.core.terminal import looks

    return looks.matched(found.hits[0].matches, dim=_BESIDE)


def fields(found: Found, *, explain: bool = False) -> dict[str, object]:
    """Return the fields of `agentws/search@1`."""
    return {
        "query": found.query.text,
        "certain": found.is_certain,
        "confidence": round(found.confidence, 3),
        "unknown_words": found.unknown_words,
        "spans": [list(span) for span in found.query.spans],
        "hits": [hit_fields(hit, explain=explain) for hit in found.hits],
        "left_out": found.left_out,
        "notices": found.notices,
    }


def hit_fields(hit: Hit, *, explain: bool = False) -> dict[str, object]:
    """Return the JSON fields of one hit of a search."""
    one = hit.unit
    told: dict[str, object] = {
        "path": one.path,
        "line": hit.line,
        "end_line": hit.end_line,
        "entry": [one.line, one.end_line],
        "score": round(hit.score, 4),
        "text": hit.text,
        "at": hit.at or None,
        "kind": one.kind or None,
        "heading": " › ".join(one.headings) or None,
        "src": one.src or None,
        "in": one.room,
        "state": hit.state or None,
        "closed_by": hit.closed_by or None,
        **output.fields(one, "importance? tags task?"),
    }
    if hit.also:
        told["also"] = [f"{each.path}:{each.line}" for each in hit.also]
    if hit.context:
        told["context"] = [_beside_fields(each) for each in hit.context]
    if hit.before or hit.behind:
        told["before"] = [_beside_fields(each) for each in hit.before]
        told["behind"] = [_beside_fields(each) for each in hit.behind]
    if explain:
        told["reasons"] = [
            {"feature": name, "value": round(value, 4), "adds": round(adds, 4)} for name, value, adds in hit.reasons
        ]
    return told


def _beside_fields(one: Unit) -> dict[str, object]:
    return output.fields(one, "line end_line text src?")


def lines(found: Found, *, explain: bool = False, most: int | None = None) -> Iterator[str]:
    """Yield the lines of `agentws search`: the place of each hit and its text; content from outside is quoted.

    Hits beyond the first `most` are only counted.
    """
    if first := " ".join(_first(found)):
        yield first
    for hit in found.hits[:most]:
        one = hit.unit
        yield "  ".join(filter(None, (f"{one.path}:{hit.line}", _about(hit))))
        yield from (_beside(each) for each in hit.before)
        yield from (f"  {line}" for line in _text(hit))
        yield from (_beside(each) for each in (*hit.behind, *hit.context))
        if hit.also:
            yield f"  {_also(hit.also)}"
        if explain:
            yield f"    score {hit.score:.2f}: {_reasons(hit)}"
    if most is not None and most < len(found.hits):
        yield f"{len(found.hits) - most} more: -k {len(found.hits)}"
    if found.left_out:
        yield f"({found.left_out} more: raise --budget)"


def _first(found: Found) -> Iterator[str]:
    """Yield the days that the question was understood to name, and whether the hits are certain."""
    if found.query.spans:
        days = (first if first == last else f"{first} … {last}" for first, last in found.query.spans)
        yield f"Looking at {', '.join(days)}."
    if not found.hits:
        yield "Nothing found."
    elif found.unknown_words:
        yield f"No entry contains: {', '.join(found.unknown_words)}. Nearest:"
    elif not found.is_certain:
        yield _UNCERTAIN


def _text(hit: Hit) -> list[str]:
    """Return the lines of a hit's text if there are few, else its snippet on one line."""
    return hit.lines(_MOST_IN_LINES) or [_said(hit.unit, hit.snippet(_MOST_CHARS))]


def _about(hit: Hit) -> str:
    """Return the day, headings and state of a hit, as far as its path and text do not show them."""
    one = hit.unit
    day = "" if one.day and one.day in one.path else one.day
    headings = [heading for heading in one.headings if not (one.day and one.day in heading)][-_HEADINGS:]
    state = "" if one.form == "header" else hit.state  # the text of a header says it
    closed = f"{state}, {hit.closed_by}" if hit.closed_by else state
    return " · ".join(filter(None, (day, " › ".join(headings), closed)))


def _said(one: Unit, text: str) -> str:
    if not one.src:
        return text
    body = text[markdown.marker(text) :].replace(f"(via {one.src})", "").strip().removeprefix(one.time).lstrip()
    return f"> ({', '.join(filter(None, (one.src, f'{one.day[5:]} {one.time}'.strip())))}) {body}"


def _reasons(hit: Hit) -> str:
    """Return the reasons that moved the score most, the strongest first."""
    ordered = sorted(hit.reasons, key=lambda reason: -abs(reason[2]))
    told = [f"{name} {adds:+.2f}" for name, _, adds in ordered[:_REASONS] if abs(adds) >= _TELLING]
    left = len(hit.reasons) - len(told)
    return ", ".join((*told, f"{left} others: --json") if left else told)


def _also(units: Sequence[Unit]) -> str:
    shown = ", ".join(f"{one.path}:{one.line}" for one in units[:_MOST_ALSO])
    files = "1 file" if len(units) == 1 else f"{len(units)} files"
    return f"also in {files}: {shown}{', …' if len(units) > _MOST_ALSO else ''}"


def _beside(one: Unit) -> str:
    text = " ".join(one.text.split())
    return f"{_BESIDE}{_said(one, text[markdown.marker(text) :][:_MOST_CHARS])}"


def answer_lines(run: Run, *, k: int, audience: str | None) -> None:
    """Search for each JSON line of standard input, `{"id","query","now"}`, and print a line `{"id","hits":[…]}`."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("--stdin needs piped input.")
    searcher = run.workspace().search.open(audience=audience)
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
    now = asked.get("now")
    if now is not None and not (isinstance(now, str) and layout.is_day(now[:10])):
        raise UsageError(f"Line {number}: now must be a day.", hint='{"query": "last week", "now": "2026-11-20"}')
    return asked
