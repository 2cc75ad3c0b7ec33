"""No secret of a file or an event stands in the index of search, or goes to an embedder (P16)."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentws.core.formats.secrets import redaction, secrets
from agentws.features.search import masking
from agentws.features.search.store import schema
from agentws.workspace import Environment, Workspace
from tests import table
from tests.core.formats.secret_corpus import true_examples
from tests.features.search.worlds import DAY, NOW, opened, put

TOKEN = "gh" + "p_" + "k3Jx9QmZ2vLw8RtY5nBc7PdF4sHg6TaVe1Uo"
PASSWORD = "Tr0ub" + "4dor"
KEY = "\n".join(
    ["-----BEGIN PRIVATE " + "KEY-----", "MIIEvQ" + "IBADANBgkqhkiG9w0B" * 3, "-----END PRIVATE " + "KEY-----"]
)
LINES = f"- heron token {TOKEN} of the wren\n- wifi password: {PASSWORD}\n\nThe stork:\n\n```\n{KEY}\n```\n"
SECRETS = (TOKEN, PASSWORD, KEY.split("\n")[1])
FRONT = "---\nstatus: waiting\nwaiting_on: {}\nsession: s0\ntags: [{}]\n---\n"
HEAD = FRONT.format(json.dumps(f"password: {PASSWORD}"), TOKEN)
FILES = {
    f"memory/{DAY}.md": LINES,
    "memory/2026-10-01.md": LINES,
    "memory/archive/2025/2025-10-01.md": LINES,
    "memory/birds.md": LINES,
    "MEMORY.md": f"# Memory {TOKEN}\n\n| bird {TOKEN} | what |\n|---|---|\n| password | {PASSWORD} |\n\n{LINES}",
    **dict.fromkeys(("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "pinned.md", "diary/2026/09/02.md"), LINES),
    "tasks/boat.md": f"{HEAD}# Boat {TOKEN}\n\n{LINES}",
    "handoffs/2026-11-19-boat.md": f"{HEAD}# Handoff\n\n## Next\n\n{LINES}",
    "contexts/boat.md": f"# Boat\n\n{LINES}",
    "docs/boat.md": f"# Boat\n\n{LINES}",
}
ROW = {"entry": "0123456789abcdef", "kind": "fact", "metadata": {"password": PASSWORD, "key": f"ключ {TOKEN}"}}
SETTINGS = '[boot]\npinned = ["pinned.md"]\n[search]\ninclude = ["docs/*.md"]\n[log]\nfolders = ["diary"]\n'
EMBEDDER = """
import json, sys
with open({seen!r}, "a") as seen:
    for line in sys.stdin:
        print(json.loads(line), file=seen)
        print([1.0, 2.0])
"""


def test_no_secret_of_any_kind_of_file_stands_in_the_index(tmp_path: Path) -> None:
    workspace = leaky(tmp_path)
    paths = {row[0].partition("/")[0] for row in workspace.search.sql("SELECT path FROM entries").rows}

    assert paths == {path.partition("/")[0] for path in FILES} | {"journal"}
    assert found_in(tmp_path / "cache", SECRETS) == []
    assert [secret for secret in SECRETS if workspace.search(secret).hits] == []


def test_no_known_shape_of_a_secret_stands_in_the_index(tmp_path: Path) -> None:
    examples = true_examples()
    workspace = leaky(tmp_path, {})
    for number, one in enumerate(examples):
        put(workspace, f"memory/shapes-{number}.md", f"# Heron\n\nheron {number}\n\n- {one.text}\n")
    with unredacted():
        for number, one in enumerate(examples):
            workspace.event("note", f"heron {number}: {one.text}")
    text = "\n".join(row[0] for row in workspace.search.sql("SELECT text FROM entries", limit=10_000).rows)

    def check(row: tuple[int, str, str]) -> None:
        _, kind, secret = row
        assert all(line not in text for line in secret.split("\n") if len(line) >= secrets.SHORTEST), kind

    table.holds(check, [(number, one.kind, one.secret) for number, one in enumerate(examples)])
    assert found_in(tmp_path / "cache", [one.secret for one in examples]) == []


def test_no_part_of_a_secret_of_an_event_stands_in_the_index(tmp_path: Path) -> None:
    def check(row: tuple[int, dict[str, object], str]) -> None:
        number, body, secret = row
        folder = tmp_path / str(number)
        folder.mkdir()
        workspace = leaky(folder, {})
        with unredacted():
            if "text" in body:
                workspace.event("note", body["text"])
            else:
                workspace.event("action", "", tool="heron", call="a", **body)

        assert [hit.path.partition("/")[0] for hit in workspace.search("heron").hits] == ["journal"]
        assert found_in(folder / "cache", [secret]) == []

    in_parts, cut = [], []
    for parts in (["curl", "-u", f"kim:{PASSWORD}"], ["mysql", "--password", PASSWORD]):
        in_parts += [{"input": {"args": parts, "zone": "lagoon"}}, {"output": [{"ran": parts}, "wren"]}]
    for kept in (13, 25, 38):
        long = before_token(2_000 - kept)
        cut += [{"text": before_token(499 - kept)}, {"input": long}, {"output": long}]
        cut += [{"output": {"stdout": before_token(2_000 - kept - len('{"stdout":"')), "code": 0}}]
    rows = [*((body, PASSWORD) for body in in_parts), *((body, TOKEN[:12]) for body in cut)]

    table.holds(check, [(number, *row) for number, row in enumerate(rows)])


def test_the_answers_are_those_of_the_files_and_name_their_lines(tmp_path: Path) -> None:
    workspace = leaky(tmp_path)
    without = opened(workspace.root, cache=None)
    for question in ("heron token", "wifi password", "stork", "password heron", "2026-10-01 wren"):
        answers = [
            [(hit.unit.path, hit.line, hit.end_line, hit.text) for hit in one.search(question, k=50).hits]
            for one in (workspace, without)
        ]

        assert answers[0] == answers[1]
        assert answers[0]


def test_a_stale_masked_unit_is_read_again(tmp_path: Path) -> None:
    workspace = leaky(tmp_path, {"docs/boat.md": LINES})
    hits = [(hit.path, hit.line, hit.text) for hit in workspace.search("heron token").hits]
    assert hits == [("docs/boat.md", 1, "- heron token ‹redacted:github-token:masked› of the wren")]
    put(workspace, "docs/boat.md", LINES.replace("heron token", "crane token"))

    assert not [hit for hit in workspace.search("heron").hits if hit.path == "docs/boat.md"]
    assert [hit.text for hit in workspace.search("crane").hits] == [
        "- crane token ‹redacted:github-token:masked› of the wren"
    ]


def test_an_index_of_an_earlier_version_with_secrets_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = leaky(tmp_path)
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "VERSION", "7")
        for name in ("lines", "value"):
            earlier.setattr(masking, name, lambda told: told)
        workspace.search("heron")
    assert found_in(tmp_path / "cache", SECRETS) == sorted(SECRETS)

    opened(workspace.root, cache=str(tmp_path / "cache")).search("heron")

    assert found_in(tmp_path / "cache", SECRETS) == []


def test_a_text_that_holds_a_secret_is_embedded_without_it(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    program, seen, settings = tmp_path / "embedder.py", tmp_path / "seen", tmp_path / "config.toml"
    program.write_text(EMBEDDER.format(seen=str(seen)))
    settings.write_text(f"[vectors]\nembedder = {json.dumps(shlex.join([sys.executable, str(program)]))}\n")
    root = leaky(tmp_path).root
    environment = Environment(
        now=NOW, cache=str(tmp_path / "cache"), state=(str(tmp_path / "state"), None), config=str(settings)
    )

    Workspace.open(root, environment=environment).search.refresh_vectors()

    assert "of the wren" in seen.read_text()
    assert [secret for secret in SECRETS if secret in seen.read_text()] == []
    assert found_in(tmp_path / "cache", SECRETS) == []


def leaky(folder: Path, files: dict[str, str] = FILES) -> Workspace:
    """A workspace with these files, and with events and a row that another program wrote with secrets."""
    Workspace.init(str(folder / "w"), environment=Environment(cache=None), name="Robin", git=False)
    root = folder / "w"
    manifest = (root / "agentws.toml").read_text()
    tables = "|".join(re.findall(r"^\[(\w+)\]", SETTINGS, re.MULTILINE))
    (root / "agentws.toml").write_text(re.sub(rf"^\[({tables})\]\n([^\[]*\n)?", "", manifest, flags=re.M) + SETTINGS)
    workspace = opened(str(root), cache=str(folder / "cache"))
    with unredacted():
        if files is FILES:
            workspace.event("note", f"The heron's token is {TOKEN}, the wifi password: {PASSWORD}")
            workspace.event("action", "", tool="heron", input={"password": PASSWORD}, call="a")
            workspace.event("result", "", tool="heron", output=f"heron\n{KEY}", call="a")
            workspace.event("action", "", tool="heron", input={"command": ["curl", "-u", f"kim:{PASSWORD}"]}, call="b")
    for path, text in files.items():
        put(workspace, path, text)
    if files is FILES:
        put(workspace, "memory/sources.jsonl", json.dumps(ROW) + "\n")
    return workspace


@contextmanager
def unredacted() -> Iterator[None]:
    """Events are recorded as by a program that hides no secret."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(redaction, "is_clean", lambda _values: True)
        yield


def before_token(count: int) -> str:
    """A text with a token after so many characters."""
    return f"{('heron ' * count)[: count - 1]} {TOKEN} tail"


def found_in(folder: Path, wanted: list[str] | tuple[str, ...]) -> list[str]:
    """The secrets that stand in a file of a folder, in any letters."""
    held = b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file()).lower()
    assert held
    lines = {one: [line for line in one.split("\n") if len(line) > 6] for one in wanted}
    return sorted(one for one in wanted if any(line.encode().lower() in held for line in lines[one]))
