"""The keys of people who may approve, as a list tells them."""

from __future__ import annotations

import pytest

from agentws.core.formats.identity import approver
from tests import table

KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIGbXQp9rT3d3n2i0Y0sN4Xk8d0c2G5m6l7k8j9h0g1f2"
ONLY = 'namespaces="agentws-approval"'
WRONG = {
    f"sam ssh-ed25519 {KEY}": "for approvals alone",
    f'sam namespaces="git" ssh-ed25519 {KEY}': "for approvals alone",
    f'sam namespaces="agentws-approval,git" ssh-ed25519 {KEY}': "for approvals alone",
    f"* {ONLY} ssh-ed25519 {KEY}": "pattern",
    f"!sam,lena {ONLY} ssh-ed25519 {KEY}": "pattern",
    f"sam cert-authority,{ONLY} ssh-ed25519 {KEY}": "authority",
    f"sam {ONLY} ssh-ed25519 not-base64": "base64",
    f"sam {ONLY} ssh-dss {KEY}": "allowed_signers",
    f"ssh-ed25519 {KEY}": "allowed_signers",
    f"sam {ONLY} ssh-ed25519": "allowed_signers",
}


def test_what_is_wrong_with_a_line_is_said() -> None:
    def check(line: str) -> None:
        (found,) = approver.keys_of(line)
        assert WRONG[line] in found.wrong

    table.holds(check, WRONG)


def test_a_line_that_counts() -> None:
    text = f"# people\n\nsam,sam@home {ONLY} ssh-ed25519 {KEY} a comment\nlena {approver.TOUCHED[0]} {KEY}\n"

    sam, lena = approver.keys_of(text)

    assert [(one.principal, one.wrong, one.is_touched) for one in (sam, lena)] == [
        ("sam", "", False),
        ("lena", "", True),
    ]
    assert sam.fingerprint.startswith("SHA256:")
    assert len(approver.keys_of(text * 100)) == approver.MOST_KEYS


def test_what_is_no_signature_is_said() -> None:
    def check(text: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            approver.signature(text)

    begin, end = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
    table.holds(
        check,
        [
            "",
            "x",
            f"{begin}\n{end}",
            f"{begin}\nä\n{end}",
            f"{begin}\nU1NIU0lH\n{end}",
            f"{begin}\n{'A' * 5000}\n{end}",
        ],
    )
