"""The text that an import writes: entries of daily logs from turns, entries of memory pages. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from agentws.core.formats import digest, layout
from agentws.core.formats.documents import daily, memory
from agentws.core.formats.journal import summary
from agentws.core.formats.json import plainjson
from agentws.core.text import sanitize
from agentws.features.transfer.plan.items import Line, Memory, Turn

MOST_PAGE_BYTES = 256 * 1024
"""A memory page that is larger is continued in another one."""
MOST_ASKED, MOST_DONE, MOST_LISTED, _MOST_PATH = 200, 320, 120, 240
"""The characters of a request, an answer, any other text and a path in an entry."""
_DECIDED = re.compile(r"\Adecided:\s*", re.IGNORECASE)
"""The label of a decision, which its own words may have already."""
_FEW = 6
_KEY_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry to write: the `path` of its file, its local `day` and `time` (empty: unknown), its Markdown `text`."""

    path: str
    day: str
    time: str
    text: str


def origin_of(source: str) -> str:
    """Return the origin of what a source of imports says."""
    return f"import:{source}"


def ids_path(source: str) -> str:
    """Return the file with the keys of what was imported from a source."""
    return f"{layout.IMPORTED}/{source}.jsonl"


def page_path(source: str, number: int) -> str:
    """Return the path of a source's memory page, from 1."""
    return f"{layout.IMPORTED}/{source}.md" if number == 1 else f"{layout.IMPORTED}/{source}-{number}.md"


def day_path(source: str, day: str) -> str:
    """Return the daily log with the sessions of a source on a day."""
    return f"{layout.DAYS}/{day}-import-{source}.md"


def key(item: Memory | Turn | Line) -> int:
    """Return the key by which an imported item is known again: of its id and what may change of it."""
    if isinstance(item, Memory):
        words = f"memory {item.id} {item.day} {' '.join(item.text.split())}".replace("  ", " ")
    elif isinstance(item, Line):
        words = f"line {item.day} {item.time} {' '.join(item.text.split())}"
    else:
        words = f"turn {item.id or f'{item.at} {item.asked}'} {'done' if item.done else ''}"
    if not isinstance(item, Turn) and item.occurrence > 1:
        words += f" {item.occurrence}"
    return _digest(words)


def rest_key(where: str, reason: str) -> int:
    """Return the key by which something that can never be imported is known again."""
    return _digest(f"rest {where} {reason}")


def _digest(words: str) -> int:
    return int(digest.quick(words.encode("utf-8", "surrogatepass"))[:_KEY_DIGITS], 16)


def keys_of(data: bytes, name: Literal["keys", "rest"] = "keys") -> Iterator[int]:
    """Yield the keys in a file of keys, or those of the `rest`; lines that are not understood are passed over."""
    for line in data.split(b"\n"):
        try:
            row = plainjson.loads(line) if line.strip() else None
            yield from (int(each, 16) for each in row.get(name, ())) if isinstance(row, dict) else ()
        except (ValueError, TypeError):
            continue


def keys_line(keys: Iterable[int], rest: Iterable[int], *, at: str) -> bytes:
    """Return the line of a file of keys for a part of an import: of what was imported, and of the rest."""
    row: dict[str, object] = {"v": 1, "at": at, "keys": [f"{each:016x}" for each in keys]}
    if several := [f"{each:016x}" for each in rest]:
        row["rest"] = several
    return f"{plainjson.dumps(row)}\n".encode()


def local(at: str, zone: tzinfo | None) -> tuple[str, str]:
    """Return the day and the minute of a time (ISO 8601) in a zone."""
    moment = datetime.fromisoformat(at).astimezone(zone)
    return f"{moment:%Y-%m-%d}", f"{moment:%H:%M}"


def of_session(
    source: str, day: str, time: str, turns: Sequence[Turn], decided: Sequence[str], shown: Callable[[str], str]
) -> Entry:
    """Return the entry for the turns of a session on a day; `shown` is the path of a file as people write it."""
    asked = [short for turn in turns if (short := summary.cut(turn.asked, MOST_ASKED))]
    done = next((turn.done for turn in reversed(turns) if turn.done.strip()), "")
    paths = dict.fromkeys(path for turn in turns for path in turn.files)
    files = [summary.cut(shown(path), _MOST_PATH) for path in paths]
    failed = [summary.cut(each, MOST_LISTED) for turn in turns for each in turn.failed]
    lines = [f"Asked: {asked[0]}" if asked else "Session without a request"]
    for label, several in (
        ("Conversation", [turns[0].title] if turns[0].title else []),
        ("Then asked", asked[1:]),
        ("Done", [summary.cut(done, MOST_DONE)] if done else []),
        ("Decided", [summary.cut(_DECIDED.sub("", each, 1), MOST_LISTED) for each in decided]),
        ("Files", files),
        ("Failed", failed),
    ):
        more = f" (and {len(several) - _FEW} more)" if len(several) > _FEW else ""
        lines += [f"{label}: {'; '.join(several[:_FEW])}{more}"] if several else []
    text = sanitize.written("\n".join(lines))
    return Entry(day_path(source, day), day, time, daily.entry(text, time=time, via=origin_of(source)))


def of_memory(source: str, path: str, item: Memory, day: str) -> Entry:
    """Return the entry of a memory page for a remembered text, after its day if that is known."""
    return Entry(
        path, day, "", f"{memory.bullet(sanitize.written(item.text), item.origin or origin_of(source), head=day)}\n"
    )


def of_line(source: str, item: Line) -> Entry:
    """Return the entry for a line of another workspace's log."""
    text, via = sanitize.written(item.text), item.origin or origin_of(source)
    written = daily.entry(text, time=item.time, via=via) if item.time else f"{memory.bullet(text, via)}\n"
    return Entry(day_path(source, item.day), item.day, item.time, written)


def title(path: str, name: str, day: str) -> str:
    """Return the first lines of a new file of an import; `name` is the program's."""
    return (
        f"# {day} · imported from {name}\n\n"
        if not path.startswith(f"{layout.IMPORTED}/")
        else f"# Imported from {name}\n\n"
    )
