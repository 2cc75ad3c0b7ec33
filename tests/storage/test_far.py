"""The program that is sent to the far side: it runs by itself, on any Python that machines have."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from agentws.storage.transport import far

PROGRAM = Path(far.__file__).read_text()
STANDARD = sys.stdlib_module_names


def talk(*requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """What it answers, run as it is run over there."""
    asked = b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in requests)
    begin = "import sys;b=sys.stdin.buffer;exec(compile(b.read(int(b.readline())),'agentws','exec'))"
    program = PROGRAM.encode()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", begin],
        input=b"%d\n%s%s" % (len(program), program, asked),
        capture_output=True,
        check=True,
        cwd="/",
    )
    first, *lines = done.stdout.splitlines()
    assert first.decode() == far.MARK
    return [json.loads(line) for line in lines]


def test_it_is_written_for_python_3_7_and_imports_the_standard_library_alone() -> None:
    tree = ast.parse(PROGRAM, feature_version=(3, 7))

    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= STANDARD


def test_it_receives_looks_over_and_puts_in_place(tmp_path: Path) -> None:
    place = str(tmp_path / "robin")
    data = b"content\n" * 10
    entry = ["file", "f", 0o640, 1_500_000_000_000_000_000, len(data), ""]

    answers = talk(
        {"op": "look", "path": place, "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
        {"op": "announce", "told": {"migration": "abcd"}},
        {"op": "put", "entry": entry},
        data,
        {"op": "entries", "paths": ["file", "none"]},
        {"op": "sync"},
        {"op": "place", "mode": 0o755, "stamp": "now"},
    )

    assert answers[0]["python"][0] == 3
    (told,) = answers[4]["entries"]
    assert told[:5] == entry[:5]
    assert answers[-1]["done"]["path"] == place
    assert (tmp_path / "robin" / "file").read_bytes() == data


def test_what_fails_is_told_with_the_next_answer_and_the_conversation_goes_on(tmp_path: Path) -> None:
    nowhere = ["no/such/folder/file", "f", 0o640, 0, 4, ""]

    answers = talk(
        {"op": "look", "path": str(tmp_path / "robin"), "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
        {"op": "put", "entry": nowhere},
        b"abcd",
        {"op": "sync"},
        {"op": "look", "path": str(tmp_path / "robin"), "migration": "abcd"},
    )

    assert answers[3]["errno"] == 2
    assert "errno" in answers[4], "it is not trusted any more"


def test_a_disk_that_is_full_is_told_by_its_number() -> None:
    answers = io.BytesIO()
    conversation = far.Conversation(io.BytesIO(b'{"op":"sync"}\n'), answers)
    conversation._far.sync = lambda: (_ for _ in ()).throw(OSError(28, "No space left on device"))  # type: ignore[method-assign]

    conversation.hold()

    assert json.loads(answers.getvalue().splitlines()[-1])["errno"] == 28


def test_an_earlier_try_whose_connection_broke_is_ended_before_the_next_one_goes_on(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-I", "-c", f"import sys; sys.argv=['far']; exec({PROGRAM!r})"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    for request in (
        {"op": "look", "path": str(tmp_path / "robin"), "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
    ):
        holder.stdin.write(json.dumps(request).encode() + b"\n")
        holder.stdin.flush()
    for _ in range(4):
        holder.stdout.readline()

    answers = talk(
        {"op": "look", "path": str(tmp_path / "robin"), "migration": "abcd"}, {"op": "prepare", "attempt": "2"}
    )

    assert holder.wait(timeout=30) == -9
    assert answers[-1]["done"]["part"].endswith(".part-2")
    holder.stdin.close()
    holder.stdout.close()
