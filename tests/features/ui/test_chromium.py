"""An export in Chromium, where it is installed: text of the workspace stays text. tests/judges/ui tries everything."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.features.ui.export import export
from agentws.workspace import Workspace

CHROMIUM = shutil.which("chromium")
ACTIVE = "<script>document.body.className='hit'</script><img src=x onerror=\"document.body.className='hit'\">"
_DRAW_S = 300

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")]


def test_text_of_the_workspace_is_not_active_in_a_browser(workspace: Workspace, tmp_path: Path) -> None:
    workspace.todo(f"Water the ferns {ACTIVE}")
    workspace.event("note", ACTIVE)
    export(workspace, str(tmp_path / "site"))

    for name in ("index.html", "journal.html"):
        shown = _dom(tmp_path, f"file://{tmp_path}/site/{name}")

        assert "&lt;script&gt;document.body" in shown
        assert 'class="hit"' not in shown


def _dom(home: Path, address: str) -> str:
    """Return the document as it is after scripts could have run."""
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}/profile", "--dump-dom")
    done = subprocess.run(
        [str(CHROMIUM), *options, address],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=_DRAW_S,
        check=True,
    )
    return done.stdout
