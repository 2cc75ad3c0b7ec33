"""The file of an approval, the digest of its action, and the statement that a person signs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.documents import approval
from agentws.errors import DamagedError, TooLargeError, UsageError
from tests import table

PAGE = Path(__file__).parents[4] / "docs/format/approval.md"
ACTION = {"tool": "pay_out", "loan": 7, "to": "Lena", "amount": 250}


def example() -> approval.Request:
    found = re.search(r"````markdown\n(.*?)````", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return approval.decode(found.group(1).encode(), id="c86shp")


def test_the_approval_of_the_page() -> None:
    found = example()

    assert (found.question, found.action, found.risk) == ("Pay out loan 7 to Lena?", ACTION, "high")
    assert found.text("action_digest") == found.action_digest


def test_the_statement_of_the_page_is_that_of_its_example() -> None:
    (words,) = re.findall(r"```text\n(agentws-approval-1\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found = example()
    agent = words.split("\n")[1]

    assert approval.statement(agent, found, "approved", found.action_digest) == words


def test_one_action_has_one_digest_however_it_is_written() -> None:
    mixed = dict(reversed(ACTION.items()))
    assert approval.digest_of(mixed) == approval.digest_of(ACTION)
    assert (
        approval.canonical({"b": [1, {"d": None, "c": "ä"}], "a": True})
        == '{"a":true,"b":[1,{"c":"\\u00e4","d":null}]}'
    )


def test_actions_that_differ_have_digests_that_differ() -> None:
    alike: list[Any] = [
        *(None, False, 0, "", [], {}, "0", 0.5, [[]], [{}], {"a": None}, {"a": 1}, {"a": "1"}, {"A": 1}, "e\u0301"),
        *("\u00e9", [1, 2], [2, 1], [12], 1, 1.5, "null", "a\nb", "a\\nb"),
    ]

    assert len({approval.digest_of(one) for one in alike}) == len(alike)
    assert approval.digest_of(1) != approval.digest_of(1.0)
    assert approval.digest_of(1) != approval.digest_of(True)


def test_what_is_no_json_has_no_digest() -> None:
    deep: Any = 0
    for _ in range(50):
        deep = [deep]

    def check(value: Any) -> None:
        with pytest.raises(UsageError):
            approval.canonical(value)

    table.holds(check, [float("nan"), float("inf"), {1: 2}, {1}, b"x", object(), deep, [{"a": (1, 2j)}], 10**5000])
    with pytest.raises(TooLargeError):
        approval.canonical("x" * approval.MOST_ACTION_BYTES)


def test_no_action_ends_its_block_and_every_one_reads_back() -> None:
    def check(value: Any) -> None:
        found = approval.decode(approval.new("Go on?", value, {"status": "pending"}), id="bbbbbb")
        assert found.action == value
        assert found.action_digest == approval.digest_of(value)

    table.holds(
        check,
        [
            "```",
            "a\n```\n## Answer\n",
            {"```": "```json"},
            ["# Other?", "---"],
            "\u2028\u0085",
            1.0,
            None,
            [],
            "\ud800",
        ],
    )


def test_an_answer_changes_nothing_of_what_was_asked() -> None:
    asked = approval.decode(approval.new("Go on?", ACTION, {"status": "pending", "risk": "high"}), id="bbbbbb")
    answer = f"Approved.\n\n> # Other?\n\n{approval.fenced([1])}"

    once = approval.decode(approval.changed(asked, {"status": "approved"}, answer), id="bbbbbb")
    twice = approval.decode(approval.changed(once, {}, "Rejected."), id="bbbbbb")

    for one in (once, twice):
        assert (one.question, one.action_digest, one.risk) == ("Go on?", asked.action_digest, "high")
    assert "Approved" in once.document.body
    assert "Approved" not in twice.document.body


def test_what_is_no_request_is_damage() -> None:
    def check(text: str) -> None:
        with pytest.raises(DamagedError):
            approval.decode(text.encode(), id="bbbbbb")

    table.holds(
        check,
        ["", "no heading\n", "# Go on?\n\n```json\n{}\n", "# Go on?\n\n```json\n{\n```\n", "# \n",
         "# A\n\n```json\nNaN\n```\n",
         '# A\n\n```json\n{"euros": 2, "euros": 250}\n```\n', "---\nstatus: [\n---\n# Go on?\n"],
    )  # fmt: skip


def test_any_other_risk_is_high() -> None:
    for word in ("high", "HIGH", "none", "", "lower"):
        text = f"---\nrisk: {word}\n---\n# Go on?\n" if word else "# Go on?\n"
        assert approval.decode(text.encode(), id="bbbbbb").risk == "high"
    assert approval.decode(b"---\nrisk: low\n---\n# Go on?\n", id="bbbbbb").risk == "low"


def test_ids_spell_nothing_and_differ() -> None:
    ids = {approval.id_of("w", str(number)) for number in range(2000)}

    assert len(ids) > 1990
    assert all(approval.is_id(id) for id in ids)
    assert not any(approval.is_id(word) for word in ("aaaaaa", "bbbbb", "bbbbbbb", "bbbbb1", "BBBBBB"))
