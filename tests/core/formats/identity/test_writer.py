"""Who has written: the lines of identity/writers.jsonl, and the keys of identity/allowed_signers."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.identity import sshsig, writer
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets

KEY = sshsig.key_text(bytes(range(32)))
OTHER = sshsig.key_text(bytes(32))
ROBIN = "0069f1c2a03fa9c1"


def test_a_line_says_who_joined_and_what_it_saw() -> None:
    line = writer.line(writer=ROBIN, key=KEY, host="desk", at="2026-11-20T07:15:00.000000Z", after={})

    assert plainjson.loads(line) == {
        "agentws": 1,
        "writer": ROBIN,
        "key": KEY,
        "host": "desk",
        "at": "2026-11-20T07:15:00.000000Z",
        "after": {},
        "vouched_by": None,
    }
    assert writer.joined(line + "\n") == {(ROBIN, KEY)}


def test_lines_that_are_not_understood_are_passed_over() -> None:
    text = f'\n# mine\n[1]\n{{"writer":1,"key":2}}\n{{"writer":"{ROBIN}","key":"{KEY}","more":[]}}\n{{"cut'

    assert writer.joined(text) == {(ROBIN, KEY)}


def test_the_line_of_a_signer_is_read_again() -> None:
    text = writer.signer(ROBIN, KEY) + "\n" + writer.signer(ROBIN, OTHER) + "\n"

    assert writer.signers(text) == {ROBIN: {KEY, OTHER}}


@pytest.mark.parametrize(
    "line",
    [
        f"{ROBIN} {KEY}",
        f"{ROBIN} {KEY} robin on the desk",
        f"somebody,{ROBIN} {KEY}",
        f'"{ROBIN}" {KEY}',
        f'{ROBIN} namespaces="git,agentws" {KEY}',
        f'  {ROBIN}\tNAMESPACES="agentws"\t{KEY}\r',
    ],
)
def test_a_line_that_a_person_wrote_allows_the_key(line: str) -> None:
    assert writer.signers(line)[ROBIN] == {KEY}


@pytest.mark.parametrize(
    "line",
    [
        f"# {ROBIN} {KEY}",
        f"* {KEY}",
        f"!{ROBIN} {KEY}",
        f"006* {KEY}",
        f'{ROBIN} namespaces="git" {KEY}',
        f'{ROBIN} namespaces="git", x="agentws" {KEY}',
        f'{ROBIN} cert-authority,namespaces="agentws" {KEY}',
        f'{ROBIN} valid-before="20200101",namespaces="agentws" {KEY}',
        f'{ROBIN} namespaces="agentws",valid-before="20200101" {KEY}',
        f"{ROBIN} ssh-ed25519",
        f"{ROBIN} ssh-ed25519 AAAA",
        f"{ROBIN} ssh-rsa {KEY.split()[1]}",
        KEY,
        "",
    ],
)
def test_a_line_that_allows_less_or_cannot_be_judged_allows_nothing(line: str) -> None:
    assert ROBIN not in writer.signers(line)
    assert "*" not in writer.signers(line)


def test_what_is_written_to_identity_looks_like_no_secret() -> None:
    keys = [sshsig.key_text(bytes((7 * at + 13 * n) % 256 for at in range(32))) for n in range(256)]
    lines = [writer.line(writer=ROBIN, key=key, host="desk", at="x", after={}) for key in keys]
    lines += [writer.signer(ROBIN, key) for key in keys]

    assert secrets.find("\n".join(lines)) == []


def test_the_examples_of_the_page_are_read() -> None:
    page = (Path(__file__).parents[4] / "docs" / "format" / "identity.md").read_text()
    line, signer = (page.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("jsonl", "text"))

    ((name, key),) = writer.joined(line)

    assert writer.signers(signer) == {name: {key}}
    assert signer == writer.signer(name, key) + "\n"
    told = plainjson.loads(line)
    assert line == writer.line(**{part: told[part] for part in ("writer", "key", "host", "at", "after")}) + "\n"
