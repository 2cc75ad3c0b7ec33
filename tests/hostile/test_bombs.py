"""P15: memory and time have a bound on any input, and boot always starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.disk.system import shipped
from agentws.core.tokens import counters
from tests.hostile import worlds
from tests.hostile.worlds import TODAY

M = 1 << 20
BUDGET = 8000
COUNTER = counters.counter("o200k_base", shipped.open_o200k)


def _headed(header: bytes) -> bytes:
    return b"---\n" + header + b"\n---\n# Body\n\nthe body is here\n"


ALIASES = b"a0: &a0 [x, x]\n" + b"".join(
    b"a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n" % (n, n, n - 1, n - 1, n - 1, n - 1) for n in range(1, 60)
)
HEADERS = {
    "aliases": ALIASES,
    "50,000 brackets": b"a: " + b"[" * 50_000,
    "10,000 brackets, closed": b"a: " + b"[" * 7_000 + b"]" * 7_000,
    "braces": b"{" * 16_000,
    "deep indent": b"".join(b" " * n + b"k:\n" for n in range(150)),
    "sequence of sequences": b"- " * 8_000,
    "a huge header": b"k: v\n" * 100_000,
    "a huge value": b"k: " + b"v" * 3 * M,
    "quotes that never end": b'k: "' + b"\\\\" * 8_000,
    "tags": b"a: !!python/object/apply:os.system ['touch fired']",
    "a number of 10,000 digits": b"k: " + b"9" * 10_000,
    "merge keys": b"<<: {a: b}\n" * 500,
    "invalid UTF-8": b"k: \xff\xfe\x80",
    "NUL": b"k: \x00\x00",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
def test_boot_and_status_start_whatever_stands_in_front_matter(tmp_path: Path, header: bytes) -> None:
    data = _headed(header)
    paths = ("tasks/x.md", "contexts/x.md", "handoffs/x.md", "MEMORY.md", "SOUL.md", TODAY)
    manifest = worlds.MANIFEST + b'[boot]\ncontext = "x"\n'
    root = worlds.make(tmp_path / "w", {"agentws.toml": manifest, **dict.fromkeys(paths, data)})

    booted = worlds.run("boot", "--json", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    found = worlds.run("status", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert booted.code == 0, booted
    assert booted.json["tokens"] == COUNTER.units(booted.json["text"]) <= BUDGET
    if b"9999" not in header:  # a long number is text like any other
        assert any("MEMORY.md" in notice for notice in booted.json["notices"]), booted.json["notices"]
        assert found.code == 3, found
        assert "tasks/x.md" in worlds.run("doctor", cwd=root, memory_bytes=worlds.MEMORY_BYTES).text
    assert not (root / "fired").exists()


HARD_TEXTS = {
    "1 MB of '- '": b"- " * (M // 2),
    "1 MB of '*'": b"*" * M,
    "1 MB of '* '": b"* " * (M // 2),
    "1 MB of '#'": b"#" * M,
    "1 MB of '> '": b"> " * (M // 2),
    "1 MB of '|'": b"|" * M,
    "1 MB of '`'": b"`" * M,
    "1 MB of '['": b"[" * M,
    "1 MB of blanks": b" " * M + b"x",
    "1 MB of newlines": b"\n" * M,
    "1 MB of controls": b"\x01" * M,
    "1 MB of one character and newline": b"- a\n" * (M // 4),
    "items far apart": b"- a\n\n\n\n\n" * (M // 8),
    "100,000 headings": b"## h\nx\n" * 100_000,
    "200,000 nested bullets": b"".join(b" " * (n % 60) + b"- x\n" for n in range(200_000)),
    "ever deeper bullets": b"".join(b" " * n + b"- x\n" for n in range(1400)),
    "a table of 100,000 rows": b"| a | b |\n|---|---|\n" + b"| 1 | 2 |\n" * 100_000,
    "a table with a head of 400 kB": ("| " + "é" * 200_000 + " |\n|---|\n" + "| 1 |\n" * 80_000).encode(),
    "100,000 table heads": b"| a |\n|---|\n" * 60_000,
    "a heading of 500 kB over 100,000 items": b"## " + b"h" * 500_000 + b"\n" + b"- a\n" * 100_000,
    "a heading of 400 kB in Greek": ("## " + "λ " * 130_000 + "\n" + "- a\n" * 100_000).encode(),
    "a heading of 990 characters over 100,000 items": b"## " + b"#t " * 329 + b"\n" + b"- #x\n" * 100_000,
    "50,000 unclosed fences": b"```x\n" * 50_000,
    "50,000 unclosed fences of two kinds": b"```x\n~~~y\n" * 25_000,
    "ever shorter fences": b"".join(b"`" * (1400 - n) + b"x\n" for n in range(1397)),
    "a single line of 5 MB": b"x" * (5 * M),
    "a single line of 5 MB of words": b"word. " * (5 * M // 6),
    "zalgo and right-to-left": ("- " + ("a" + "\u0301" * 50 + "\u202eשלום\u2069") * 3000 + "\n").encode() * 3,
    "one emoji and many items": "🦊\n".encode() + b"- a\n" * (M // 4),
    "importance comments that never end": b"<!-- importance:5 " * 50_000,
    "comments that never end": b"<!--" * 200_000,
    "via that never ends": b"(via " * 200_000,
    "sources and blanks": b"- x " + b"(via a) " * 100_000,
    "tags of digits": b"- #" + b"1" * M,
    "tags of dots": b"- #" + b"1." * (M // 2),
    "300,000 tags": b"- " + b"#a " * (M // 3),
    "bold that never ends": b"**" + b"word " * (M // 5),
    "a label and a long line": b"- **Status:**\n  " + b"y" * M,
    "times": b"- " + b"10:30 " * (M // 6),
    "invalid UTF-8": b"\xff" * M,
    "NULs": b"\x00" * M,
}


@pytest.mark.parametrize("data", HARD_TEXTS.values(), ids=HARD_TEXTS.keys())
def test_boot_starts_within_budget_and_memory_whatever_files_hold(tmp_path: Path, data: bytes) -> None:
    root = worlds.make(tmp_path / "w", {"MEMORY.md": data, TODAY: data})

    ran = worlds.run("boot", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert ran.code == 0, ran
    assert 0 < COUNTER.units(ran.out.decode()) <= BUDGET
    assert b"I am Robin" in ran.out


def test_boot_starts_whatever_an_identity_holds(tmp_path: Path) -> None:
    for data in (b" " * 20_000, b"name" + b" " * 20_000, b"*" * M, b"name: " + b"*" * M, b"- " * M):
        root = worlds.make(tmp_path / "w", {"IDENTITY.md": data})

        ran = worlds.run("boot", cwd=root, memory_bytes=worlds.MEMORY_BYTES, most_cpu_s=5)

        assert ran.code == 0, ran


def _sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as sink:
        sink.truncate(size)


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("MEMORY.md", 100 * M),
        *((path, 10_000 * M) for path in ("MEMORY.md", "SOUL.md", TODAY, "tasks/x.md", "handoffs/x.md")),
    ],
)
def test_a_file_that_is_far_too_large_is_read_in_part_and_named(tmp_path: Path, path: str, size: int) -> None:
    root = worlds.make(tmp_path / "w")
    _sparse(root / path, size)

    booted = worlds.run("boot", "--json", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    found = worlds.run("status", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert booted.code == 0, booted
    assert booted.json["tokens"] <= BUDGET
    assert any(path in notice for notice in booted.json["notices"])
    assert found.code in (0, 3), found


def test_a_line_goes_to_the_end_of_a_log_of_300_mb(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {TODAY: b""})
    _sparse(root / TODAY, 300 * M)

    ran = worlds.run("log", "one more", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert ran.code == 0, ran
    with (root / TODAY).open("rb") as source:
        source.seek(300 * M)
        assert source.read().endswith(b"- 07:15 one more\n")


def test_many_large_files_together_have_a_bound_too(tmp_path: Path) -> None:
    text = b"- a\n" * (M // 4)
    tasks = {f"tasks/t{n}.md": b"---\nstatus: active\n---\n" + text for n in range(24)}
    pinned = ", ".join(f'"p{n}.md"' for n in range(1200))
    files = {
        "agentws.toml": worlds.MANIFEST + f'[boot]\npinned = [{pinned}]\ncontext = "c"\n'.encode(),
        "contexts/c.md": b"---\nfiles: [" + b", ".join(b"c%d" % n for n in range(400)) + b"]\n---\n",
        **tasks,
        **{f"handoffs/2026-11-{n:02d}.md": text for n in range(1, 21)},
        **{f"memory/2026-10-{n:02d}.md": text for n in range(1, 31)},
        **{f"p{n}.md": b"words and words\n" * 50 for n in range(150)},
    }
    root = worlds.make(tmp_path / "w", files)

    booted = worlds.run("boot", "--json", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    found = worlds.run("status", "--json", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert booted.code == 0, booted
    assert booted.json["tokens"] <= BUDGET
    assert any("lists 1,200 files" in notice for notice in booted.json["notices"]), booted.json["notices"]
    assert found.code in (0, 3), found
    assert found.json["tasks"] == {"active": 24}


def test_20_000_files_in_memory_and_elsewhere_do_not_stop_boot(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    for folder, name in (("memory", "2026-10-{:02d}-{}.md"), ("tasks", "t{:02d}-{}.md"), ("handoffs", "h{:02d}-{}.md")):
        (root / folder).mkdir(exist_ok=True)
        for number in range(20_000 if folder == "memory" else 1000):
            (root / folder / name.format(number % 31 + 1, number)).touch()
    for number in range(500):
        (root / "memory" / f"2026-02-31-{number}.md").touch()

    booted = worlds.run("boot", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    found = worlds.run("status", "--full", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    logged = worlds.run("log", "still here", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert booted.code == 0, booted
    assert len(booted.out) <= BUDGET
    assert b"older days" in booted.out
    assert logged.code == 0, logged
    assert found.code == 3, found
    assert "handoffs-open ✗" in found.text  # nobody has acknowledged any of 1,000


def test_folders_nested_very_deep_stop_no_verb(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    for top in ("memory", "tasks"):
        fd = os.open(root, os.O_RDONLY)
        for name in (top, *["d" * 200] * 100):
            try:
                os.mkdir(name, dir_fd=fd)
            except FileExistsError:
                pass
            deeper = os.open(name, os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = deeper
        os.close(fd)
    (root / "agentws.toml").unlink()

    adopted = worlds.run("init", cwd=root, memory_bytes=2 * worlds.MEMORY_BYTES)
    booted = worlds.run("boot", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    logged = worlds.run("log", "x", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert (adopted.code, booted.code, logged.code) == (0, 0, 0), (adopted, booted, logged)


MANIFESTS = {
    "50 MB": b"# x\n" * (50 * M // 4),
    "50 MB, sparse": None,
    "deep arrays": b"x = " + b"[" * 40_000,
    "deep inline tables": b"x = " + b"{a = " * 12_000,
    "a dotted key of 32,000 parts": b"a" + b".a" * 32_000 + b" = 1\n",
    "a dotted table": b"[a" + b".a" * 30_000 + b"]\n",
    "a number of 5,000 digits": b"x = " + b"1" * 5000,
    "an endless string": b'x = """' + b"y\n" * 30_000,
    "no TOML": b"\x00\xff\xfe",
    "a date that is none": b"x = 2026-02-31\n",
    "requires that is no table": b"requires = 7\n",
}


@pytest.mark.parametrize("data", MANIFESTS.values(), ids=MANIFESTS.keys())
def test_a_hostile_manifest_stops_neither_boot_nor_status_and_is_damage_to_log(
    tmp_path: Path, data: bytes | None
) -> None:
    root = worlds.make(tmp_path / "w", {"agentws.toml": worlds.MANIFEST + (data or b"")})
    if data is None:
        _sparse(root / "agentws.toml", 50 * M)

    booted = worlds.run("boot", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    found = worlds.run("status", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    logged = worlds.run("log", "x", cwd=root, memory_bytes=worlds.MEMORY_BYTES)
    used = worlds.run("context", "use", "--none", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert booted.code == 0, booted
    assert "agentws.toml" in booted.text, booted
    assert found.code == 3, found
    assert (logged.code, used.code) in ((14, 14), (1, 1)), (logged, used)
    assert (root / TODAY).read_bytes() == worlds.USUAL[TODAY]


def test_settings_that_make_no_sense_do_not_stop_boot(tmp_path: Path) -> None:
    for budget in ("5", "-1", "0", "9" * 30):
        root = worlds.make(tmp_path / "w", {"agentws.toml": worlds.MANIFEST + f"[boot]\nbudget = {budget}\n".encode()})

        ran = worlds.run("boot", cwd=root)

        assert ran.code == 0, ran


def test_status_of_very_many_check_boxes_has_a_bound(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {"tasks/x.md": b"- [ ] a\n" * (4 * M), "handoffs/x.md": b"aa\n" * (8 * M)})

    ran = worlds.run("status", cwd=root, memory_bytes=worlds.MEMORY_BYTES)

    assert ran.code == 0, ran


def test_init_adopts_what_is_hard_to_read(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {"MEMORY.md": b"- a\n" * (M // 4), TODAY: b"```x\n" * 50_000})
    _sparse(root / "SOUL.md", 1000 * M)
    (root / "agentws.toml").unlink()

    ran = worlds.run("init", "--no-git", cwd=root, memory_bytes=2 * worlds.MEMORY_BYTES)

    assert ran.code == 0, ran


def test_a_text_that_is_too_long_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)

    ran = worlds.run("log", "-", cwd=root, stdin=b"y" * (4 * M), memory_bytes=worlds.MEMORY_BYTES)

    assert ran.code == 2, ran
    assert worlds.state(root) == before
