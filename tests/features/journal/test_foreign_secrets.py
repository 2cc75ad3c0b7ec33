"""Events that another program wrote with a secret in them: what agentws prints of them has a placeholder instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import forked
from tests.features.sync.trust.test_forged_journal import behind

SECRET = "Winter2026x"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    forked.run_text("init", str(tmp_path / "robin"), "--name", "Robin")
    forked.run_text("event", "note", "first", "-C", str(tmp_path / "robin"))
    (segment,) = (tmp_path / "robin/journal").glob("*/000001.jsonl")
    data = segment.read_bytes()
    for kind, body in (
        ("action", {"tool": "login", "call": "c1", "input": {"password": SECRET}}),
        ("action", {"tool": "login", "call": "c2", "input": [{"name": "API_KEY", "value": SECRET}]}),
        ("error", {"tool": "login", "call": "c2", "output": {"token": SECRET}}),
        ("decision", {"pin": 4821, "password": SECRET}),
        ("plan", {"passphrase": SECRET}),
        ("note", {"passphrase": SECRET, "text": "log in"}),
    ):
        before = data
        data = before + behind(data, kind, {"v": 1, **body})[len(before) :].replace(
            b'"session":null', b'"session":"s1"'
        ).replace(b'"kind":"note","session":"s1","src":"agent"', b'"kind":"note","session":"s1","src":"user"')
    segment.write_bytes(data)
    return tmp_path / "robin"


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "verb", ["boot", "journal list", "journal replay", "journal audit", "search login", "session show s1"]
)
def test_a_secret_that_only_its_name_reveals_is_masked(root: Path, verb: str, form: str) -> None:
    done = forked.run_text("-C", str(root), *verb.split(), *(["--json"] if form == "json" else []))

    assert done.returncode == 0, done.stderr
    assert "login" in done.stdout
    assert "‹redacted:secret-assignment›" in done.stdout.replace("\\u2039", "‹").replace("\\u203a", "›")
    assert SECRET not in done.stdout
    assert "4821" not in done.stdout
