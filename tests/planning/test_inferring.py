"""What a log says of work that broke off: what is known is told apart from what is not."""

from __future__ import annotations

import pytest

from agentws.formats import handoff
from agentws.planning import inferring
from agentws.planning.unended import Log

MUCH = "".join(f"- Sorted box {n} of the archive by {name}\n" for n, name in enumerate("abcdefghijklmnopqrstuvwx", 10))


def log(text: str, *, before: str = "") -> Log:
    earlier = Log("memory/2026-11-19.md", "2026-11-19", before) if before else None
    return Log("memory/2026-11-20.md", "2026-11-20", text, before=earlier)


def test_what_the_end_of_a_log_leaves_open_is_pending() -> None:
    found = inferring.read(log(f"## Work\n{MUCH}\n## Open\n- Sam has to name the colour\n"))

    assert found[handoff.PENDING] == ["Sam has to name the colour"]
    assert found[handoff.PERHAPS] == []


def test_what_was_open_long_before_the_end_is_perhaps_still_open() -> None:
    found = inferring.read(log(f"## Open\n- Sam has to name the colour\n\n## Work\n{MUCH}"))

    assert found[handoff.PENDING] == []
    assert found[handoff.PERHAPS] == ["Sam has to name the colour"]


def test_what_a_later_line_says_is_done_is_not_told_at_all() -> None:
    found = inferring.read(
        log(f"## Open\n- Deploy the parcel tracker\n\n## Work\n{MUCH}- ✅ Deployed the parcel tracker\n")
    )

    assert found[handoff.PERHAPS] == []
    assert found[handoff.PENDING] == []


def test_what_the_day_before_left_open_is_told_with_its_date() -> None:
    found = inferring.read(log(f"## Work\n{MUCH}", before="## Next steps\n- Call the printer about the cover\n"))

    assert found[handoff.PERHAPS] == ["(2026-11-19) Call the printer about the cover"]


def test_of_the_day_before_nothing_else_is_told() -> None:
    before = "## Work\n- Painted the fence\n- **Decision:** green paint\n- The pump failed\n- Not pushed yet\n"

    found = inferring.read(log("## Work\n- Watered the roses\n", before=before))

    assert found[handoff.DOING] == ["Work: Watered the roses"]
    assert not found[handoff.DECISIONS] + found[handoff.FAILED] + found[handoff.AT_RISK]


def test_an_item_that_is_open_again_at_the_end_is_told_once() -> None:
    item = "- Ask the landlord for the second key\n"

    found = inferring.read(log(f"## Open\n{item}\n## Work\n{MUCH}\n## Still open\n{item}"))

    assert found[handoff.PENDING] == ["Ask the landlord for the second key"]
    assert found[handoff.PERHAPS] == []


def test_an_open_item_is_told_with_what_is_listed_below_it() -> None:
    found = inferring.read(log("## Open\n- Set the keys at the provider\n  - PUBLIC_KEY\n  - PRIVATE_KEY\n"))

    assert found[handoff.PENDING] == ["Set the keys at the provider; PUBLIC_KEY; PRIVATE_KEY"]


@pytest.mark.parametrize("heading", ["Problems solved today", "Fixes deployed tonight", "Issues resolved"])
def test_what_stands_below_a_heading_that_says_it_is_over_is_not_open(heading: str) -> None:
    found = inferring.read(
        log(f"## Next session\n\n### {heading}\n1. Transport was blocked by the proxy, now polling\n")
    )

    assert not found[handoff.PENDING] + found[handoff.NEXT] + found[handoff.PERHAPS] + found[handoff.FAILED]


def test_what_still_does_not_work_is_pending_and_no_failed_attempt() -> None:
    found = inferring.read(log("## Fleet\n- Two of the lamps are still broken\n"))

    assert found[handoff.PENDING] == ["Fleet: Two of the lamps are still broken"]
    assert found[handoff.FAILED] == []


def test_what_was_not_saved_long_before_something_was_is_doubtful() -> None:
    found = inferring.read(log(f"## Work\n- The draft is not committed\n{MUCH}- Committed all that was there\n"))

    assert found[handoff.AT_RISK] == []
    assert found[handoff.PERHAPS] == ["Work: The draft is not committed"]


def test_a_list_of_what_is_next_is_not_torn_where_the_end_of_a_log_begins() -> None:
    steps = "".join(f"- Order the {thing} for the roof\n" for thing in ("slates", "nails", "battens", "gutters"))
    work = "".join(f"- Sorted box {name} of the archive\n" for name in "abcdefghijk")

    found = inferring.read(log(f"## Next steps\n{steps}\n## Work\n{work}"))

    assert found[handoff.NEXT] == [
        f"Order the {thing} for the roof" for thing in ("slates", "nails", "battens", "gutters")
    ]
    assert found[handoff.PERHAPS] == []


def test_what_is_listed_below_a_label_within_a_list_is_open() -> None:
    found = inferring.read(
        log("## Roof\n- The meeting went well\n- **Next steps**:\n  - Draft the offer for Sam\n  - Measure the shed\n")
    )

    assert found[handoff.NEXT] == ["Draft the offer for Sam", "Measure the shed"]
    assert found[handoff.DOING] == ["Roof: The meeting went well"]


def test_what_is_open_below_another_line_is_told_with_that_one() -> None:
    found = inferring.read(log("## Work\n- The shop moved to the new host\n  - [ ] Renew its certificate\n"))

    assert found[handoff.PENDING] == ["The shop moved to the new host: Renew its certificate"]


def test_what_a_heading_says_is_needed_is_open() -> None:
    before = "## Variables NEEDED on the server\n- PARCEL_TOKEN, which lies in the safe of the office\n"

    found = inferring.read(log(f"## Work\n{MUCH}", before=before))

    assert found[handoff.PERHAPS] == [
        "(2026-11-19) Variables NEEDED on the server: PARCEL_TOKEN, which lies in the safe of the office"
    ]


@pytest.mark.parametrize(
    "heading", ["Findings of the audit of the shop (pending repair)", "Urgent: must finish this week, all of it"]
)
def test_a_long_heading_that_says_of_its_list_that_it_waits_is_believed(heading: str) -> None:
    found = inferring.read(log(f"## {heading}\n- The lock of the back door is loose\n"))

    assert found[handoff.PENDING][0].endswith("The lock of the back door is loose")


@pytest.mark.parametrize(
    "line",
    [
        "Deadline for the objection against the bill: December 12, 2026",
        "Send the objection to the office before December 12",
        "The second part of the tax (1,300) is due 2026-12-01",
        "The draft of the newsletter for Sam is overdue",
    ],
)
def test_what_is_due_on_a_day_is_pending_wherever_it_stands(line: str) -> None:
    found = inferring.read(log(f"## Tax\n- {line}\n\n## Work\n{MUCH}"))

    assert found[handoff.PENDING] == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Deadline for the objection: October 3, 2026",
        "✅ Paid what was due December 1",
        "Closed due to the works until December 1",
    ],
)
def test_what_was_due_before_or_is_done_is_not_pending(line: str) -> None:
    found = inferring.read(log(f"## Tax\n- {line}\n\n## Work\n{MUCH}"))

    assert found[handoff.PENDING] == []


@pytest.mark.parametrize(
    "line",
    ["Zero broken links", "0 failed, 12 passed", "No request was rejected", "Errors: none", "No failing tests left"],
)
def test_that_nothing_failed_is_no_failure(line: str) -> None:
    found = inferring.read(log(f"## Checks\n- {line}\n"))

    assert found[handoff.FAILED] == []
    assert found[handoff.DOING] == [f"Checks: {line}"]


def test_what_failed_and_was_put_right_is_told_with_how() -> None:
    found = inferring.read(
        log(
            "## Portal\n- Was DOWN, all deployments failed\n- Root cause: the token had no access\n"
            "- Fix: started the image of last week\n- Status: ✅ live again\n\n## Garden\n- Watered the roses\n"
        )
    )

    assert found[handoff.FAILED] == []
    assert found[handoff.DOING][0] == (
        "Portal: Was DOWN, all deployments failed; Root cause: the token had no access; Fix: started the image of last "
        "week; Status: ✅ live again"
    )


def test_what_failed_and_was_put_right_below_a_heading_beside_it_is_no_failed_attempt() -> None:
    found = inferring.read(
        log("## Mail\n### The problem\nThe mail server failed with 400\n### The fix\nSet `tls` for the mail server\n")
    )

    assert found[handoff.FAILED] == []


def test_what_failed_is_told_with_its_cause_where_nothing_put_it_right() -> None:
    found = inferring.read(
        log("## Import\n- The import of the contacts failed at card 300\n- Root cause: two cards without a name\n")
    )

    assert found[handoff.FAILED] == [
        "The import of the contacts failed at card 300 — Root cause: two cards without a name"
    ]


def test_a_setting_that_was_set_since_is_not_asked_for() -> None:
    found = inferring.read(
        log(
            "## Shop\n- Not pushed yet, the token is invalid\n  - Also: set PARCEL_API_KEY on the server\n\n"
            "## Later\n- PARCEL_API_KEY set through the API ✅\n"
        )
    )

    assert found[handoff.PENDING] == []
    assert found[handoff.AT_RISK] == ["Not pushed yet, the token is invalid"]


def test_a_summary_that_says_what_waits_as_the_morning_put_it_is_not_told() -> None:
    found = inferring.read(
        log(
            "## 10:48 Mailbox check\n- Mailbox reader half configured: client exists, accounts unauthorized\n\n"
            "## 12:43 Login of the mailbox reader completed ✅\n- The client was replaced\n\n"
            "## Notes\n- Mailbox reader half configured: client exists, accounts pending authorization\n- Quiet day\n"
        )
    )

    assert found[handoff.DOING][-1] == "Notes: Quiet day"
    assert not found[handoff.PENDING] + found[handoff.PERHAPS]


def test_what_has_to_be_done_in_passing_and_was_is_not_told() -> None:
    found = inferring.read(
        log(
            "## Parcels\n- The label printer must be connected to the parcel shelf (Sam to do)\n- Paper is there\n\n"
            "## Label printer connected ✅\n- It prints\n"
        )
    )

    assert found[handoff.DOING] == ["Parcels: Paper is there", "Label printer connected ✅: It prints"]
    assert not found[handoff.PENDING] + found[handoff.PERHAPS]


def test_of_a_long_log_the_first_part_is_told_too() -> None:
    parts = "".join(f"## Part {n}\n" + f"- Sorted shelf {n} of the archive by name and year\n" * 12 for n in range(20))

    found = inferring.read(log(parts))

    assert found[handoff.DOING][0].startswith("Part 0: Sorted shelf 0")
    assert found[handoff.DOING][-1].startswith("Part 19: ")
    assert sum(map(len, found[handoff.DOING])) < 8000


def test_a_log_of_nested_lists_is_told_with_what_is_below() -> None:
    found = inferring.read(log("## Work\n- Mail of the shop repaired:\n  - the template was the wrong one\n- Paint\n"))

    assert found[handoff.DOING] == [
        "Work: Mail of the shop repaired: the template was the wrong one",
        "Work: Paint",
    ]


def test_a_part_of_a_log_is_told_whole_where_there_is_room() -> None:
    lines = "".join(f"- {word} the roof of the shed\n" for word in ("Drew", "Bought", "Measured", "Sawed", "Tarred"))

    found = inferring.read(log(f"## Shed\n{lines}\n## Garden\n- Watered the roses\n"))

    assert found[handoff.DOING] == [
        "Shed: Drew the roof of the shed; Bought the roof of the shed; Measured the roof of the shed; Sawed the roof "
        "of the shed; Tarred the roof of the shed",
        "Garden: Watered the roses",
    ]


def test_a_long_log_is_looked_through_once_for_what_was_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting:
        count = 0

        def search(self, text: str) -> object:
            self.count += 1
            return True if "Pushed" in text else None

    counting = Counting()
    monkeypatch.setattr(inferring, "_SAVED", counting)

    found = inferring.read(log(f"- The survey is not pushed\n{MUCH * 20}"))

    assert found[handoff.AT_RISK] == ["The survey is not pushed"]
    assert counting.count <= 2 * (1 + 24 * 20)


def test_what_stands_below_a_heading_that_names_a_decision_is_told_as_being_about_it() -> None:
    found = inferring.read(
        log("### Decision: kites over balloons\n- Balloons went up in price\n- Chose kites: light, cheap, quiet\n")
    )

    assert found[handoff.DECISIONS] == [
        "kites over balloons: Balloons went up in price",
        "kites over balloons: Chose kites: light, cheap, quiet",
    ]


@pytest.mark.parametrize(
    ("line", "is_failed"),
    [
        ("Branch: fix/kites (main has broken kite strings)", False),
        ("Kite launch (failed twice)", True),
        ("Kite launch failed (the wind was too weak for it)", True),
    ],
)
def test_a_remark_in_brackets_makes_no_failed_attempt(line: str, *, is_failed: bool) -> None:
    found = inferring.read(log(f"## Work\n- {line}\n{MUCH}"))

    assert [line] == found[handoff.FAILED] if is_failed else not found[handoff.FAILED]


def test_no_line_of_a_long_part_is_told_without_what_it_stands_under() -> None:
    filler = "".join(
        f"- Looked at shelf {n} and wrote down what stands there, from the left to the right\n" for n in range(90)
    )
    systems = "".join(
        f"**System {name}: the {what}**\n- Made of paper\n- Kept in the cellar\n- Rule: never lend {what}\n\n"
        for name, what in zip("ABC", ("index", "maps", "keys"), strict=True)
    )

    found = inferring.read(log(f"## Systems\n{systems}{filler}\n## Evening\n- Slept\n"))[handoff.DOING]

    told = " ".join(found)
    for name, what in zip("ABC", ("index", "maps", "keys"), strict=True):
        rule, system = told.find(f"Rule: never lend {what}"), told.find(f"System {name}")
        others = [told.find(f"System {other}") for other in "ABC" if other != name]
        assert 0 <= system < rule, f"the rule of {name} stands without it"
        assert not any(system < at < rule for at in others), f"the rule of {name} stands under another one"


def test_what_is_left_out_of_a_part_leaves_a_mark() -> None:
    lines = [f"- Looked at shelf {n} and wrote down what stands there, from the left to the right" for n in range(200)]

    found = " ".join(inferring.read(log("## Archive\n" + "\n".join(lines) + "\n"))[handoff.DOING])

    assert "shelf 0 " in found
    assert "shelf 199 " in found
    assert "… Looked at shelf" in found


def test_a_list_of_what_may_be_keeps_the_words_above_it_and_is_no_risk() -> None:
    listed = "1. One that was sold\n2. One that is stored (local only)\n"

    found = inferring.read(log(f"## Camera\n**Conclusion:**\nThe camera is not there. It may be:\n{listed}"))

    assert found[handoff.AT_RISK] == []
    assert found[handoff.DOING] == [
        "Camera: Conclusion: The camera is not there. It may be: One that was sold; One that is stored (local only)"
    ]


def test_what_is_listed_below_a_label_is_told_with_the_heading_too() -> None:
    found = inferring.read(log("## Offer for Ada\nAll that is in it:\n- Seven forms\n- A year of help\n"))

    assert found[handoff.DOING] == [
        "Offer for Ada: All that is in it: Seven forms",
        "Offer for Ada: All that is in it: A year of help",
    ]


@pytest.mark.parametrize(
    ("line", "is_failed"),
    [
        ("The health check now reads the logs instead of the broken state file", False),
        ("Verified after the patch: the check that failed exits 0", False),
        ("Add a notice for backups (currently fails silently)", False),
        ("The health check now fails with a timeout, it is broken", True),
        ("Install failed: the mirror is away", True),
        ("Verified: the export fails with a timeout", True),
    ],
)
def test_how_it_was_put_right_and_what_is_planned_is_no_failed_attempt(line: str, *, is_failed: bool) -> None:
    found = inferring.read(log(f"## Work\n- {line}\n{MUCH}"))

    assert any(line in one for one in [*found[handoff.FAILED], *found[handoff.PENDING]]) == is_failed


def test_files_of_a_log_are_named_and_not_said_to_be_touched() -> None:
    found = inferring.read(log("## Work\n- `tools/run.py` reads `/mnt/media`, which is missing\n"))

    assert found[handoff.NAMED] == ["tools/run.py", "/mnt/media"]
    assert handoff.FILES not in found
