"""What an author answers: the form of a line is free where its meaning is plain, its substance never is."""

from __future__ import annotations

from agentws.features.memory.curate.plan import operations
from agentws.features.memory.curate.plan.operations import Operation
from tests import table

A, B = "memory/2026-11-18.md:4", "memory/2026-11-19.md:7"


def told(one: Operation) -> tuple[object, ...]:
    assert one.fault == ""
    return one.verb, one.numbers, one.kind, one.state, one.text, one.sources


KEPT = ("KEEP", (1,), "", "", "", ())
ADDED = ("ADD", (), "rule", "", "Ask Ana first", (A,))
UPDATED = ("UPDATE", (7,), "", "", "Ask Ana or Tom", (A,))
MERGED = ("MERGE", (3, 9), "", "", "Ask both", ())
RETIRED = ("RETIRE", (2,), "", "superseded", "the lease was signed", (A,))
EXPIRED = ("RETIRE", (2,), "", "expired", "", ())
PLAIN = (
    (KEPT, "KEEP 1|keep 1|Keep #1|KEEP 1.|`KEEP 1`|- KEEP 1|* `KEEP 1`|1. KEEP 1|(1) KEEP: 1|• KEEP 1|2) - keep 1"),
    (KEPT, "**KEEP** 1|**KEEP 1**|**KEEP:** 1|KEEP `1`|```KEEP 1```|\ufeffKEEP\t1\r|  KEEP 1  "),
    (("KEEP", (1, 4, 6), "", "", "", ()), "KEEP 1 4 6|KEEP 1, 4 and 6|KEEP 1,4,6|keep #1 #4 #6.|KEEP 1 & 4 + 6"),
    (ADDED, "ADD [rule] Ask Ana first {A}|add [Rule] Ask Ana first {A}.|ADD [rule]: Ask Ana first {`A`}"),
    (ADDED, 'ADD rule: Ask Ana first {A}|ADD (rule) "Ask Ana first" {A}|`ADD [rule] Ask Ana first {`A`}`'),
    (UPDATED, "UPDATE 7 Ask Ana or Tom {A}|update #7: Ask Ana or Tom {A}|UPDATE 7 -> Ask Ana or Tom {^A}"),
    (("UPDATE", (7,), "rule", "", "Ask Ana", ()), "UPDATE 7 [rule] Ask Ana|UPDATE 7: **[rule]** “Ask Ana”"),
    (("UPDATE", (7,), "", "", "12 boats -> 3 sheds", ()), "UPDATE 7 12 boats -> 3 sheds"),
    (MERGED, "MERGE 3 9 -> Ask both|merge 3, 9 → Ask both|MERGE #3 and #9 => `Ask both`|MERGE 3 9-> Ask both"),
    (RETIRED, "RETIRE 2 superseded: the lease was signed {A}|retire #2 Superseded - the lease was signed {A}."),
    (RETIRED, "RETIRE 2: superseded: the lease was signed {A}|RETIRE 2 (superseded) the lease was signed {A}"),
    (EXPIRED, "RETIRE 2 expired|retire 2 expired.|RETIRE 2: EXPIRED|RETIRE #2 — expired|RETIRE 2 **expired**"),
    (("RETIRE", (2, 5), "", "retired", "", ()), "RETIRE 2 5 retired|RETIRE 2, 5: retired"),
    (("NONE", (), "", "", "", ()), "NONE|none.|`NONE`|- None"),
    (("ADD", (), "fact", "", "`make test` runs all", (A,)), "ADD [fact] `make test` runs all {A}"),
    (
        ("ADD", (), "fact", "", "**Sam** likes tea", (A,)),
        "ADD [fact] **Sam** likes tea {A}|ADD **fact:** **Sam** likes tea {A}",
    ),
    (
        ("UPDATE", (3,), "fact", "", "*.md are notes", ()),
        "UPDATE 3 [fact] *.md are notes|UPDATE 3 **[fact]:** *.md are notes",
    ),
    (("MERGE", (3, 9), "fact", "", ":8080 is ours", ()), "MERGE 3 9 -> [fact] :8080 is ours"),
    (("UPDATE", (3,), "", "", "Use f{}", ()), "UPDATE 3 Use f{}"),
    (("RETIRE", (2,), "", "expired", "-5 degrees no more", ()), "RETIRE 2 expired: -5 degrees no more"),
)


def test_the_form_of_a_line_is_free() -> None:
    def check(row: tuple[tuple[object, ...], str]) -> None:
        for line in row[1].replace("{A}", f"{{{A}}}").replace("`A`", f"`{A}`").replace("^A", f"^{A}").split("|"):
            for answer in (line, f"```\n{line}\n```", f"~~~text\n\n{line}\n~~~\n", f"BRIEF 3f2a\n{line}"):
                (one,) = operations.parse(answer)
                assert told(one) == row[0], answer

    table.holds(check, PLAIN)


def test_several_lines_may_be_named_in_short() -> None:
    (one,) = operations.parse("ADD [fact] Boats {memory/2026-11-18.md:4-6, 9, t3fk; `memory/2026-11-19.md:7`}")
    day = "memory/2026-11-18.md"
    assert one.sources == (f"{day}:4", f"{day}:5", f"{day}:6", f"{day}:9", "t3fk", B)


def test_each_source_may_have_braces_of_its_own() -> None:
    (one,) = operations.parse(f"ADD [fact] Boats are blue {{{A}}} {{{B}}}.")
    assert (one.text, one.sources) == ("Boats are blue", (A, B))


WRONG = (
    ("KEEP", "needs an entry number"),
    ("keep in mind that 3 is closed", "needs an entry number"),
    ("KEEP 3 since it holds", "only numbers"),
    ("KEEP N", "needs an entry number"),
    ("None of them belongs there", "must be the only operation"),
    ("ADD [story] It rains {a.md:1}", "needs a kind"),
    ("ADD It rains {a.md:1}", "needs a kind"),
    ("ADD fact boats are blue {a.md:1}", "needs a kind"),
    ("ADD [fact] It rains", "source} is missing"),
    ("ADD [fact] It rains (a.md:1)", "source} is missing"),
    ("ADD [fact] {a.md:1}", "text is missing"),
    ("ADD [fact] It rains {a.md:1-99} {}", "source} is missing"),
    ("MERGE 3 9 Ask both", "needs"),
    ("MERGE 3 -> Ask both", "two to"),
    ("MERGE 3 boats 9 -> Ask both", "two to"),
    ("RETIRE 2", "needs a reason"),
    ("RETIRE 2 expiredly", "needs a reason"),
    ("RETIRE expired", "needs an entry number"),
    ("RETIRE 2 superseded: I say so", "needs a {source}"),
    ("Retire 1 retired? no, keep it", "needs a reason"),
    ("UPDATE 1,2 Ask both", "one number"),
    ("Brief answer", "not an operation"),
    ("> KEEP 1", "not an operation"),
    ("KEEPS 1", "not an operation"),
)


def test_its_substance_is_not() -> None:
    def check(row: tuple[str, str]) -> None:
        (one,) = operations.parse(row[0])
        assert row[1] in one.fault, one.fault

    table.holds(check, WRONG)


def test_a_line_that_is_no_operation_is_told_once_what_a_line_may_be() -> None:
    first, kept, second = operations.parse("\nHere is my answer:\n\nKEEP 1\nThank you\n")

    assert (first.line, kept.line, second.line) == (2, 4, 5)
    assert operations.FORMS in first.fault
    assert second.fault == "not an operation"
    assert kept.fault == ""


def test_an_answer_may_name_the_brief_that_it_is_to() -> None:
    names = {"KEEP 1": "", "BRIEF 3f2a\nKEEP 1": "3f2a", "- `Brief: 3F2A`.\nKEEP 1": "3f2a", "BRIEF of it all": ""}
    assert {answer: operations.brief_of(answer) for answer in names} == names
    assert [one.verb for one in operations.parse("BRIEF 3f2a\nKEEP 1\n")] == ["KEEP"]


def test_a_secret_is_not_shown_however_many_lines_it_has_or_however_it_is_cut() -> None:
    key = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"
    lines = ("-----BEGIN OPENSSH PRIVATE KEY-----", key, key, "-----END OPENSSH PRIVATE KEY-----")
    long = f"{'x ' * 90}ghp_{'A1b2C3d4E5f6' * 3}"

    found = operations.parse("\n".join(["KEEP 1", *lines, long, "- keep 2"]))

    assert [one.line for one in found] == [1, 2, 3, 4, 5, 6, 7]
    assert (found[0].raw, found[-1].raw) == ("KEEP 1", "keep 2")
    assert all(key not in one.raw and "ghp_" not in one.raw for one in found)
    assert all(one.raw == "‹redacted:private-key›" for one in found[1:5])
