"""P10: boot drops nothing silently, and what it counts is what is there."""

from __future__ import annotations

import random
import tempfile
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.disk.system import shipped
from agentws.core.formats.documents import shared
from agentws.core.tokens import counters
from agentws.features.boot.apply import Booted
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.hostile import worlds
from tests.thorough import THOROUGH

SOME_WORDS = "the agent moved build cache fixed naïve 日本語 test 🦊 release `code` why **bold lead** SQLite"
WORDS = tuple(SOME_WORDS.split())
PRIVATE = "zzprivatezz"


class Shape:
    """Makes texts shaped like real agents' notes, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def sentence(self) -> str:
        return " ".join(self._dice.choices(WORDS, k=self._dice.randint(2, 25))) + self._dice.choice([".", "", ":", "!"])

    def item(self) -> str:
        kind = self._dice.randrange(9)
        if kind == 0:
            return "| a | b |\n|---|---|\n" + "".join(f"| {n} | {self.sentence()} |\n" for n in range(3)) + "\n"
        if kind == 1:
            return f"- {self.sentence()}\n  - {self.sentence()}\n\n    {self.sentence()}\n  - [x] {self.sentence()}\n"
        if kind == 2:
            return f"{self.sentence()}\n{self.sentence()}\n\n"
        if kind == 3:
            return f"```\n{self.sentence()}\n# {self.sentence()}\n```\n"
        if kind == 4:
            return f"- {self.sentence()} {PRIVATE} #private\n"
        if kind == 5:
            return f"- {self.sentence()}\n  - {PRIVATE} #private\n"
        if kind == 6:
            return f"- [ ] {self.sentence()}\n"
        return f"- {self._dice.choice(['09:30 ', '', '[decision] '])}{self.sentence()}\n"

    def text(self, items: int) -> str:
        parts = [f"# {self.sentence()}\n\n"] if self._dice.random() < 0.7 else []
        for _ in range(items):
            if self._dice.random() < 0.2:
                private = self._dice.random() < 0.2
                parts.append(f"\n{'#' * self._dice.randint(2, 4)} {self.sentence()}{' #private' * private}\n\n")
                if private:
                    parts.append(f"- {PRIVATE} {self.sentence()}\n\n## Open again\n\n")
            parts.append(self.item())
        newline = self._dice.choice(["\n", "\n", "\r\n"])
        return "".join(parts).replace("\n", newline)

    def workspace(self, root: Path, *, days: int, items: int) -> Path:
        files = {"agentws.toml": worlds.MANIFEST + b'[boot]\npinned = ["NOW.md"]\n'}
        for path in ("SOUL.md", "IDENTITY.md", "AGENTS.md", "NOW.md", "TOOLS.md"):
            if self._dice.random() < 0.8:
                files[path] = self.text(self._dice.randint(0, items)).encode()
        for path in ("USER.md", "MEMORY.md"):
            files[path] = "".join(f"- {PRIVATE} {self.sentence()}\n" for _ in range(items)).encode()
        for number in range(self._dice.randint(0, 4)):
            status = self._dice.choice(["active", "waiting", "done", "open"])
            files[f"tasks/t{number}.md"] = f"---\nstatus: {status}\n---\n{self.text(3)}".encode()
        for number in range(self._dice.randint(0, 3)):
            files[f"handoffs/2026-11-1{number}-s.md"] = f"---\nsession: s{number}\n---\n{self.text(4)}".encode()
        files["tasks/private.md"] = f"---\nstatus: active\nprivate: true\n---\n- {PRIVATE}\n".encode()
        files["memory/2026-11-02-private.md"] = f"---\ntags: [private]\n---\n- {PRIVATE}\n".encode()
        files["memory/2026-11-03.md"] = f"# All of it #private\n\n- {PRIVATE}\n\n## More\n\n{PRIVATE}\n".encode()
        for number in range(days):
            day = date(2026, 11, 20) - timedelta(days=number * self._dice.choice([1, 1, 1, 3]))
            files[f"memory/{day}-{number}.md"] = self.text(self._dice.randint(0, items)).encode()
        return worlds.make(root, files, usual=False)


def _boot(shape: int, days: int, items: int, **options: object) -> tuple[Booted, Booted, set[str]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Shape(shape).workspace(Path(folder) / "w", days=days, items=items)
        environment = Environment(now=NOW, timezone="UTC")
        first, again = (Workspace.open(str(root), environment=environment).boot(**options) for _ in range(2))
        there = {str(path.relative_to(root)) for path in root.rglob("*.md") if path.read_bytes().strip()}
    return first, again, there


ANY_BOOT = given(
    shape=st.integers(0, 10_000),
    days=st.sampled_from([0, 1, 3, 15, 60]),
    items=st.sampled_from([1, 5, 30]),
    budget=st.sampled_from([200, 250, 400, 800, 1000, 2000, 5000, 8000, 32_000]) | st.integers(200, 32_000),
    tokenizer=st.sampled_from(["bytes", "chars4"]),
    audience=st.sampled_from(["main", "shared"]),
)
MODEST = settings(max_examples=40 if THOROUGH else 15, deadline=None)


@ANY_BOOT
@MODEST
def test_any_boot_is_counted_exactly_the_same_every_time_and_accounts_for_every_file(
    shape: int, days: int, items: int, budget: int, tokenizer: str, audience: str
) -> None:
    booted, again, there = _boot(shape, days, items, budget=budget, tokenizer=tokenizer, audience=audience)

    counter = counters.counter(tokenizer, shipped.open_o200k)
    assert booted.tokens == counters.tokens(counter, booted.text) <= budget
    assert booted.text == again.text
    assert booted.text.strip()
    _check_that_each_file_is_accounted_for(booted, there, audience)
    _check_that_the_sections_are_the_text(booted, tokenizer)


def _check_that_each_file_is_accounted_for(booted: Booted, there: set[str], audience: str) -> None:
    """Check that it is shown whole, or named among what is left out."""
    whole = {section.source for section in booted.context.sections if section.reason == "whole"}
    omitted = {left.source for left in booted.context.omitted}
    if audience == "shared":  # it is told how much is not for it, and no name of that
        assert not (there - set(shared.FOR_ALL)) & (whole | omitted)
        is_told = any("hidden from this audience" in notice for notice in booted.notices)
        assert bool(there - whole - omitted) <= is_told
        there = set()
    assert not whole & {left.source for left in booted.context.omitted if left.tokens is not None}
    for path in there - whole - omitted:
        days_omitted = any(left.source == "memory/" for left in booted.context.omitted)
        is_line = path.startswith("tasks/")  # a line each; one that is over is not asked for
        is_listed = f"\n- {path.removeprefix('memory/')[5:10]} " in booted.text  # all its items are under Open
        assert is_line or (path.startswith("memory/") and (days_omitted or is_listed)) or path == "TOOLS.md", path
    for section in booted.context.sections:
        assert section.reason == "whole" or section.source in omitted or section.shown == section.of, section.source
    for left in booted.context.omitted:
        assert left.tokens is None or left.tokens > 0


def _check_that_the_sections_are_the_text(booted: Booted, tokenizer: str) -> None:
    """Check that sections and framing add up to what is counted, and that each has its heading."""
    in_sections = sum(section.tokens for section in booted.context.sections)
    framing = booted.tokens - in_sections
    rounding = len(booted.context.sections) * (tokenizer == "chars4")
    assert framing > -rounding
    assert in_sections <= booted.tokens + rounding
    assert booted.context.stable_prefix_tokens <= booted.tokens
    for section in booted.context.sections:
        assert f"## {section.title}" in booted.text or f"## {section.source}, continued\n" in booted.text


@given(shape=st.integers(0, 10_000), budget=st.integers(200, 32_000), days=st.sampled_from([0, 2, 20]))
@MODEST
def test_a_shared_audience_sees_nothing_private(shape: int, budget: int, days: int) -> None:
    booted, _, _ = _boot(shape, days, 12, budget=budget, audience="shared")

    assert PRIVATE not in booted.text
    assert all(section.source not in ("USER.md", "MEMORY.md") for section in booted.context.sections)


def test_the_main_session_does_see_it() -> None:
    assert PRIVATE in _boot(1, 2, 12, budget=32_000)[0].text


@pytest.mark.parametrize(
    "path", ["SOUL.md", "p.md", "c.md", "contexts/x.md", "handoffs/h.md", "tasks/t.md", "AGENTS.md", worlds.TODAY]
)
def test_front_matter_that_says_private_hides_any_file_from_a_shared_audience(tmp_path: Path, path: str) -> None:
    manifest = worlds.MANIFEST + b'[boot]\npinned = ["p.md"]\ncontext = "x"\n'
    files = {"agentws.toml": manifest, "contexts/x.md": b"---\nfiles: [c.md]\n---\n# X\n"}
    data = b"---\nprivate: true\nstatus: active\nfiles: [c.md]\n---\n# T\n\n- " + PRIVATE.encode() + b"\n"
    root = worlds.make(tmp_path / "w", {**files, path: data})

    others = worlds.run_here("boot", "--audience", "shared", cwd=root)
    main = worlds.run_here("boot", cwd=root)

    assert PRIVATE in main.text or path.startswith("tasks/")
    assert PRIVATE not in others.text
