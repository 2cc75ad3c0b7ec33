"""A single word near a command below `ask` asks nobody: it names what was meant."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Workspace
from tests import forked, table

MEANT = [
    ("deny", "reject"), ("yes", "approve"), ("ls", "list"), ("no", "reject"), ("OK", "approve"), ("accept", "approve"),
    ("aprove", "approve"), ("approved", "approve"), ("rejct", "reject"), ("lists", "list"), ("Show", "show"),
    ("rule", "rules"), ("withdraw", "reject"), ("allow", "approve"),
    ("lsit", "list"), ("shwo", "show"), ("dney", "reject"), ("denied", "reject"),
]  # fmt: skip
ASKED = (["Deploy"], ["deny?"], ["Pay"], ["yes", "please"], ["no longer needed"], ["approve the deposit?"])


def test_a_word_near_a_command_is_refused_with_the_command(workspace: Workspace) -> None:
    def check(row: tuple[str, str]) -> None:
        # An id that no request has: "aprove x" may be a question.
        is_misspelled = row[0] in ("aprove", "rejct", "lists", "lsit", "shwo", "dney")
        unknown = [] if is_misspelled else [["x"], ["abcd1234"]]
        for more in ([], ["c86shp"], *unknown):
            done = forked.run_text("ask", row[0], *more, cwd=workspace.root)
            assert done.returncode == 2, done.stderr
            assert f"Did you mean: agentws ask {' '.join([row[1], *more])}?" in done.stderr

    table.holds(check, MEANT)
    assert not Path(workspace.root, "approvals").exists()


def test_a_question_is_asked(workspace: Workspace) -> None:
    def check(words: list[str]) -> None:
        assert forked.run_text("ask", *words, cwd=workspace.root).returncode == 0

    table.holds(check, ASKED)
