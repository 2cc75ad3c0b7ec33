"""Log lines that sync brought are watched like those written here: an overwritten log loses none in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.stores import lost_lines
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

DAY = "memory/2026-11-20.md"


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    desk = machines.first()
    desk.log("The post came")
    desk.sync(str(machines.stick))
    return desk, machines.another("attic")


def log(machines: Machines, name: str) -> Path:
    return machines.root(name) / DAY


def reported(machines: Machines, name: str) -> list[str]:
    """What doctor says of missing lines; boot says the same of each."""
    workspace = machines.opened(name)
    says = [f"{one.path}: {one.says}" for one in workspace.doctor().findings if one.name == "lost-lines"]
    shown = workspace.boot().text
    assert all(each in shown for each in says)
    assert ("acknowledged line" in shown) == bool(says)
    return says


def settle(machines: Machines, *names: str) -> None:
    for name in (*names, *names):
        machines.opened(name).sync()


WRITES = {
    "it only received": (0, 1),
    "it received between its own": (1, 1),
    "it received many": (2, 6),
}


@pytest.mark.parametrize("writes", WRITES)
@pytest.mark.parametrize("is_gone", [True, False])
def test_a_log_overwritten_after_a_sync_is_reported_and_the_loss_does_not_spread(
    machines: Machines, writes: str, is_gone: bool
) -> None:
    desk, attic = two(machines)
    own, others = WRITES[writes]
    settle(machines, "attic", "desk")
    old = log(machines, "attic").read_bytes()
    for number in range(own):
        attic.log(f"Own line {number}")
    for number in range(others):
        desk.log(f"A zebra came {number}")
    settle(machines, "desk", "attic", "desk")
    assert log(machines, "attic").read_bytes().count(b"zebra") == others
    assert reported(machines, "attic") == []

    if is_gone:
        log(machines, "attic").unlink()
    else:
        log(machines, "attic").write_bytes(old)
    count = own + others + is_gone  # the first line came when it joined
    says = reported(machines, "attic")
    settle(machines, "attic", "desk", "attic")

    number = int(says[0].split(": ")[1].split()[0])
    assert number in (count, count - is_gone)
    assert log(machines, "desk").read_bytes().count(b"zebra") == others
    machines.opened("attic").doctor(fix=True)
    assert reported(machines, "attic") == []
    settle(machines, "attic", "desk", "attic")
    for name in ("attic", "desk"):
        assert log(machines, name).read_bytes().count(b"zebra") == others
        assert log(machines, name).read_bytes().count(b"Own line") == own


def test_a_loss_that_is_accepted_spreads_and_is_not_reported_again(machines: Machines) -> None:
    desk, _ = two(machines)
    settle(machines, "attic", "desk")
    old = log(machines, "attic").read_bytes()
    desk.log("A zebra came")
    settle(machines, "desk", "attic", "desk")
    log(machines, "attic").write_bytes(old)
    assert reported(machines, "attic")

    machines.opened("attic").doctor(accept_loss=True)
    settle(machines, "attic", "desk")

    assert b"zebra" not in log(machines, "desk").read_bytes()
    assert reported(machines, "attic") == reported(machines, "desk") == []


@pytest.mark.parametrize("how", ["forgotten", "removed", "edited", "archived"])
def test_what_another_machine_takes_away_is_no_loss(machines: Machines, how: str) -> None:
    desk, attic = two(machines)
    attic.log("Own zebra")
    desk.log("A zebra came")
    desk.log("An otter came")
    settle(machines, "attic", "desk", "attic")
    page = log(machines, "desk")
    if how == "forgotten":
        machines.opened("desk").memory.forget(matching=["zebra"], confirm=True)
    elif how == "removed":
        page.write_text("".join(line for line in page.read_text().splitlines(True) if "zebra" not in line))
        machines.opened("desk").doctor(accept_loss=True)
    elif how == "edited":
        page.write_text(page.read_text().replace("zebra", "mule"))
        machines.opened("desk").doctor(accept_loss=True)
    else:
        machines.opened("desk", minutes=60 * 24 * 9).memory.compact(agreed=True)

    settle(machines, "desk", "attic", "desk")

    assert reported(machines, "attic") == reported(machines, "desk") == []
    assert lost_lines.missing(machines.opened("attic").stores.files) == []
    if how == "archived":
        return
    old = log(machines, "attic").read_bytes()
    log(machines, "attic").write_bytes(b"".join(line for line in old.splitlines(True) if b"otter" not in line))
    assert reported(machines, "attic") == [
        f"{DAY}: 1 acknowledged line is missing, as if another program had overwritten the file"
    ]


def test_forgotten_words_are_not_kept_in_the_record_of_changes(machines: Machines) -> None:
    desk, _ = two(machines)
    desk.log("A zebra came")
    settle(machines, "desk", "attic", "desk")
    record = machines.root("attic") / ".agentws/changes.jsonl"
    assert b"zebra" in record.read_bytes()
    machines.opened("desk").memory.forget(matching=["zebra"], confirm=True)

    settle(machines, "desk", "attic")

    assert b"zebra" not in record.read_bytes()
    assert reported(machines, "attic") == []


def test_of_more_than_the_record_holds_the_newest_days_are_watched(machines: Machines) -> None:
    two(machines)
    for number in range(1, 10):
        day = machines.root("desk") / f"memory/2026-10-0{number}.md"
        day.write_text(f"# 2026-10-0{number}\n\n" + "".join(f"- 08:00 {'long ' * 900}{at}\n" for at in range(2)))
    settle(machines, "desk", "attic")

    assert (machines.root("attic") / ".agentws/changes.jsonl").stat().st_size < 70_000
    for number in (1, 9):
        (machines.root("attic") / f"memory/2026-10-0{number}.md").write_text("# gone\n")
    assert [one.path for one in lost_lines.missing(machines.opened("attic").stores.files)] == ["memory/2026-10-09.md"]
