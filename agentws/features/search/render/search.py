"""Rendering of `agentws search`: hits as lines for people and as JSON fields, and the loop of `--stdin`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown
from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run, check_read
from agentws.errors import UsageError
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
_HIT = """
    path=unit.path line end_line entry score text at? kind=unit.kind? heading? src=unit.src? in=unit.room state?
    closed_by? *unit[importance? tags task?]
"""
_BESIDE_HIT = "line end_line text src?"
_UNCERTAIN = "Nothing certain was found. Nearest:"


def show(run: Run, result: Found, *, explain: bool, is_brief: bool = False) -> None:
    """Print the hits of a search; at a terminal matching words are bold, and a brief answer has the first few hits."""
    output.notices(result.notices, quiet=run.quiet)
    if run.as_json:
        output.data("search", fields(result, explain=explain))
    else:
        is_shown = output.is_terminal()
        most = _BRIEF if is_brief and is_shown else len(result.hits)
        look = _look(result) if result.hits and is_shown else output.PLAIN
        output.lines(lines(result, explain=explain, most=most), look)
    check_read(result.unread)


def indexing(run: Run) -> Callable[[int, int], None] | None:
    """Return a callback that shows the progress of building a large search index; None without a terminal."""
    words = "Building the search index: {:.0%}".format
    return output.progress_line(lambda done, total: words(done / total), quiet=run.quiet, least=_LONG_BYTES)


def _look(result: Found) -> Callable[[str], str]:
    from agentws.core.terminal import looks

    return looks.matched(result.hits[0].matches, dim=_BESIDE)


def fields(result: Found, *, explain: bool = False) -> dict[str, object]:
    """Return the fields of `agentws/search@1`."""
    return output.fields(
        result,
        "query=query.text certain=is_certain confidence unknown_words spans hits left_out notices",
        confidence=round(result.confidence, 3),
        spans=[list(span) for span in result.query.spans],
        hits=[hit_fields(hit, explain=explain) for hit in result.hits],
    )


def hit_fields(hit: Hit, *, explain: bool = False) -> dict[str, object]:
    """Return the JSON fields of one hit of a search."""
    unit = hit.unit
    record = output.fields(
        hit,
        _HIT,
        entry=[unit.line, unit.end_line],
        score=round(hit.score, 4),
        heading=" › ".join(unit.headings),
    )
    if hit.also:
        record["also"] = [f"{each.path}:{each.line}" for each in hit.also]
    if hit.context:
        record |= output.fields(hit, f"context[{_BESIDE_HIT}]")
    if hit.before or hit.behind:
        record |= output.fields(hit, f"before[{_BESIDE_HIT}] behind[{_BESIDE_HIT}]")
    if explain:
        record["reasons"] = [
            {"feature": name, "value": round(value, 4), "adds": round(adds, 4)} for name, value, adds in hit.reasons
        ]
    return record


def lines(result: Found, *, explain: bool = False, most: int | None = None) -> Iterator[str]:
    """Yield the lines of `agentws search`: the place of each hit and its text; content from outside is quoted.

    Hits beyond the first `most` are only counted.
    """
    if first := " ".join(_first(result)):
        yield first
    for hit in result.hits[:most]:
        unit = hit.unit
        yield "  ".join(filter(None, (output.place(unit.path, hit.line), _about(hit))))
        yield from (_beside(each) for each in hit.before)
        yield from (f"  {line}" for line in _text(hit))
        yield from (_beside(each) for each in (*hit.behind, *hit.context))
        if hit.also:
            yield f"  {_also(hit.also)}"
        if explain:
            yield f"    score {hit.score:.2f}: {_reasons(hit)}"
    if most is not None and most < len(result.hits):
        yield f"{len(result.hits) - most} more: -k {len(result.hits)}"
    if result.left_out:
        yield f"({result.left_out} more: raise --budget)"


def _first(result: Found) -> Iterator[str]:
    """Yield the days that the question was understood to name, and whether the hits are certain."""
    if result.query.spans:
        days = (first if first == last else f"{first} … {last}" for first, last in result.query.spans)
        yield f"Looking at {', '.join(days)}."
    if not result.hits:
        yield "Nothing found in the files that could be read." if result.unread else "Nothing found."
    elif result.unknown_words:
        yield f"No entry contains: {', '.join(result.unknown_words)}. Nearest:"
    elif not result.is_certain:
        yield _UNCERTAIN


def _text(hit: Hit) -> list[str]:
    """Return the lines of a hit's text if there are few, else its snippet on one line."""
    return hit.lines(_MOST_IN_LINES) or [_quoted(hit.unit, hit.snippet(_MOST_CHARS))]


def _about(hit: Hit) -> str:
    """Return the day, headings and state of a hit, as far as its path and text do not show them."""
    unit = hit.unit
    day = "" if unit.day and unit.day in unit.path else unit.day
    headings = [heading for heading in unit.headings if not (unit.day and unit.day in heading)][-_HEADINGS:]
    state = "" if unit.form == "header" else hit.state  # the text of a header says it
    closed = f"{state}, {hit.closed_by}" if hit.closed_by else state
    return " · ".join(filter(None, (day, " › ".join(headings), closed)))


def _quoted(unit: Unit, text: str) -> str:
    if not unit.src:
        return text
    body = text[markdown.marker(text) :].replace(f"(via {unit.src})", "").strip().removeprefix(unit.time).lstrip()
    return f"> ({', '.join(filter(None, (unit.src, f'{unit.day[5:]} {unit.time}'.strip())))}) {body}"


def _reasons(hit: Hit) -> str:
    """Return the reasons that moved the score most, the strongest first."""
    ordered = sorted(hit.reasons, key=lambda reason: -abs(reason[2]))
    parts = [f"{name} {adds:+.2f}" for name, _, adds in ordered[:_REASONS] if abs(adds) >= _TELLING]
    left = len(hit.reasons) - len(parts)
    return ", ".join((*parts, f"{left} others: --json") if left else parts)


def _also(units: Sequence[Unit]) -> str:
    shown = ", ".join(output.place(unit.path, unit.line) for unit in units[:_MOST_ALSO])
    files = "1 file" if len(units) == 1 else f"{len(units)} files"
    return f"also in {files}: {shown}{', …' if len(units) > _MOST_ALSO else ''}"


def _beside(unit: Unit) -> str:
    text = " ".join(unit.text.split())
    return f"{_BESIDE}{_quoted(unit, text[markdown.marker(text) :][:_MOST_CHARS])}"


def answer_lines(run: Run, *, k: int, audience: str | None) -> None:
    """Search for each JSON line of standard input, `{"id","query","now"}`, and print a line `{"id","hits":[…]}`."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("--stdin needs piped input.")
    searcher = run.workspace().search.open(audience=audience)
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        asked = _asked(line, number)
        now = searcher.find(asked["query"], k=k, now=asked.get("now") or None)
        answer = output.without_secrets({"id": asked.get("id"), **fields(now)})
        output.text(plainjson.dumps(answer, separators=(",", ":")) + "\n")
    unread = searcher.unread()
    output.notices(unread, quiet=run.quiet)
    check_read(unread)


def _asked(line: bytes, number: int) -> dict[str, str]:
    try:
        asked = plainjson.loads(line)
    except ValueError as error:
        raise UsageError(f"Line {number} is not JSON: {error}.") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise UsageError(f"Line {number} must be an object with a query.", hint='{"id": 1, "query": "why SQLite"}')
    now = asked.get("now")
    if now is not None and not (isinstance(now, str) and layout.is_day(now[:10])):
        raise UsageError(f"Line {number}: now must be a day.", hint='{"query": "last week", "now": "2026-11-20"}')
    return asked
