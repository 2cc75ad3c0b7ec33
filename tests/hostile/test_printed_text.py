"""P16: printed text is inert, and secrets do not get in."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.core.formats.secret_corpus import Example, true_examples
from tests.hostile import worlds
from tests.hostile.worlds import TODAY
from tests.thorough import some

BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
CONTROLS = [*range(0x20), 0x7F, *range(0x80, 0xA0)]
OTHERS = [0x2028, 0x2029, 0xFFF9, 0xFFFA, 0xFFFB, *range(0xE0000, 0xE0080, 7), 0xE0001, 0xE007F, 0xE0100, 0xE01EF]
EVIL = "".join(chr(code) for code in (*CONTROLS, *BIDI, *OTHERS) if code not in (0, 0x0A))
LINK = "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\ \x9d8;;x\x9c \x1b[2J\x1b]0;title\x07"
BYTES = (EVIL + LINK + "\ufeff").encode() + b"\xff\xfe \xed\xa0\x80 \x00"


def _is_raw(char: str) -> bool:
    if char in "\n\t":
        return False
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) in (*BIDI, *OTHERS, 0xFEFF)


def _assert_inert(ran: worlds.Ran, what: object) -> None:
    for stream in (ran.out, ran.err):
        found = sorted({f"U+{ord(char):04X}" for char in stream.decode("utf-8") if _is_raw(char)})
        assert not found, (what, found, ran)


def _name(number: int) -> str:
    """A file name with a part of the evil characters, short enough for a file system."""
    part = [char for char in EVIL + LINK if char != "/"][number * 40 : number * 40 + 40]
    return "".join(part)


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    quoted = "".join(f"\\U{ord(char):08x}" for char in EVIL + LINK)
    manifest = f'format = 1\nid = "{quoted}"\nname = "{quoted}"\ntimezone = "UTC"\ncreated = "{quoted}"\n'
    manifest += f'[boot]\npinned = ["{quoted}", "p\\u001b[1m.md"]\ncontext = "x"\n[log]\nheading = "{quoted}"\n'
    body = b"# T " + BYTES + b"\n\n- a " + BYTES + b"\n\n| " + BYTES + b" |\n\n```\n" + BYTES + b"\n```\n"
    field = "".join(f"\\u{ord(char):04x}" for char in EVIL if ord(char) < 0xD800)
    head = f'---\nstatus: active\ntitle: "{field}"\nstep: "{field}"\nwaiting_on: "{field}"\nat: "{field}"\n'
    head += f'session: "{field}"\nfiles: ["{field}"]\ntags: ["{field}"]\ntasks: ["{field}"]\n---\n'
    files = {
        "agentws.toml": manifest.encode(), "SOUL.md": body, "IDENTITY.md": b"- **Name:** " + BYTES + b"\n",
        "MEMORY.md": body, TODAY: body, "p\x1b[1m.md": body, "contexts/x.md": head.encode() + body,
        "tasks/bad.md": b"---\n" + BYTES + b": [\n---\n", "memory/2026-02-31-\x1b[1m.md": b"",
    }  # fmt: skip
    for number in range((len(EVIL) + len(LINK)) // 40 + 1):
        files[f"tasks/{number}{_name(number)}.md"] = head.encode() + body * 3
        files[f"contexts/{number}{_name(number)}.md"] = head.encode() + body
        files[f"handoffs/{number}{_name(number)}.md"] = head.encode() + body * 3
        files[f"memory/2026-11-1{number}-{_name(number)}.md"] = body * 5
    return worlds.make(tmp_path / "w", files)


EVIL_ARGUMENT = "".join(char for char in EVIL + LINK) + "\udcff\udc80"
PRINTING = (
    ("boot",), ("boot", "--explain"), ("boot", "--json"), ("boot", "--budget", "300"), ("boot", "--budget", "60000"),
    ("boot", "--tokenizer", "chars4"), ("boot", "--audience", "shared"), ("status",), ("status", "--json"),
    ("context", "list"), ("context", "list", "--json"), ("context", "show", "x"), ("context", "show", "x", "--json"),
    ("todo",), ("todo", "--json"), ("todo", "--stale"), ("done", "a", "--dry-run"), ("done", EVIL_ARGUMENT),
    ("todo", EVIL_ARGUMENT, "--for", EVIL_ARGUMENT), ("todo", "x", "--due", EVIL_ARGUMENT), ("drop", "x"),
    ("log", "x"), ("log", "x", "--json"), ("undo", "--dry-run"), ("init",), ("init", "--json"),
    ("boot", "--context", EVIL_ARGUMENT), ("boot", "--audience", EVIL_ARGUMENT), ("boot", "--tokenizer", EVIL_ARGUMENT),
    ("boot", "--now", EVIL_ARGUMENT), ("boot", "--budget", EVIL_ARGUMENT), ("boot", "--" + EVIL_ARGUMENT),
    ("context", "show", EVIL_ARGUMENT), ("context", "new", EVIL_ARGUMENT), ("context", "use", EVIL_ARGUMENT),
    (EVIL_ARGUMENT,), ("log", "x", "--tag", EVIL_ARGUMENT), ("log", "x", "--kind", EVIL_ARGUMENT),
    ("log", "x", "--via", EVIL_ARGUMENT), ("log", EVIL_ARGUMENT), ("log", EVIL_ARGUMENT, "--json"),
    ("boot", "-C", EVIL_ARGUMENT), ("boot", "-C", EVIL_ARGUMENT, "--json"), ("init", "--template", EVIL_ARGUMENT),
    ("log", "x", "--task", EVIL_ARGUMENT), ("undo",), ("context", "new", "y", "--text", EVIL_ARGUMENT),
    ("context", "new", "z", "--file", EVIL_ARGUMENT, "--dry-run"), ("boot", "--strict"), ("undo",),
)  # fmt: skip


def test_no_verb_prints_a_character_that_acts(evil: Path) -> None:
    for verb in PRINTING:
        ran = worlds.run_here(*verb, cwd=evil)

        _assert_inert(ran, verb)
        assert ran.code in (0, 1, 2, 3, 10, 14), (verb, ran)


def test_init_prints_and_survives_names_that_act(tmp_path: Path) -> None:
    for number, verb in enumerate((("init",), ("init", "--json"), ("init", "--dry-run"))):
        root = worlds.make(
            tmp_path / f"w{number}\x1b[1m\u202e",
            {f"memory/2026-11-1{n}-{_name(n)}.md": b"x" for n in range(6)},
            usual=False,
        )
        worlds.make(root, {"IDENTITY.md": b"- name: " + BYTES, "memory/2026-02-31-\x1b[1m.md": b""}, usual=False)

        ran = worlds.run_here(*verb, "--no-git", cwd=root)

        _assert_inert(ran, verb)
        assert ran.code == 0, (verb, ran)


def test_the_environment_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    evil = EVIL.replace("\x00", "")
    for name in ("AGENTWS_NOW", "AGENTWS_WORKSPACE", "TZ", "container", "HOME", "COLUMNS", "TERM", "FORCE_COLOR"):
        for verb in (("boot",), ("status",), ("boot", "--explain")):
            if verb == ("boot",) or name in ("COLUMNS", "TERM", "FORCE_COLOR"):
                ran = worlds.run(*verb, cwd=root, env=worlds.surroundings(**{name: evil}))

                _assert_inert(ran, (name, verb))
                assert ran.code in (0, 2, 10), (name, ran)


def test_no_colour_and_no_link_is_printed_even_where_it_is_asked_for(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    env = worlds.surroundings(FORCE_COLOR="1", CLICOLOR_FORCE="1", TERM="xterm-256color")

    for verb in (("boot", "--explain"), ("status",), ("boot",)):
        _assert_inert(worlds.run(*verb, cwd=root, env=env), verb)


# Secrets

SECRETS = true_examples()
ONE_OF_EACH = list({example.kind: example for example in SECRETS}.values())


def _is_refused(ran: worlds.Ran, example: Example) -> None:
    assert ran.code == 1, (example, ran)
    assert "secret" in ran.said, (example, ran)
    for line in example.secret.split("\n"):
        assert len(line) < 8 or line.encode() not in ran.out + ran.err, example


def test_log_refuses_every_secret_as_argument_and_from_standard_input(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)
    for example in some(SECRETS, 40):
        for around in ("first line\n\n  {}\nlast",):
            text = around.replace("{}", example.text)
            _is_refused(worlds.run_here("log", text, cwd=root) if not text.startswith("-") else
                        worlds.run_here("log", "--", text, cwd=root), example)  # fmt: skip
        _is_refused(worlds.run_here("log", "-", cwd=root, stdin=example.text.encode() + b"\n"), example)
    ran = worlds.run_here("log", "--json", "--", SECRETS[0].text, cwd=root)
    assert b'"secret-refused"' in ran.err, ran

    assert worlds.state(root) == before


@pytest.mark.parametrize("option", ["--tag", "--kind", "--via", "--task"])
def test_log_refuses_a_secret_in_any_option(tmp_path: Path, option: str) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)
    for example in some(ONE_OF_EACH, 12):
        _is_refused(worlds.run_here("log", "a text", f"{option}={example.text}", cwd=root), example)

    assert worlds.state(root) == before


def test_a_new_context_refuses_a_secret_wherever_it_stands(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)
    for example in some(ONE_OF_EACH, 12):
        for option in ("--text", "--tag", "--file"):
            _is_refused(worlds.run_here("context", "new", "x", f"{option}={example.text}", cwd=root), example)
        _is_refused(
            worlds.run_here("context", "new", "x", "--text", "-", cwd=root, stdin=example.text.encode()), example
        )

    assert worlds.state(root) == before


def test_a_placeholder_is_refused_where_it_would_be_written_back(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)
    for verb in (("log", "it is ‹redacted:github-token:k3f9›"), ("context", "new", "x", "--text", "‹redacted:a:b›")):
        assert worlds.run_here(*verb, cwd=root).code == 1

    assert worlds.state(root) == before


def test_init_refuses_a_secret_as_a_name(tmp_path: Path) -> None:
    for number, example in enumerate(some(ONE_OF_EACH, 12)):
        folder = tmp_path / f"w{number}"
        _is_refused(worlds.run_here("init", str(folder), f"--name={example.text}", "--no-git", cwd=tmp_path), example)
        assert not folder.exists()


def test_adopting_names_a_secret_by_its_place_and_never_shows_it(tmp_path: Path) -> None:
    text = "\n".join(f"- {example.text}" for example in ONE_OF_EACH)
    root = worlds.make(tmp_path / "w", {"MEMORY.md": text.encode()})
    (root / "agentws.toml").unlink()

    ran = worlds.run("init", "--json", cwd=root)

    assert ran.code == 0, ran
    assert {found["kind"] for found in ran.json["secrets"]} == {example.kind for example in ONE_OF_EACH}
    for example in ONE_OF_EACH:
        assert example.secret.encode() not in ran.out + ran.err
    packs = b"".join(path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file())
    assert b"MEMORY.md" not in packs
