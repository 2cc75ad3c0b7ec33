"""Which backups a rule keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agentws.errors import UsageError
from agentws.features.copies.backup import checks
from agentws.features.copies.backup.plan import keep, loss

NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
YEAR = [(f"{day:04}", NOW + timedelta(days=day)) for day in range(400)]


def kept(rule: str, backups: list[tuple[str, datetime]] = YEAR) -> list[str]:
    gone = keep.removable(keep.parse(rule), backups)
    return [name for name, _ in backups if name not in gone]


def test_a_rule_keeps_the_newest_of_each_period() -> None:
    assert kept("all") == [name for name, _ in YEAR]
    assert kept("3") == ["0397", "0398", "0399"]
    assert kept("5d") == ["0395", "0396", "0397", "0398", "0399"]
    assert len(kept("4w")) == 4
    assert kept("2m") == ["0375", "0399"], "the last day of November, and the newest"
    assert len(kept(keep.DEFAULT)) == len({*kept("7"), *kept("14d"), *kept("8w"), *kept("12m")})


def test_the_newest_stays_and_days_without_a_backup_do_not_count() -> None:
    sparse = [("1", NOW), ("2", NOW + timedelta(days=90)), ("3", NOW + timedelta(days=91))]

    assert kept("1", sparse) == ["3"]
    assert kept("3d", sparse) == ["1", "2", "3"]
    assert kept("7 14d", []) == []


def test_of_several_on_one_day_the_newest_stays_though_the_clock_went_back() -> None:
    backups = [("1", NOW), ("2", NOW + timedelta(hours=2)), ("3", NOW + timedelta(hours=1))]

    assert kept("2d", backups) == ["3"]


@pytest.mark.parametrize("text", ["", "0", "7 8", "7x", "d", "-1", "7d 8d", "all 3"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        keep.parse(text)


def test_events_that_no_other_copy_holds_are_counted() -> None:
    assert loss.alone([{"a": (1, 5), "b": (1, 2)}], {"a": (1, 9), "b": (1, 2), "c": (1, 3)}) == 4 + 3
    assert loss.alone([{"a": (1, 9)}], {"a": (1, 5)}) == 0
    assert loss.alone([], {"a": (1, 9)}) == 9
    assert loss.alone([{"a": (5, 9)}], {"a": (1, 9)}) == 4, "its beginning was retired"
    assert loss.alone([{"a": (7, 9)}, {"a": (3, 4)}, {"b": (1, 9)}], {"a": (2, 9)}) == 3
    assert loss.alone([{"a": (7, 9)}], {"a": (1, 3)}) == 3


def test_documents_are_named_first_and_folders_of_programs_by_a_word() -> None:
    paths = (".git/index", ".git/objects/ab", "a.txt", "journal/0/000001.jsonl", "memory/2026-11-24.md")
    differ = loss.Differences(changed=paths, removed=("SOUL.md",))

    assert differ.told["changed"] == ["memory/2026-11-24.md", "a.txt", ".git", "journal"]
    assert (differ.documents, differ.others) == (1, 1)


def test_the_doctor_waits_a_week_and_thirty_days() -> None:
    week, month = timedelta(days=7), timedelta(days=30)
    second = timedelta(seconds=1)

    assert not checks.old(NOW + week - second, NOW, 5, 0)
    assert not checks.old(NOW + week, NOW, 0, 0)
    assert [one.name for one in checks.old(NOW + week, NOW, 5, 0)] == ["backup-old"]
    assert [one.name for one in checks.old(NOW + week, NOW, 0, 1)] == ["backup-old"]
    assert not checks.drill_due(NOW + month - second, NOW, [])
    assert [one.name for one in checks.drill_due(NOW + month, NOW, [])] == ["drill-due"]
    assert not checks.drill_due(NOW + month, NOW, [NOW + second])


def test_what_alone_holds_events_stays() -> None:
    held = {"1": {"a": (1, 5)}, "2": {"a": (1, 9)}, "3": {"a": (1, 9), "b": (1, 2)}, "4": {"a": (1, 6)}}
    newest = {"a": (1, 6)}

    assert keep.spared(["1", "2"], held, newest) == ["1", "2"], "a kept one holds them"
    assert keep.spared(["1", "2", "3"], held, newest) == ["1", "2"], "the newest one of those that do"
    assert keep.spared(["1", "2", "3"], held, {"a": (1, 9), "b": (1, 2)}) == ["1", "2", "3"]
    assert keep.spared(["2", "3"], held | {"2": {"a": (1, 10)}}, newest) == []


def test_of_those_that_hold_a_retired_beginning_as_few_stay_as_hold_all_of_it() -> None:
    held = {str(day): {"a": (1 + 10 * day, 50 + 10 * day)} for day in range(8)}

    assert keep.spared([*held], held, {"a": (81, 130)}) == ["1", "2", "4", "5", "6", "7"]
    assert keep.spared(["1", "2"], held, {"a": (81, 130)}) == ["1", "2"], "those that are kept hold it"
