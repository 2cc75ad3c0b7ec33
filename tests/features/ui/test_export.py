"""ui --export: the pages as files, complete, without script, and nothing else is overwritten."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from html import unescape
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from agentws.errors import NotForAudienceError, UsageError
from agentws.features.transfer import exporter
from agentws.features.ui import export as exporting
from agentws.features.ui.export import export
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.ui.browser import Browser
from tests.hostile import worlds

TAG = "<script>alert(1)</script><img src=x onerror=alert(2)>"
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "out" / "site"


@pytest.fixture(autouse=True)
def _parent(site: Path) -> None:
    site.parent.mkdir()


def pages(site: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in site.glob("*.html")}


def test_every_link_leads_to_a_file(workspace: Workspace, site: Path) -> None:
    workspace.todo("Water the ferns")
    for number in range(130):
        workspace.event("note", f"Fern {number}")

    done = export(workspace, str(site))

    written = pages(site)
    assert done.pages == len(written)
    links = {
        unescape(link).partition("#")[0] for page in written.values() for link in re.findall(r'href="([^"]*)"', page)
    }
    assert links - {"data:,"} <= {*os.listdir(site), ""}
    assert "Water the ferns" in written["index.html"]
    assert sum("Fern 3<" in page for page in written.values()) == 1


def test_an_export_has_neither_script_nor_buttons(workspace: Workspace, site: Path) -> None:
    workspace.todo(f"Item {TAG}\u202e")
    workspace.remember(f"Memory {TAG}")
    workspace.ask(f"Question {TAG}", action={"tool": TAG})

    export(workspace, str(site))

    for page in pages(site).values():
        assert not re.search(r"<script|<img|<form|<button|<input|\u202e", page)
    assert sorted(path.name for path in site.iterdir() if path.suffix != ".html") == [".agentws-page", "page.css"]


def test_secrets_are_masked(workspace: Workspace, site: Path) -> None:
    Path(workspace.root, "MEMORY.md").write_text(f"# Memory\n\n- [ ] Use {TOKEN}\n")

    export(workspace, str(site))

    assert not any(TOKEN in page for page in pages(site).values())
    assert any("‹redacted:github-token›" in page for page in pages(site).values())


def test_a_secret_of_several_lines_is_masked_in_a_log(workspace: Workspace, site: Path) -> None:
    kind = "OPENSSH PRIVATE KEY"
    lines = "\n".join(f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB{n:02}" for n in range(4))
    Path(workspace.root, "memory/2026-11-20.md").write_text(
        f"A key:\n-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"
    )

    export(workspace, str(site))

    assert "A key:" in pages(site)["time-day-2026-11-20.html"]
    assert not any("b3BlbnNzaC1rZXkt" in page for page in pages(site).values())


def test_only_the_last_days_are_exported(workspace: Workspace, site: Path) -> None:
    earlier = Environment(now=NOW.replace(day=2), timezone="UTC", state=workspace.stores.environment.state)
    Workspace.open(workspace.root, environment=earlier).event("note", "Old fern")
    workspace.event("note", "New fern")
    workspace.log("New fern")

    export(workspace, str(site), since="2026-11-20")

    assert "New fern" in pages(site)["journal.html"]
    assert "Old fern" not in pages(site)["journal.html"]
    assert [name for name in sorted(pages(site)) if name.startswith("time-day")] == ["time-day-2026-11-20.html"]
    assert "As of 2026-11-20 07:15" in pages(site)["index.html"]


def test_a_shared_audience_gets_no_private_text(workspace: Workspace, site: Path) -> None:
    workspace.event("note", "Private fern")
    workspace.log("Private fern #private")
    workspace.log("A fern of the main session")
    heard = Environment(now=NOW, timezone="UTC", state=workspace.stores.environment.state, audience="shared")

    done = export(Workspace.open(workspace.root, environment=heard), str(site))

    assert "Today" in done.left_out
    assert "Copies" in done.left_out
    assert not any(re.search("Private fern|of the main session|Today", page) for page in pages(site).values())


@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_earlier_export_is_replaced_whole(
    workspace: Workspace, site: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(exporter, "_exchanged", lambda *_: False)
    Path(workspace.root, "memory/2026-11-20.md").write_text("- Ferns\n")
    export(workspace, str(site))
    Path(workspace.root, "memory/2026-11-20.md").unlink()

    export(workspace, str(site))

    assert "time-day-2026-11-20.html" not in os.listdir(site)
    assert os.listdir(site.parent) == ["site"]


def test_a_file_that_a_person_put_beside_an_export_stays(workspace: Workspace, site: Path) -> None:
    export(workspace, str(site))
    before = pages(site)
    Path(site, "letter.txt").write_text("Dear Ferns")
    workspace.todo("Water the ferns")

    with pytest.raises(UsageError, match=r"letter\.txt"):
        export(workspace, str(site))

    assert pages(site) == before
    assert Path(site, "letter.txt").read_text() == "Dear Ferns"


KILLED = """
import os, signal, sys
from agentws.features.transfer import exporter
from agentws.features.ui.export import export
from agentws.workspace import Workspace

def killed(*arguments):
    if sys.argv[3] == "after":
        exchanged(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

exchanged = exporter._exchanged
exporter._exchanged = killed
export(Workspace.open(sys.argv[1]), sys.argv[2])
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_while_the_folders_are_exchanged_leaves_a_whole_export(
    workspace: Workspace, site: Path, moment: str
) -> None:
    export(workspace, str(site))
    workspace.todo("Water the ferns")

    done = subprocess.run([sys.executable, "-c", KILLED, workspace.root, str(site), moment], check=False)

    assert done.returncode == -signal.SIGKILL
    assert ("Water the ferns" in pages(site)["index.html"]) == (moment == "after")
    assert set(Path(site, ".agentws-page").read_text().split()) == {*os.listdir(site)} - {".agentws-page"}
    export(workspace, str(site))
    assert os.listdir(site.parent) == ["site"]


def test_a_long_export_says_how_far_it_is(workspace: Workspace, site: Path) -> None:
    heard: list[tuple[int, int]] = []

    done = export(workspace, str(site), progress=lambda *how_far: heard.append(how_far))

    assert [count for count, _ in heard] == [*range(1, done.pages + 1)]
    assert heard[-1] == (done.pages, done.pages)


def test_other_files_are_not_overwritten(workspace: Workspace, site: Path) -> None:
    site.mkdir()
    Path(site, "letter.txt").write_text("Dear Ferns")
    file = site.parent / "file"
    file.write_text("x")

    for place in (site, file):
        with pytest.raises(UsageError):
            export(workspace, str(place))

    assert os.listdir(site) == ["letter.txt"]
    assert file.read_text() == "x"


@pytest.mark.parametrize("place", ["", "/inner", "/memory/site"])
def test_nothing_is_exported_into_the_workspace(workspace: Workspace, place: str) -> None:
    before = sorted(os.listdir(workspace.root))

    with pytest.raises(UsageError, match="in the workspace"):
        export(workspace, f"{workspace.root}{place}")

    assert sorted(os.listdir(workspace.root)) == before


def test_an_interrupted_export_leaves_the_earlier_one(
    workspace: Workspace, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(workspace, str(site))
    before = pages(site)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(exporting._Site, "_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export(workspace, str(site))

    assert pages(site) == before
    assert os.listdir(site.parent) == ["site"]


def test_a_workspace_of_which_nothing_may_be_seen_is_refused(workspace: Workspace, site: Path) -> None:
    from agentws.features.ui.pages import copies

    heard = Environment(now=NOW, timezone="UTC", state=workspace.stores.environment.state, audience="shared")

    with pytest.raises(NotForAudienceError):
        export(Workspace.open(workspace.root, environment=heard), str(site), pages=[copies.PAGE])

    assert not site.exists()


def test_the_command_says_where_the_pages_are(workspace: Workspace, site: Path) -> None:
    done = worlds.run_here("ui", "--export", str(site), "--days", "7", cwd=Path(workspace.root))

    assert done.code == 0
    assert f"{site}/index.html" in done.out.decode()


def test_an_agent_exports_nothing(workspace: Workspace, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")

    done = worlds.run_here("ui", "--export", str(site), cwd=Path(workspace.root))

    assert done.code == 3
    assert not site.exists()


def test_options_of_the_export_are_refused_without_it(workspace: Workspace) -> None:
    done = worlds.run_here("ui", "--days", "7", cwd=Path(workspace.root))

    assert done.code == 2
    assert "--export" in done.err.decode()


def test_days_sessions_and_memory_are_exported_whole(workspace: Workspace, site: Path) -> None:
    Path(workspace.root, "MEMORY.md").write_text("# Memory\n\n" + "".join(f"- Fact {n}.\n" for n in range(130)))
    for day in ("2026-10-02", "2026-11-18"):
        Path(workspace.root, f"memory/{day}.md").write_text(f"- logged on {day}\n")
    workspace.session.start("Write the report", session="report")
    for number in range(220):
        workspace.event("note", f"Step {number}.", session="report")

    export(workspace, str(site))
    export(workspace, str(site.parent / "late"), since="2026-11-10")

    whole, late = "".join(pages(site).values()), pages(site.parent / "late")
    assert "Fact 129." in whole
    assert "logged on 2026-10-02" in whole
    assert "time-day-2026-11-18.html" in late
    assert "time-day-2026-10-02.html" not in late
    assert sum("Step 0." in page and "Step 219." in page for page in pages(site).values()) == 1
    assert "why then" not in whole


def test_the_page_gives_the_last_days_as_an_archive(workspace: Workspace, browser: Browser) -> None:
    workspace.log("The ferns get rain water")
    link = re.search(r'href="(export\.zip\?days=7)" download', browser.get("time"))
    assert link

    answer = browser.client.get(browser.path(link[1]))

    assert answer.headers["content-disposition"] == 'attachment; filename="agentws-page.zip"'
    with ZipFile(BytesIO(answer.content)) as archive:
        assert "agentws-page/index.html" in archive.namelist()
        day = archive.read("agentws-page/time-day-2026-11-20.html").decode()
    assert "rain water" in day
    assert "<script" not in day
    assert browser.client.get(browser.path("export.zip?days=5000000000000")).status_code == 200


def test_nobody_gets_the_archive_without_the_link(browser: Browser) -> None:
    assert browser.another(browser.guard).get(browser.path("export.zip")).status_code == 403
