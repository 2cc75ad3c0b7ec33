"""forget, from end to end: what the verbs wrote of a name in any script is in no byte of the workspace any more.

The check is a reader of its own: it shares nothing with the code but the standard library.
"""

from __future__ import annotations

import html
import json
import os
import re
import resource
import subprocess
import sys
import unicodedata
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.errors import NothingToUndoError
from agentws.workspace import Environment, Workspace
from tests.features.forget.plan.names import EVERY, NAMES, encoded
from tests.features.journal.keeping import check_chain, reopened

_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_DEPTH = 6


def _letters(text: str) -> str:
    """The letters of a text, without marks, case and whatever stands between them."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in apart if unicodedata.category(char)[0] in "LN")


def _readings(text: str) -> Iterator[str]:
    """A text as it stands, and each time with one more encoding taken from it."""
    yield text
    for _ in range(_DEPTH):
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
        text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
        yield text
        text = urllib.parse.unquote(text)
        yield text
        text = html.unescape(text)
        yield text


def holding(root: str, name: str) -> list[str]:
    """The files below a root that hold the letters of a name in any reading, in content or path; but `.git`."""
    sought, found = _letters(name), []
    for folder, _, names in os.walk(root):
        for each in names:
            path = Path(folder, each)
            relative = str(path.relative_to(root))
            text = relative + "\n" + path.read_bytes().decode("utf-8", "replace")
            if any(sought in _letters(reading) for reading in {*_readings(text)}):
                found.append(relative)
    return sorted(found)


def write_everywhere(workspace: Workspace, name: str) -> None:
    """The name in all that the verbs write, plain and encoded, and in what is kept beside it."""
    nested = encoded(f"met {name} today", "JSON", "JSON", "JSON", "JSON")
    workspace.log(f"met {name}", kind="todo")
    workspace.log(f"the tool said {encoded(name, 'JSON')}")
    workspace.log(f"GET /find?q={encoded(name, 'URL, plus')}&page=1")
    workspace.remember(f"{name} likes tea")
    workspace.remember(f"<td>{encoded(name, 'HTML, hexadecimal')}</td>")
    workspace.undo()
    workspace.tasks.add(f"Ring {name} on Monday", steps=[f"look up {name}"])
    workspace.contexts.new("flat", text=f"{name} has the key")
    workspace.handoff(doing=f"ask {name}", decided=[f"{name} pays"])
    workspace.event("note", unicodedata.normalize("NFD", f"rang {name} twice"))
    workspace.event("note", f"nested {nested}")
    workspace.event("note", f"{'x ' * 40_000}{encoded(name, 'HTML, decimal', 'URL')}")
    workspace.event("note", body={"who": [{name: 1}], "url": encoded(name, "URL", "URL")})
    Path(workspace.root, ".agentws", "quarantine").mkdir(exist_ok=True)
    Path(workspace.root, ".agentws/quarantine/2026-11-20.md.1").write_text(f"- torn {name}\n- kept\n")
    workspace.boot()


def _moved(workspace: Workspace, name: str) -> None:
    """Each file whose name holds it is renamed by hand, as forget asks for."""
    for number, path in enumerate(path for path in holding(workspace.root, name)):
        old = Path(workspace.root, path)
        old.rename(old.with_name(f"renamed-{number}.md"))


@pytest.mark.parametrize("name", EVERY)
def test_a_name_of_any_script_is_nowhere_any_more(name: str, tmp_path: Path, environment: Environment) -> None:
    here = Environment(now=environment.now, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.init(str(tmp_path / "sub"), environment=here, name="Robin", git=False)
    write_everywhere(workspace, name)
    workspace.log("the roof has 300 tiles")
    assert len(holding(str(tmp_path), name)) >= 12

    first = reopened(workspace).memory.forget(subjects=[name], reason="asked for it", confirm=True)
    left = holding(workspace.root, name)

    assert {one.place for one in first.left if one.holds} == set(left), "what is left is not told"
    assert {path.partition("/")[0] for path in left} <= {"tasks", "handoffs"}, "no name of a file"
    _moved(workspace, name)
    reopened(workspace).memory.forget(subjects=[name], confirm=True)
    assert holding(str(tmp_path), name) == []
    last = reopened(workspace).memory.forget(subjects=[name], confirm=True)
    assert (last.is_empty, last.is_left) == (True, False)
    assert "300 tiles" in Path(workspace.root, "memory/2026-11-20.md").read_text()
    check_chain(workspace)


def test_there_are_enough_cases() -> None:
    assert (len(EVERY) >= 30, len(NAMES) >= 12) == (True, True)


def test_a_change_of_a_file_whose_name_was_forgotten_is_not_taken_back_and_later_ones_are(workspace: Workspace) -> None:
    workspace.tasks.add("Ring Sam Testerby")
    Path(workspace.root, "tasks/ring-sam-testerby.md").unlink()

    done = reopened(workspace).memory.forget(subjects=["Sam Testerby"])

    assert holding(workspace.root, "Sam Testerby") == []
    assert any(path.startswith(".agentws/undo/") for path in done.copies)
    with pytest.raises(NothingToUndoError, match=r"forget` removed"):
        reopened(workspace).undo()
    reopened(workspace).log("later")
    assert reopened(workspace).undo().verb == "log"


def test_what_a_copied_workspace_holds_of_the_state_of_another_place_is_forgotten_too(tmp_path: Path) -> None:
    def beside(root: Path) -> Environment:
        return Environment(timezone="UTC", cache=str(tmp_path / "cache"), state=(str(root / ".agentws/state"), None))

    first = tmp_path / "sub"
    Workspace.init(str(first), environment=beside(first), name="Robin", git=False).tasks.add("Ring Sam Testerby")
    second = first.rename(tmp_path / "moved")
    assert any("state/" in path for path in holding(str(second), "Sam Testerby"))

    (second / "tasks/ring-sam-testerby.md").unlink()
    Workspace.open(str(second), environment=beside(second)).memory.forget(subjects=["Sam Testerby"])

    assert not any("state/" in path for path in holding(str(second), "Sam Testerby"))


def test_a_large_log_is_searched_and_changed_in_little_memory(workspace: Workspace) -> None:
    """A few times the size of the log, and not seventeen times, as it once was."""
    line = b"- 07:15 the roof has 300 tiles and there was a long meeting \xf0\x9f\x98\x80\n"
    log = Path(workspace.root, "memory/2026-01-02.md")
    log.write_bytes(line * ((12 << 20) // len(line)) + b"- met Sam\n  Testerby\n" + line * 10)
    code = (
        "import sys\n"
        "from agentws.workspace import Workspace\n"
        "print(len(Workspace.open(sys.argv[1]).memory.forget(subjects=['Sam Testerby']).lines))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, workspace.root], check=False, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20)),
    )  # fmt: skip

    assert done.stdout == "2\n", done.stderr[-500:]
    assert b"Testerby" not in log.read_bytes()


@pytest.mark.parametrize("holds", [True, False])
def test_a_log_that_is_too_large_to_be_changed_is_searched_and_named(workspace: Workspace, holds: bool) -> None:
    log = Path(workspace.root, "memory/2026-01-02.md")
    with log.open("wb") as file:
        file.truncate(35 << 20)
        file.seek(34 << 20)
        file.write(f"\n- met {encoded('José Testerby', 'JSON')}\n".encode() * holds)

    found = reopened(workspace).memory.forget(subjects=["José Testerby"])

    assert (found.is_empty, found.is_left) == (True, holds)
    assert [one.place for one in found.left] == ["memory/2026-01-02.md"] * holds
    assert any("2026-01-02" in notice for notice in found.notices)


def test_what_cannot_be_read_is_told_apart_from_what_does_not_hold_it(workspace: Workspace) -> None:
    os.mkfifo(Path(workspace.root, "memory/2026-01-01.md"))

    found = reopened(workspace).memory.forget(subjects=["Sam Testerby"], dry_run=True)

    assert (len(found.unread), "2026-01-01" in found.unread[0]) == (1, True)
    assert "base64" in " ".join(found.not_looked_for)


def test_all_of_a_long_log_is_forgotten_in_linear_time(workspace: Workspace) -> None:
    """Each heading and line of it: under a limit of processor time that one quadratic step would pass by far."""
    log = Path(workspace.root, "memory/2026-01-02.md")
    log.write_bytes(b"## Sam Testerby\n\n- Sam Testerby\n" * 20_000)
    code = (
        "import sys\n"
        "from agentws.workspace import Workspace\n"
        "Workspace.open(sys.argv[1]).memory.forget(subjects=['Sam Testerby'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, workspace.root], check=False, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-500:]
    assert json.dumps(log.read_text()) == json.dumps("\n\n\n" * 20_000)
