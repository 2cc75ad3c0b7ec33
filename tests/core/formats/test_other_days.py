"""Days in the names that other programs give their daily notes."""

from __future__ import annotations

import pytest

from agentws.core.formats import adoption
from tests import table

DAYS = {
    "memory/20261123.md": "2026-11-23",
    "memory/2026_11_23.md": "2026-11-23",
    "memory/2026/11/23.md": "2026-11-23",
    "memory/2026-11/23.md": "2026-11-23",
    "memory/2026/11/2026-11-23.md": "2026-11-23",
    "memory/daily/2026-11-23.md": "2026-11-23",
    "Daily Notes/2026-11-23 Monday.md": "2026-11-23",
    "journals/2026_11_23.md": "2026-11-23",
    "Tagebuch/23.11.2026.md": "2026-11-23",
    "logs/2026.11.23.md": "2026-11-23",
    "logs/20261123-standup.md": "2026-11-23",
    "memory/2026-02-31.md": "",
    "memory/2026/13/23.md": "",
    "memory/11-23-2026.md": "",
    "memory/23-11-2026.md": "",
    "memory/2026-11_23.md": "",
    "memory/202611231.md": "",
    "memory/2026/11.md": "",
    "journals/2026_11_23.org": "",
    "notes.md": "",
    "memory/projects/26/11/23.md": "",
}


def test_a_day_is_read_where_only_one_day_can_be_meant() -> None:
    def check(row: tuple[str, str]) -> None:
        assert adoption.day_at(row[0]) == row[1]

    table.holds(check, DAYS.items())


def test_folders_of_daily_notes_are_known_by_place_and_name_and_others_are_counted() -> None:
    rows: list[tuple[list[str], list[str], dict[str, int]]] = [
        (["memory/2026/11/23.md", "memory/notes.md"], ["memory"], {}),
        (["memory/2026-11-23.md", "memory/archive/2026/2026-11-20.md"], [], {}),
        (["memory/standups/2026-11-23.md"], ["memory/standups"], {}),
        (["memory/standups/2026-11-23.md", "memory/standups/who.md"], [], {"memory/standups": 1}),
        (["journals/2026_11_23.md", "journals/index.md", "pages/a.md"], ["journals"], {}),
        (["blog/2026-11-23-tides.md", "blog/2026-11-24-fog.md"], [], {"blog": 2}),
        (["handoffs/2026-11-23-evening.md"], [], {}),
        (["journal/2026-11-23.md"], [], {"journal": 1}),
        (["vault/Daily Notes/2026/11/2026-11-23.md"], ["vault/Daily Notes"], {}),
    ]

    def check(row: tuple[list[str], list[str], dict[str, int]]) -> None:
        assert adoption.folders(row[0]) == row[1:]

    table.holds(check, rows)
    assert adoption.folders(["blog/2026-11-23.md"], named=["blog"]) == (["blog"], {})


@pytest.mark.parametrize("folder", ["日記", "Diario", "Dziennik", "Дневник", "Dagboek"])
def test_dated_files_in_a_diary_are_daily_notes_in_other_languages_too(folder: str) -> None:
    paths = [f"{folder}/2026-11-17.md", f"{folder}/2026-11-18.md", f"{folder}/index.md"]

    assert adoption.folders(paths) == ([folder], {})
