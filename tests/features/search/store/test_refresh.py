"""When the stamp of a file may be relied on, and how many terms a refresh holds in memory."""

from __future__ import annotations

import sqlite3

import pytest

from agentws.features.search.plan import unit
from agentws.features.search.plan.unit import Unit
from agentws.features.search.store import refresh
from agentws.features.search.store.refresh import File, Refresh

NOW = 1_800_000_000_000_000_000
LONG_AGO, JUST_NOW = NOW - 1_000_000_000, NOW - 1_000_000


def test_a_stamp_holds_only_once_the_clock_has_gone_on() -> None:
    assert refresh.settled(f"12 {LONG_AGO} {LONG_AGO} 7", NOW) == f"12 {LONG_AGO} {LONG_AGO} 7"
    assert refresh.settled(f"12 {LONG_AGO} {JUST_NOW} 7", NOW) == ""
    assert refresh.settled(f"12 {JUST_NOW} {LONG_AGO} 7", NOW) == ""
    assert refresh.settled(f"12 {NOW + 5} {NOW + 5} 7", NOW) == ""
    assert refresh.settled("?", NOW) == refresh.settled("", NOW) == ""


HELD = 20
FILES = {f"tasks/shelf-{number}.md": b"Tidy shelf %d with glue%d and paint%d" % ((number,) * 3) for number in range(50)}
CHANGED = {path: data.replace(b"glue", b"nails") for path, data in FILES.items()}


@pytest.mark.parametrize("later", [FILES, CHANGED, dict(list(FILES.items())[::2]), {}])
def test_growth_a_refresh_holds_the_counts_of_few_terms_and_counts_the_same(
    later: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million events have more different terms than may be in memory at once."""
    at_once = terms_after(FILES, later)
    monkeypatch.setattr(refresh, "_MOST_COUNTED", HELD)
    assert terms_after(FILES, later, most_held=HELD) == at_once
    assert bool(at_once) == bool(later)


def terms_after(first: dict[str, bytes], later: dict[str, bytes], *, most_held: int | None = None) -> dict[str, int]:
    """The counts of an index that held the files `first` and then `later`; so many of them were ever in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    refresh.make(connection, "1")
    for files in (first, later):
        work = Refresh(connection, rows=rows, terms=unit.terms_of)
        for path in first.keys() - files.keys():
            work.drop(path)
        for path, data in files.items():
            work.put(File(path, unit.TASKS, "", data))
            assert most_held is None or len(work._counts) <= most_held
        work.finish()
        assert not work._counts
    found = dict(connection.execute("SELECT term, count FROM terms"))
    assert all(count > 0 for count in found.values())
    return found


def rows(path: str, room: str, data: bytes, first_line: int) -> list[tuple[object, ...]]:
    one = Unit(0, path, first_line, first_line, data.decode())
    one.room = room
    return [one.row()]
