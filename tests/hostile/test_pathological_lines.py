"""P15: every verb ends soon, in bounded memory, whatever a line of a file holds.

The quick form tries a few texts; the long one (`AGENTWS_THOROUGH`) tries all, and mixtures of them drawn from a seed.
"""

from __future__ import annotations

import os
import random
import resource
from pathlib import Path

import pytest

from tests.hostile import worlds

N = 100_000
CPU_S = 20
"""Generous: each takes a second or two. What is not linear takes minutes."""
PIECES = {
    "blanks": b"a" + b" " * N + b"b",
    "brackets": b"[" * N,
    "backticks": b"`" * (N - 1) + b" x` " * 100,
    "quotes": '"“'.encode() * (N // 4),
    "stars": b"*" * N,
    "hashes": b"#" * N,
    "pipes": b"| " * (N // 2),
    "zero-width": ("a" + "\u200b" * (N // 3)).encode(),
    "combining marks": ("a" + "\u0301" * (N // 2)).encode(),
    "digits": b"1" * N,
    "one word": b"x" * N,
    "capitals": b"A" * N,
    "boxes": b"[x] " * (N // 4),
    "addresses": b"https://a.example/b " * (N // 20),
    "JSON": b'{"a":["b",' * (N // 10),
    "dashes": b"-" * N,
    "parentheses": b"(" * N,
    "sentences": b"Sam decided to use it. " * (N // 23),
    "tags": b"x" + b" #tag" * (N // 5),
    "clauses": b"a; " * (N // 3),
    "nested": b"".join(b"\n" + b" " * (n % 40) + b"- x" for n in range(N // 20)),
    "quotations": b"> " * (N // 2),
    "headings": b"\n## h\nx" * (N // 7),
    "small lines": b"\n- a" * (N // 10),
    "lines apart": b"".join(b"\n- 10:30 fixed thing %d of item%d" % (n, 7 * n) for n in range(N // 40)),
}
VERBS = (
    ["boot"],
    ["log", "woke up"],
    ["todo", "call tom"],
    ["done", "call", "tom"],
    ["handoff", "--auto", "--doing", "Woke up"],
    ["compact", "--yes"],
    ["status"],
    ["journal", "audit"],
    ["journal", "replay"],
    ["why", "MEMORY.md:1"],
    ["forget", "--matching", "zebra crossing", "--yes"],
)
QUICK = ("blanks", "backticks")


def _texts() -> dict[str, bytes]:
    if not os.environ.get("AGENTWS_THOROUGH"):
        return {name: PIECES[name] for name in QUICK}
    drawn = random.Random(17)
    mixed = {
        f"mixture {n}": b" ".join(drawn.choice(list(PIECES.values()))[: N // 8] for _ in range(8)) for n in range(12)
    }
    return PIECES | mixed


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))


@pytest.mark.slow
@pytest.mark.parametrize("text", _texts().values(), ids=_texts().keys())
def test_every_verb_ends_whatever_a_line_holds(tmp_path: Path, text: bytes) -> None:
    line = b"- 07:00 " + text + b"\n"
    root = worlds.make(
        tmp_path / "w",
        {
            worlds.TODAY: b"# 2026-11-20\n\n" + line,
            "memory/2026-10-01.md": b"# 2026-10-01\n\n" + line,
            "MEMORY.md": line,
            "AGENTS.md": line,
            "tasks/x.md": b"---\nstatus: active\n---\n" + line,
            "handoffs/2026-11-19-0900.md": line,
            "contexts/c.md": line,
        },
    )
    for verb in VERBS:
        ran = worlds.run(
            *verb, cwd=root, memory_bytes=worlds.MEMORY_BYTES + (200 << 20), before=_limited, hang_guard_s=300
        )
        assert ran.code in (0, 3), (verb, ran)
        assert "bug in agentws" not in ran.said, (verb, ran)
