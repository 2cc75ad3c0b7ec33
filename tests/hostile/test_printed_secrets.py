"""P16: a secret that stands in a file, or came into the journal before it was known as one, is printed by no verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.secrets import redaction
from tests import table
from tests.hostile import worlds
from tests.hostile.worlds import TODAY

TOKEN = "gh" + "p_" + "k3Jx9QmZ2vLw8RtY5nBc7PdF4sHg6TaVe1Uo"
PASSWORD, CLEFT = "Tr0ub" + "4dor", "Somm3r" + "!ab"
SECRETS = (TOKEN, PASSWORD, CLEFT[:6], TOKEN[20:])
LINES = f"- token {TOKEN}\n- wifi password: {PASSWORD}\n- Passwort: {CLEFT[:3]}\u200b{CLEFT[3:]}\n"
PRINTING = (
    *(("boot",), ("boot", "--json"), ("boot", "--format", "messages"), ("boot", "--explain"), ("status",)),
    *(("task", "show", "wifi"), ("task", "list"), ("handoff", "list"), ("handoff", "show", "2026-11-19-wifi")),
    *(("context", "show", "x"), ("context", "list"), ("session", "list"), ("session", "show")),
    *(("journal", "list"), ("journal", "audit"), ("journal", "replay"), ("why", "wifi password")),
    *(("diff",), ("diff", "MEMORY.md"), ("history", "MEMORY.md"), ("restore", "MEMORY.md", "--dry-run"), ("doctor",)),
    *(("search", "wifi password"), ("sql", "SELECT text, head FROM entries")),
    *(("compact", "--dry-run"), ("forget", "--dry-run", "--matching", "wifi"), ("undo", "--dry-run")),
)


@pytest.fixture
def leaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with secrets in each sort of document, and in events that were recorded raw."""
    handoff = f"---\nstatus: open\nsession: s0\n---\n# Handoff\n\n## Next\n\n{LINES}"
    root = tmp_path / "w"
    assert worlds.run_here("init", str(root), "--name", "Robin", cwd=tmp_path).code == 0
    included = b'[history]\ninclude = ["MEMORY.md"]'
    manifest = (root / "agentws.toml").read_bytes().replace(b"[history]", included)
    worlds.make(root, {
        "agentws.toml": manifest, TODAY: LINES.encode(), "memory/2026-10-01.md": LINES.encode(),
        "tasks/wifi.md": f"---\nstatus: active\n---\n# Wifi\n\n{LINES}".encode(),
        "handoffs/2026-11-19-wifi.md": handoff.encode(), "contexts/x.md": f"# x\n\n{LINES}".encode(),
    })  # fmt: skip
    with monkeypatch.context() as patched:
        patched.setattr(redaction, "is_clean", lambda _values: True)
        assert worlds.run_here("session", "start", cwd=root).code == 0
        for words in (("note", f"Read:\n{LINES}"), ("action", "--tool", "Bash", "--input", f"cat:\n{LINES}")):
            ran = worlds.run_here("event", *words, cwd=root)
            assert ran.code == 0, ran
    (root / "MEMORY.md").write_text(f"# Memory\n\n{LINES}", encoding="utf-8")
    assert worlds.run_here("remember", "Alex likes tea", cwd=root).code == 0
    (root / "MEMORY.md").write_text(f"# Memory\n\n{LINES}- passwd = {PASSWORD}\n", encoding="utf-8")
    return root


def test_no_verb_prints_a_secret_that_stands_in_a_file_or_the_journal(leaky: Path) -> None:
    hidden: list[str] = []

    def check(row: tuple[tuple[str, ...], str]) -> None:
        words, form = row
        ran = worlds.run_here(*words, *filter(None, [form]), cwd=leaky)
        shown = ran.text + ran.said

        assert ran.code in (0, 1, 2, 3, 10, 14), ran
        assert not [secret for secret in SECRETS if secret in shown]
        if "‹redacted:" in ran.text or "\\u2039redacted:" in ran.text:
            hidden.append(" ".join(words))
            told = "masked in this output" in shown or "[hidden]" in shown or words[0] == "boot"
            assert told, ran

    once = {("boot", "--json"), ("boot", "--format", "messages"), ("boot", "--explain")}
    table.holds(check, [(words, form) for words in PRINTING for form in ("", "--json")[: 2 - (words in once)]])
    assert {line.split()[0] for line in hidden} >= {"boot", "task", "handoff", "context", "journal", "diff", "session"}
