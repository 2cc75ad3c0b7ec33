"""The standing of a request by its events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from agentws.core.formats.documents import approval
from agentws.features.approvals.plan import request_state
from agentws.features.approvals.plan.request_state import Fact
from tests import table

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)


def request(expires: str = "") -> approval.Request:
    state: dict[str, approval.Value | None] = {"status": "approved", "risk": "high"}
    if expires:
        state["expires"] = expires
    return approval.decode(approval.new("Go on?", {"tool": "pay"}, state), id="bbbbbb")


def told(kinds: str, one: approval.Request) -> list[Fact]:
    """The facts of words: `asked yes no used expired refused`, `weak` for an approval without enough proof."""
    found = []
    for word in kinds.split():
        kind = {"yes": "decided", "no": "decided", "weak": "decided", "other": "decided"}.get(word, word)
        verdict = "rejected" if word == "no" else "approved"
        body = {**approval.facts(one), "verdict": verdict, "proof": "none" if word == "weak" else "signed"}
        if word == "other":
            body |= {"edited": 1, "action_digest": "sha256:other"}
        found.append(Fact(f"approval.{kind}", body, "2026-11-20T07:00:00Z", f"w:{len(found)}"))
    return found


def weak(one: Fact) -> str:
    return "too weak" if one.text("proof") == "none" else ""


EXPECTED = {
    "": "pending",
    "asked": "pending",
    "asked refused": "pending",
    "asked weak": "pending",
    "asked yes": "approved",
    "asked weak yes": "approved",
    "asked yes yes": "approved",
    "asked no": "rejected",
    "asked weak no": "rejected",
    "asked yes no": "disputed",
    "asked no yes": "disputed",
    "asked yes other": "disputed",
    "asked expired": "expired",
    "asked yes expired": "expired",
    "asked expired yes": "expired",
    "asked no expired": "rejected",
    "asked yes used": "used",
    "asked used": "used",
    "asked yes no used": "used",
    "asked yes used expired": "used",
}


def test_the_standing_follows_from_the_events() -> None:
    def check(kinds: str) -> None:
        one = request()
        assert request_state.of(one, told(kinds, one), NOW, weak).status == EXPECTED[kinds]

    table.holds(check, EXPECTED)


def test_a_file_that_says_something_else_is_disputed_whatever_was_answered() -> None:
    one = request()
    for key in ("text", "action_digest", "risk", "expires"):
        facts = told("asked yes", one)
        facts[0].body[key] = "other"
        assert request_state.of(one, facts, NOW, weak).status == "disputed"
    assert request_state.of(one, facts[1:], NOW, weak).status == "approved", "of which the journal was not told"


def test_what_is_past_has_expired_and_what_is_no_time_too() -> None:
    expected = {
        "2026-11-20T07:14:59+00:00": "expired",
        "2026-11-20T07:15:00+00:00": "expired",
        "2026-11-20T07:15:01+00:00": "approved",
        "2026-11-20T08:15:00+01:00": "expired",
        "2026-11-20T07:15:01": "expired",
        "soon": "expired",
    }

    def check(text: str) -> None:
        one = request(text)
        assert request_state.of(one, told("asked yes", one), NOW, weak).status == expected[text]

    table.holds(check, expected)


def test_which_proof_is_enough_for_which_risk() -> None:
    enough = {
        (risk, proof, typed)
        for risk in approval.RISKS
        for proof in ("signed", "key", "typed", "none", "believed")
        for typed in (True, False)
        if not request_state.weak_proof(risk, proof, "", typed_counts=typed)
    }

    assert enough == {
        *((risk, "signed", typed) for risk in ("low", "high") for typed in (True, False)),
        ("low", "key", True),
        ("low", "typed", True),
    }


def test_an_expiry_without_a_zone_is_past_whatever_zone_the_workspace_has() -> None:
    far = datetime(2026, 11, 20, 7, 15, tzinfo=timezone(timedelta(hours=-11)))
    for expires in ("2026-11-20T20:00:00", "2027-01-01", "soon", "0001-01-01T00:00:00+23:59"):
        for now in (NOW, far):
            assert request_state.is_past(expires, now), expires
    assert not request_state.is_past("2026-11-20T20:00:00Z", NOW)
    assert not request_state.is_past("", NOW)
