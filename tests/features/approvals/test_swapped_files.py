"""A process of the agent that swaps what ssh-keygen is given, while it judges a signature."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.identity import approvers
from agentws.errors import ApprovalRefusedError
from agentws.workspace import Workspace
from tests.features.approvals.keys import answer, line, made, pinned, signed
from tests.features.approvals.people import ACTION, at, kinds

RUNS = 5
SWAPPER = """
import os, sys
folder, judge, *files = sys.argv[1:]
signers, signature, words = (open(file, "rb").read() for file in files)
print("ready", flush=True)


def swap_files():
    for name in os.listdir(folder):
        for file, text in (("signers", signers), ("signature", signature)):
            path = f"{folder}/{name}/{file}"
            if os.path.exists(path):
                with open(f"{path}.new", "wb") as new:
                    new.write(text)
                os.replace(f"{path}.new", path)


def swap_descriptors():
    with open(f"/proc/{judge}/task/{judge}/children") as file:
        children = file.read().split()
    for pid in (judge, *children):
        for fd in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{fd}"
            if "memfd:" in os.readlink(path):
                mine = os.open(path, os.O_RDWR)
                before = os.read(mine, 1 << 16)
                text = signers if b"ssh-ed25519" in before else signature if b"BEGIN" in before else words
                os.pwrite(mine, text, 0)
                os.close(mine)


while True:
    for swap in (swap_files, swap_descriptors):
        try:
            swap()
        except OSError:
            pass
"""


@contextlib.contextmanager
def swapping(folder: Path, **texts: str) -> Iterator[None]:
    """Put these texts in the place of the temporary files that ssh-keygen reads for this process."""
    files = []
    for name, text in texts.items():
        files.append(folder.parent / name)
        files[-1].write_text(text)
    words = [sys.executable, "-c", SWAPPER, str(folder), str(os.getpid()), *map(str, files)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.kill()


def test_a_process_that_swaps_what_is_judged_gets_no_approval(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    sam, agent = made(tmp_path / "stick"), made(tmp_path / "own", "agent")
    pinned(monkeypatch, tmp_path, sam)
    here = at(workspace)
    earlier = answer(here, here.ask("May I?", action=1, risk="high").id, sam)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id
    words = here.approvals.statement(id)
    forged = {"signers": line(agent).replace("agent", "sam", 1), "signature": signed(agent, words), "words": words}

    with swapping(temporary, **forged):
        for _ in range(RUNS):
            with pytest.raises(ApprovalRefusedError, match=r"not over these words|could not be checked"):
                here.approvals.decide(id, approve=True, signature=earlier)

    assert "decided" not in kinds(workspace)
    assert here.approvals.decide(id, approve=True, signature=answer(here, id, sam)).proof == "signed"


def test_a_signature_is_judged_where_no_file_in_memory_can_be_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sam = made(tmp_path / "stick")
    long = "x" * (1 << 18)
    signature = signed(sam, long)
    monkeypatch.setattr(approvers, "_SEALS", False)

    def is_good(words: str) -> bool:
        return approvers.verify(line(sam), "sam", "agentws-approval", signature, words.encode())

    assert (is_good(long), is_good(long[1:])) == (True, False)
