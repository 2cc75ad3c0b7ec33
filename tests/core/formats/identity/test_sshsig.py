"""SSHSIG: what OpenSSH signs is read, what we make is what OpenSSH makes, and nothing else passes."""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.identity import sshsig

KEY = sshsig.key_text(bytes(range(32)))
SIGNED = sshsig.armor(KEY, bytes(range(64)))
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here: NOT TESTED")


def armored(blob: bytes) -> str:
    text = base64.b64encode(blob).decode()
    lines = "\n".join(text[at : at + 70] for at in range(0, len(text), 70))
    return f"-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n"


def blob(**changed: bytes) -> bytes:
    """The inside of a signature, part by part."""
    p = sshsig.packed
    parts = {
        "magic": b"SSHSIG",
        "version": b"\0\0\0\1",
        "key": p(p(b"ssh-ed25519") + p(bytes(32))),
        "namespace": p(b"agentws"),
        "reserved": p(b""),
        "hash": p(b"sha512"),
        "signature": p(p(b"ssh-ed25519") + p(bytes(64))),
        "end": b"",
    }
    return b"".join((parts | changed).values())


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A key that ssh-keygen has made."""
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "robin", "-f", path], check=True)
    return path


def signed_by(pair: Path, message: bytes, namespace: str = "agentws") -> str:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", pair, "-n", namespace]
    return subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()


@needs_ssh
def test_what_ssh_keygen_signs_is_read_and_written_again_byte_for_byte(pair: Path) -> None:
    text = signed_by(pair, b"a message\n")

    found = sshsig.parse(text)

    assert pair.with_suffix(".pub").read_text().startswith(found.key + " ")
    assert sshsig.armor(found.key, found.raw) == text


@needs_ssh
def test_the_public_half_is_told_from_the_private_file(pair: Path) -> None:
    found = sshsig.public_of(pair.read_bytes())

    assert pair.with_suffix(".pub").read_text() == f"{found} robin\n"


@needs_ssh
def test_a_key_with_a_passphrase_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    for name, kind, phrase in (("locked", "ed25519", "a phrase"), ("other", "ecdsa", "")):
        command = ["ssh-keygen", "-q", "-t", kind, "-N", phrase, "-f", tmp_path / name]
        subprocess.run(command, check=True)

        with pytest.raises(ValueError, match=r"passphrase|Ed25519"):
            sshsig.public_of((tmp_path / name).read_bytes())


@needs_ssh
def test_a_signature_for_another_purpose_is_refused(pair: Path) -> None:
    text = signed_by(pair, b"a message\n", namespace="file")

    with pytest.raises(ValueError, match="it was not made for"):
        sshsig.parse(text)


def test_what_was_made_is_read() -> None:
    found = sshsig.parse(SIGNED)

    assert (found.key, found.raw) == (KEY, bytes(range(64)))
    assert sshsig.raw_key(KEY) == bytes(range(32))


def test_the_parts_that_the_odd_ones_below_are_made_of_are_good_together() -> None:
    assert sshsig.parse(armored(blob())).raw == bytes(64)


@pytest.mark.parametrize(
    "changed",
    [
        {"magic": b"SSHSIX"},
        {"version": b"\0\0\0\2"},
        {"key": sshsig.packed(sshsig.packed(b"ssh-rsa") + sshsig.packed(bytes(32)))},
        {"key": sshsig.packed(sshsig.packed(b"ssh-ed25519") + sshsig.packed(bytes(31)))},
        {"key": sshsig.packed(sshsig.packed(b"ssh-ed25519") + sshsig.packed(bytes(32)) + b"x")},
        {"key": b"\xff\xff\xff\xff"},
        {"namespace": sshsig.packed(b"git")},
        {"reserved": sshsig.packed(b"x")},
        {"hash": sshsig.packed(b"sha256")},
        {"signature": sshsig.packed(sshsig.packed(b"ssh-ed25519") + sshsig.packed(bytes(63)))},
        {"signature": b""},
        {"end": b"more"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_signature_with_one_odd_part_is_refused(changed: dict[str, bytes]) -> None:
    with pytest.raises(ValueError, match=r"^(not an? |not base64|it was |its hash is |data follows its end)"):
        sshsig.parse(armored(blob(**changed)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        SIGNED[:-1],
        SIGNED + "\n",
        " " + SIGNED,
        SIGNED + SIGNED,
        SIGNED.replace("\n", "\r\n"),
        SIGNED.replace("\n", "\n\n", 1),
        SIGNED.replace("U1NI", "U1N\u0130", 1),
        SIGNED.replace("U1NI", "U1N ", 1),
        SIGNED.replace("SSH SIGNATURE", "PGP SIGNATURE"),
        "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
        "-----BEGIN SSH SIGNATURE-----\n" + "A" * 100_000 + "\n-----END SSH SIGNATURE-----\n",
    ],
)
def test_a_text_that_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not (an SSH signature|base64)"):
        sshsig.parse(text)


def test_a_signature_that_is_cut_anywhere_is_refused() -> None:
    for end in range(len(SIGNED)):
        with pytest.raises(ValueError, match=r"^(not an? |not base64|it was cut short)"):
            sshsig.parse(SIGNED[:end])


def test_no_changed_letter_gives_the_same_signature() -> None:
    for at in range(len(SIGNED)):
        changed = SIGNED[:at] + ("B" if SIGNED[at] == "A" else "A") + SIGNED[at + 1 :]
        try:
            found = sshsig.parse(changed)
        except ValueError:
            continue
        assert (found.key, found.raw) != (KEY, bytes(range(64))), at


@given(st.binary(max_size=300))
def test_any_bytes_are_judged_without_another_error(inside: bytes) -> None:
    for attempt in (sshsig.parse, lambda text: sshsig.public_of(text.encode("utf-8", "surrogateescape"))):
        try:
            attempt(armored(inside))
        except ValueError:
            continue


@pytest.mark.parametrize("text", ["", "ssh-ed25519", "ssh-ed25519 ", "ssh-rsa AAAA", KEY + " robin", KEY[:-4]])
def test_a_text_that_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(not an? |not base64|it was cut short)"):
        sshsig.raw_key(text)


def test_a_key_of_another_kind_is_said_to_be_a_key() -> None:
    other = base64.b64encode(sshsig.packed(b"ssh-rsa") + sshsig.packed(bytes(32))).decode()

    with pytest.raises(ValueError, match="not an Ed25519 key"):
        sshsig.raw_key(f"ssh-ed25519 {other}")
