"""Workspaces that each landing left are read whole, and gone on with; what is newer than we are is kept."""

from __future__ import annotations

import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.formats import manifest
from agentws.errors import ApprovalRefusedError, FormatVersionError
from agentws.features.sync.join import join
from agentws.workspace import Environment, Workspace, restore_backup

ARCHIVES = sorted(Path(__file__).parent.glob("*.tar.xz"))
NOW = datetime(2031, 6, 2, 9, 0, tzinfo=UTC)
"""Years after the story, and after the day that one of its tasks waits for."""
JOURNAL, LOCAL = "journal", ".agentws"


def thawed(archive: Path, place: Path) -> tuple[Workspace, list[str]]:
    """The workspace of an archive, on a machine that was never in the story, and the texts acknowledged in it."""
    with tarfile.open(archive) as frozen:
        frozen.extractall(place, filter="data")
    told = json.loads((place / "story.json").read_text())
    return opened(place / "juniper"), told["kept"]


def opened(root: Path) -> Workspace:
    state = (None, str(root.parent / "state"))
    return Workspace.open(str(root), environment=Environment(now=NOW, timezone="UTC", state=state))


def documents(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file())
    return {
        name: path.read_bytes()
        for path in found
        if not (name := str(path.relative_to(root))).startswith((".git/", LOCAL))
    }


def everything(ws: Workspace) -> str:
    """What the documents say, and the events, by the journal's own reader."""
    files = documents(Path(ws.root))
    texts = [data.decode("utf-8", "replace") for name, data in files.items() if not name.startswith(JOURNAL)]
    lines = [
        json.loads(line)
        for name, data in files.items()
        if name.endswith(".jsonl") and "archive" in name
        for line in data.splitlines()
    ]
    if not (Path(ws.root) / JOURNAL).is_dir():
        return "\n".join(texts)
    events = [json.dumps(one.body, ensure_ascii=False) for one in ws.journal.list(whole=True)]
    return "\n".join([*texts, *events, json.dumps(lines, ensure_ascii=False)])


def missing(ws: Workspace, kept: list[str]) -> list[str]:
    said = everything(ws)
    return [text for text in kept if text not in said]


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def story(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Workspace, list[str]]:
    return thawed(request.param, tmp_path)


def test_there_is_a_workspace_of_each_landing() -> None:
    assert len(ARCHIVES) >= 10


def test_it_is_read_whole_and_no_byte_is_changed_by_that(story: tuple[Workspace, list[str]]) -> None:
    ws, kept = story
    before = documents(Path(ws.root))
    assert kept
    assert missing(ws, kept) == []
    assert "Juniper" in ws.boot(budget=4000).text
    assert [one.what for one in ws.journal.verify().findings] == []
    assert [one.wrong for one in ws.memory.verify().faults] == []
    assert [hit.text for hit in ws.search("greenhouse").hits]
    for finding in ws.doctor().findings:
        assert "damaged" not in finding.says
    assert documents(Path(ws.root)) == before


def test_work_goes_on_in_it_and_nothing_of_it_is_lost(story: tuple[Workspace, list[str]]) -> None:
    ws, kept = story
    ws.identity.take_over()
    ws.log("Years later the pump runs", kind="fact")
    ws.remember("The quince bears well")
    ws.event("note", "An event of another time")
    ws.tasks.add("Prune the quince")
    ws.tasks.done("prune-the-quince")
    ws.handoff(doing=["The quince"])
    later = opened(Path(ws.root))
    later.memory.compact(agreed=True)
    later.journal.seal()
    new = ["Years later the pump runs", "The quince bears well", "An event of another time", "Prune the quince"]
    again = opened(Path(ws.root))
    assert missing(again, kept + new) == []
    assert [one.what for one in again.journal.verify().findings] == []
    assert [one.wrong for one in again.memory.verify().faults] == []
    assert again.memory.undo() is not None
    assert missing(opened(Path(ws.root)), kept + new) == []


def test_what_waits_in_it_is_known_and_goes_on(tmp_path: Path) -> None:
    ws, _ = thawed(ARCHIVES[-1], tmp_path)
    ws.identity.take_over()
    ws = opened(Path(ws.root))

    approvals = {one.question: one for one in ws.approvals.list()}
    (unknown,) = (one for question, one in approvals.items() if "spring-order" in question)
    assert {question: one.status for question, one in approvals.items() if one is not unknown} == {
        "May the blue pump go to Petra?": "used",
        "Cut down the plum?": "rejected",
        "Buy forty tiles?": "pending",
    }
    with pytest.raises(ApprovalRefusedError, match="used already"):
        ws.approvals.use("", {"give": "blue pump", "to": "Petra"})
    assert ws.approvals.decide(approvals["Buy forty tiles?"].id, approve=False).status == "rejected"

    assert [one.head.label for one in ws.checkpoints.list("repair-the-north-gutter").rows if one.head.label] == ["east"]
    assert ws.checkpoints.open("repair-the-north-gutter").load()["side"] == "south side"

    ws.workflow.resolve("spring-order", "pay", result="paid by hand")
    with opened(Path(ws.root)).workflow("spring-order") as flow:
        assert flow.step("choose", pytest.fail) == {"tiles": "forty tiles, grey"}
        assert flow.step("pay", pytest.fail) == "paid by hand"

    Path(ws.root, "almanac.txt").write_text("Rain")
    woken = {one.slug for one in opened(Path(ws.root)).tasks.due().woken}
    assert woken == {"read-the-new-almanac", "sell-the-old-pump"}
    ws.event("rain.fell", "At last")
    assert {one.slug for one in opened(Path(ws.root)).tasks.due().woken} == {"water-after-the-rain"}
    calls = {one.body["call"]: one for one in ws.journal.list(kinds=["action"]) if one.body}
    assert [call for call, one in calls.items() if one.retracted] == ["valve-2"]


def test_it_is_backed_up_restored_and_synced_whole(story: tuple[Workspace, list[str]], tmp_path: Path) -> None:
    ws, kept = story
    ws.identity.take_over()
    ws = opened(Path(ws.root))
    for folder in ("disk", "server"):
        (tmp_path / folder).mkdir()
    ws.copies.create(str(tmp_path / "disk"))
    assert ws.copies.drill().well
    back = restore_backup(str(tmp_path / "disk"), str(tmp_path / "back")).path
    assert missing(opened(Path(back)), kept) == []

    ws.sync(str(tmp_path / "server"))
    there = (None, str(tmp_path / "state-of-another"))
    surroundings = Environment(now=NOW, timezone="UTC", state=there)
    join(str(tmp_path / "server"), str(tmp_path / "laptop"), environment=surroundings)
    assert missing(Workspace.open(str(tmp_path / "laptop"), environment=surroundings), kept) == []


def test_what_is_newer_than_we_are_is_kept(tmp_path: Path) -> None:
    ws, kept = thawed(ARCHIVES[-1], tmp_path)
    root = Path(ws.root)
    settings, task = root / "agentws.toml", root / "tasks/repair-the-north-gutter.md"
    settings.write_text(settings.read_text() + "\n[orchard]\nrows = 7  # from a later version\n")
    task.write_text(task.read_text().replace("---\n", '---\nsunlight: "five hours"\n', 1))
    (root / "approvals-of-tomorrow").mkdir()
    (root / "approvals-of-tomorrow/1.new").write_bytes(b"\x00what a later version keeps\xff")
    ws = opened(root)
    ws.tasks.step("repair-the-north-gutter", "Buy the brackets")
    ws.config.set("boot.budget", "6000")
    ws.memory.compact(agreed=True)
    assert "[orchard]\nrows = 7  # from a later version" in settings.read_text()
    assert 'sunlight: "five hours"' in task.read_text()
    assert "Buy the brackets" in task.read_text()
    assert (root / "approvals-of-tomorrow/1.new").read_bytes() == b"\x00what a later version keeps\xff"
    assert [one.body["text"] for one in opened(root).journal.list(kinds=["garden.weighed"])] == [
        "A kind that nobody knows"
    ]
    assert missing(opened(root), kept) == []


@pytest.mark.parametrize("feature", ["read", "write"])
def test_what_we_must_not_touch_says_so_and_stays(tmp_path: Path, feature: str) -> None:
    ws, kept = thawed(ARCHIVES[-1], tmp_path)
    settings = Path(ws.root) / "agentws.toml"
    text = manifest.with_feature(settings.read_text(), "from.tomorrow", where="agentws.toml")
    settings.write_text(text if feature == "read" else text.replace("read =", "write ="))
    before = documents(Path(ws.root))
    with pytest.raises(FormatVersionError, match=r"from\.tomorrow"):
        opened(Path(ws.root)).log("Too late")
    if feature == "write":
        assert missing(opened(Path(ws.root)), kept) == []
    assert documents(Path(ws.root)) == before
