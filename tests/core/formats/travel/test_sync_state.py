"""What a state of a sync tells of itself: written, signed and read."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from agentws.core.formats import digest
from agentws.core.formats.travel import sync_state
from agentws.core.formats.travel.sync_state import Lease, Told

AGENT = "0f3c9a52d4e84c6f9b7a1d2e3f405162"
TOLD = Told(
    AGENT, "006b0070611a6f64", "ssh-ed25519 AAAA", "desk", "2026-11-20T07:15:00Z", 3, tree="a" * 40,
    parents=("b" * 40, "c" * 40), renews="d" * 40, forgotten=True, signature="s",
)  # fmt: skip
OTHERS: dict[str, object] = {
    "epoch": 4, "tree": "e" * 40, "parents": ("b" * 40,), "renews": "e" * 40, "forgotten": False, "by": "0069",
}  # fmt: skip


def test_what_is_written_is_read() -> None:
    assert sync_state.told(TOLD.data()) == TOLD
    plain = replace(TOLD, renews="", forgotten=False)
    assert sync_state.told(plain.data()) == plain
    assert "renews" not in json.loads(plain.data())


@pytest.mark.parametrize("name", [each.name for each in fields(Told) if each.name != "signature"])
def test_the_signature_stands_for_every_field(name: str) -> None:
    other = replace(TOLD, **{name: OTHERS.get(name, "other")})  # type: ignore[arg-type]
    assert other.message() != TOLD.message()
    assert replace(TOLD, signature="other").message() == TOLD.message()


def test_what_is_signed_is_what_the_format_says() -> None:
    plain = json.loads(TOLD.data())
    del plain["signature"]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
    assert TOLD.message() == f"agentws-sync-1 {AGENT} 3 {digest.of(text)}\n".encode()


def test_what_is_put_over_a_tree_has_to_be_signed_anew() -> None:
    over = TOLD.over("e" * 40, ["f" * 40])
    assert (over.tree, over.parents, over.signature) == ("e" * 40, ("f" * 40,), "")
    assert over.signed("x").signature == "x"


@pytest.mark.parametrize(
    "name", ["agent", "by", "key", "host", "at", "epoch", "tree", "parents", "signature", "agentws"]
)
def test_a_field_that_is_missing(name: str) -> None:
    plain = json.loads(TOLD.data())
    del plain[name]
    with pytest.raises(ValueError, match=r"."):
        sync_state.told(json.dumps(plain).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epoch", 0), ("epoch", True), ("epoch", "1"), ("epoch", 10**8), ("epoch", -1), ("parents", ["x"]),
        ("parents", ["b" * 40] * 65), ("parents", "b" * 40), ("tree", "HEAD"), ("tree", "A" * 40), ("tree", "a" * 39),
        ("agent", ""), ("agent", "a/b"), ("agent", "a" * 65), ("by", "a b"), ("by", "a\n"), ("renews", "x"),
        ("renews", None), ("host", "x" * 257), ("signature", "x" * 100_000), ("agentws", 2), ("at", 1),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be_so(name: str, value: object) -> None:
    plain = json.loads(TOLD.data()) | {name: value}
    with pytest.raises(ValueError, match=r"."):
        sync_state.told(json.dumps(plain).encode())


def test_a_field_that_is_not_known_is_let_be() -> None:
    plain = json.loads(TOLD.data()) | {"later": 1}
    assert sync_state.told(json.dumps(plain).encode()) == TOLD


@pytest.mark.parametrize(
    ("name", "epoch"), [("00000001", 1), ("99999999", 99_999_999), ("00000000", None), ("1", None), ("0000000１", None)]
)
def test_the_epoch_of_a_ref(name: str, epoch: int | None) -> None:
    assert sync_state.epoch_of(name) == epoch
    if epoch is not None:
        assert sync_state.ref(AGENT, epoch) == f"refs/agentws/sync/{AGENT}/{name}"


@pytest.mark.parametrize("lease", [Lease("", 0), Lease("006b0070611a6f64", 12)])
def test_a_lease_that_is_written_is_read(lease: Lease) -> None:
    assert sync_state.lease(lease.data()) == lease


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"agentws":1}', b'{"agentws":1,"holder":"a","count":true}', b'{"agentws":2,"holder":"","count":1}'],
)
def test_a_lease_that_is_none(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        sync_state.lease(data)
