"""Keys of people, made by ssh-keygen, and the place where they are pinned, for tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.identity import approvers
from agentws.workspace import Workspace


def made(folder: Path, name: str = "sam", *, kind: str = "ed25519", passphrase: str = "") -> Path:
    """The private key of a person, in a folder that nothing looks at."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not here: NOT TESTED")
    folder.mkdir(exist_ok=True)
    path = folder / name
    words = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", name, "-f", str(path)]
    subprocess.run(words, check=True, capture_output=True)
    return path


def pinned(monkeypatch: pytest.MonkeyPatch, folder: Path, *keys: Path, why: str = "") -> Path:
    """Pin these keys as if their file were out of this user's reach; or not, with `why`."""
    file = folder / "approvers"
    file.write_text("".join(line(key) for key in keys))
    monkeypatch.setattr(approvers, "FILE", str(file))
    monkeypatch.setattr(approvers, "within_reach", lambda path: why)
    return file


def line(key: Path, *, elsewhere: bool = True) -> str:
    """The line that pins a key for approvals alone, as one of another machine or of any."""
    names = "agentws-approval,agentws-approvers" + (",agentws-elsewhere" if elsewhere else "")
    return f'{key.name} namespaces="{names}" {key.with_suffix(".pub").read_text()}'


def signed(key: Path, words: str, *, namespace: str = "agentws-approval", **more: str) -> str:
    """The signature of a person who has read these words."""
    done = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", namespace],
        input=words, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin", **more},
    )  # fmt: skip
    return done.stdout


def answer(workspace: Workspace, id: str, key: Path, **how: object) -> str:
    """The signature over the statement of an answer."""
    return signed(key, workspace.approvals.statement(id, **how))  # type: ignore[arg-type]
