"""What waits for a person, counted by the heads of files."""

from __future__ import annotations

from pathlib import Path

from agentws.core.disk.files import Files
from agentws.core.formats.documents import approval
from agentws.features.approvals import pending_approvals
from tests.conftest import NOW


def files(folder: Path, ids: list[str], **state: str) -> list[str]:
    (folder / "approvals").mkdir(exist_ok=True)
    for id in ids:
        (folder / approval.path_of(id)).write_bytes(approval.new("Pay?", None, {"status": "pending", **state}))
    return [approval.path_of(id) for id in ids]


def test_each_that_waits_is_counted_behind_any_number_that_was_answered(tmp_path: Path) -> None:
    paths = files(tmp_path, [f"b{number}" for number in range(450)], status="used")
    paths += files(tmp_path, ["zz", "zzz"])

    assert str(pending_approvals.of(Files(str(tmp_path)), paths, NOW)) == "2 approvals wait"


def test_one_whose_expiry_names_no_zone_does_not_wait(tmp_path: Path) -> None:
    paths = files(tmp_path, ["bbb"], expires="2027-01-01T00:00:00")

    found = pending_approvals.of(Files(str(tmp_path)), paths, NOW)

    assert (found.count, len(found.odd)) == (0, 1)
