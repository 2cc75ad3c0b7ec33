"""One-line descriptions of journal events: the action, its input and the outcome. Pure.

Bodies are untrusted: only the part that can be shown is read. The same events give the same text.
"""

from __future__ import annotations

from agentws.core.formats.journal import event, summary
from agentws.core.formats.secrets import secrets
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentws.core.formats.journal.event import Event

    Cut = Callable[[str, int], str]

    """A function that makes a text safe to show and no longer than so many characters."""


MOST_TEXT, MOST_INPUT, MOST_OUTPUT, MOST_NAME = 160, 80, 60, 48
_BEYOND = 80
"""How many characters behind a cut are checked: half a secret is not recognized."""
_MOST_LOOKED_AT = 4096
"""How many characters of a text are searched for its origin: of its beginning, and of the end of its first line."""
_MOST_DEPTH = 6
_PLAIN = (event.NOTE, event.ACTION, event.RESULT)
_OWN = ("v", "call", "importance", "tool", "task", "text", "input", "output", "blob", "size")


def lines(tell: Callable[[Cut], list[str]]) -> tuple[list[str], int]:
    """Return the lines that `tell` makes with a cutter, and how many secrets were hidden; no part of a cut secret
    remains.

    Secrets that fit whole are not looked for.
    """
    seen: list[str] = []
    parts = tell(lambda text, most: _shortened(text, most, seen))
    if not seen or not secrets.find("\n\n".join(seen)):
        return parts, 0
    counts: list[int] = []

    def hiding(text: str, most: int) -> str:
        plain, count = secrets.hide(text[: most + _BEYOND])
        counts.append(count)
        return _shortened(plain, most, seen, whole=text)

    return tell(hiding), sum(counts)


def _shortened(text: str, most: int, seen: list[str], *, whole: str | None = None) -> str:
    """Return `text` cut to so many characters; a cut text keeps the origin of the `whole` text."""
    if len(text) > most:
        seen.append(text[: most + _BEYOND])
    shown = one_line(text[: most + _BEYOND])
    if len(shown) <= most and len(text) <= most + _BEYOND:
        return shown
    return f"{shown[:most].rstrip()}…{origin.ending(_origin(text if whole is None else whole))}"


def _origin(text: str) -> str:
    first = text[: text.find("\n")] if "\n" in text else text
    return origin.within(f"{text[:_MOST_LOOKED_AT]}\n{first[-_MOST_LOOKED_AT:]}")


def action(entry: Event, cut: Cut, *, most_input: int = MOST_INPUT) -> str:
    """Return an action as text: `web_search "weather in Paris"`."""
    body = entry.body
    if body is None:
        return "a forgotten action"
    given = _value(body["input"], summary.given(body["input"]), cut, most_input) if "input" in body else ""
    return _joined(_name(body.get("tool"), cut) or ("" if "text" in body else "an action"), given, _text(entry, cut))


def outcome(result: Event, cut: Cut) -> str:
    """Return the outcome of an action: the first words of its result or error."""
    body = result.body or {}
    output = body.get("output")
    gave = summary.brief(summary.gave(output), MOST_OUTPUT)
    value = _value(output, gave, cut, MOST_OUTPUT) if output not in (None, "") else ""
    brief = summary.brief(_word(body.get("text")), MOST_OUTPUT * 2)
    shown = _joined(cut(brief, MOST_OUTPUT * 2), value, _size(body))
    if shown or result.kind != event.RESULT:
        return shown or "failed"
    return "ok" if output is None else "no output"


def line(entry: Event, cut: Cut, *, ended_by: Event | None = None, fate: str = "") -> str:
    """Return the line for an event, `ended_by` its result or error: `[decision] Chose SQLite !8`.

    `fate` says what has become of the action since then, empty if the result or error does.
    """
    kind = (ended_by or entry).kind
    mark = "" if fate or kind in _PLAIN else f"[{cut(_word(kind), MOST_NAME)}]"
    if entry.kind == event.ACTION:
        words = action(entry, cut)
    elif entry.kind in event.CALLS:
        ended_by, words = entry, _name((entry.body or {}).get("tool"), cut) or "an earlier action"
    else:
        words = _other(entry, cut)
    after = f"→ {fate or outcome(ended_by, cut)}" if ended_by else ""
    # The outcome has its own source: the line gets the lower one of both.
    src = origin.lowest((_word(entry.src), _word(ended_by.src) if ended_by and _says(ended_by) else ""))
    if origin.is_outside(src):
        from agentws.core.markdown import escape

        return _joined(mark, escape.by(src, _joined(words, after).removesuffix(origin.ending(src))), _source(src, cut))
    return _joined(mark, words, after, _importance(entry), _source(src, cut))


def _other(entry: Event, cut: Cut) -> str:
    body = entry.body
    if body is None:
        return "forgotten since"
    if summary.is_of_approval(body):
        return cut(summary.text(body), MOST_TEXT)  # the words of an answer alone say neither what it was nor to what
    task = _name(body.get("task"), cut)
    more = {key: value for key, value in body.items() if key not in _OWN}
    text = _value(more, summary.given(more), cut, MOST_INPUT) if more and not body.get("text") else ""
    return _joined(f"{task}:" if task and entry.kind.startswith("task.") else "", _text(entry, cut), text)


def _text(entry: Event, cut: Cut) -> str:
    body = entry.body or {}
    return _joined(cut(_word(body.get("text")), MOST_TEXT), _size(body))


def _size(body: event.Body) -> str:
    """Return the size of a body that is in a blob, else an empty text."""
    size = body.get("size") if "blob" in body else None
    return f"({size:,} bytes)" if isinstance(size, int) else ""


def _importance(entry: Event) -> str:
    importance = (entry.body or {}).get("importance")
    if not isinstance(importance, int) or importance < event.SIGNIFICANT_IMPORTANCE:
        return ""
    return f"!{min(importance, 10)}"


def _says(result: Event) -> bool:
    """Return whether a result has text or output."""
    body = result.body or {}
    return bool(body.get("text")) or body.get("output") not in (None, "")


def _source(src: str, cut: Cut) -> str:
    """Return the source of an event as a log shows it, unless it is the agent itself."""
    return f"(via {cut(src, MOST_NAME)})" if src and src.partition(":")[0] != "agent" else ""


def _name(value: object, cut: Cut) -> str:
    return cut(value, MOST_NAME) if isinstance(value, str) else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _value(value: object, words: str, cut: Cut, most: int) -> str:
    """Return `words` for a JSON value; if they are empty, the beginning of the value."""
    return cut(words or _json(value, most + _BEYOND + 1), most)


def _json(value: object, room: int) -> str:
    """Return the beginning of a value as JSON, slightly more than `room` characters: bodies may be large."""
    parts: list[str] = []
    size = 0
    for part in _pieces(value, room, 0):
        parts.append(part)
        size += len(part)
        if size > room:
            break
    return "".join(parts)


def _pieces(value: object, room: int, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield '"' + value[:room].replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif isinstance(value, dict | list):
        is_list = isinstance(value, list)
        yield "[" if is_list else "{"
        if value and depth == _MOST_DEPTH:
            yield "…"
        else:
            yield from _items(value, room, depth)
        yield "]" if is_list else "}"
    elif value is None or isinstance(value, bool):
        yield "null" if value is None else str(value).lower()
    else:
        yield str(value)[:room]


def _items(value: dict[str, object] | list[object], room: int, depth: int) -> Iterator[str]:
    pairs: Iterable[tuple[str, object]]
    pairs = value.items() if isinstance(value, dict) else (("", item) for item in value)
    comma = ""
    for key, item in pairs:
        yield f'{comma}"{key[:room]}":' if isinstance(value, dict) else comma
        yield from _pieces(item, room, depth + 1)
        comma = ","


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
