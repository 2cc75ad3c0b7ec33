"""When the daily logs were written last, for whoever tells of a life that its journal says little of."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

_TAIL_BYTES = 1 << 16
_MOST_DAYS = 7


def newest(files: Files, before: str) -> str:
    """The newest entry of a daily log before this minute (`YYYY-MM-DD HH:MM`), as that minute or, where it tells no
    time, as its day; empty where there is none. Never fails.
    """
    try:
        names = [name for name, kind in files.names(layout.DAYS) if kind == "file"]
    except AgentwsError:
        return ""
    days = sorted({day for name in names if (day := layout.day_of(name)) and day <= before[:10]}, reverse=True)
    for day in days[:_MOST_DAYS]:
        found = _of_day(files, day, before)
        if found:
            return found
    return ""


def _of_day(files: Files, day: str, before: str) -> str:
    try:
        text = files.part(layout.day_path(day), _TAIL_BYTES, from_end=True)[0].decode("utf-8", "replace")
    except AgentwsError:
        return ""
    moments = [f"{day} {line[2:7]}" for line in text.split("\n") if _tells_time(line)]
    earlier = [moment for moment in moments if moment < before]
    if earlier:
        return earlier[-1]
    return day if text.strip() and not moments and day < before[:10] else ""


def _tells_time(line: str) -> bool:
    return line.startswith("- ") and line[2:4].isdigit() and line[4:5] == ":" and line[5:7].isdigit()
