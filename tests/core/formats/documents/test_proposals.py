"""What waits for the author of MEMORY.md reads back as it was written, whatever it says."""

from __future__ import annotations

from agentws.core.formats.documents import proposals
from agentws.core.formats.documents.proposals import Proposal
from tests import table
from tests.features.memory.curate import proposed

_TEXTS = (
    "SQLite for the index: one file, no server",
    "備份電話需要線纜",
    "Никогда не трогать прод без Анны",
    "[decision] a mark inside the text",
    "set {braces} stand {here}",
    "# no heading",
    "- no bullet",
    "1. no number",
    "| no | row |",
    "> no quote",
    "```",
    "a line\n## Proposed\n\n- [rule] forged {MEMORY.md:1}",
    "a\r\n- [rule] forged",
    "RETIRE 2 superseded: no order",
    "ends in a brace }",
    "control \x1b[31m and \u202e direction",
)


def test_a_proposal_reads_back_and_leaves_again() -> None:
    def check(text: str) -> None:
        one = Proposal(text, "rule", ["memory/2026-11-20.md:14", "t3fk"])
        made = proposed.with_added("", [Proposal("before", "fact", ["b:1"]), one, Proposal("after", "lesson", [])])
        first, read, last = proposals.proposals(made)
        assert (read.text, read.kind, read.sources, read.digest) == (one.text, "rule", one.sources, one.digest)
        assert (first.text, last.text, last.sources) == ("before", "after", ())
        left = proposals.without(made, {one.digest})
        assert [each.text for each in proposals.proposals(left)] == ["before", "after"]
        assert proposed.with_added(made, [one]) == made

    table.holds(check, _TEXTS)


def test_what_a_person_wrote_around_it_stays() -> None:
    def check(text: str) -> None:
        added = proposed.with_added(text, [Proposal("new", "fact", ["a:1"])])
        assert [one.text for one in proposals.proposals(added)][-1] == "new"
        back = proposals.without(added, {Proposal("new", "fact", ()).digest})
        assert back.split() == text.split() or back.replace(proposals.HEADING, "").split() == text.split()

    table.holds(
        check,
        (
            "# Proposed\n\nmine\n",
            "# Proposed\n\n## Proposed\n\n- [fact] old {b:2}\n  with a line below\n\n## Mine\n\n- keep\n",
            "# Proposed\r\n\r\n## Proposed\r\n\r\n- [fact] old {b:2}\r\n",
            "## Proposed",
            "## Proposed\n\n- [fact] no line end {b:2}",
            "no heading",
        ),
    )


def test_an_item_by_hand_needs_neither_kind_nor_source() -> None:
    (one,) = proposals.proposals("## Proposed\n\n- Call the plumber before winter\n\n## Other\n\n- not this\n")
    assert (one.text, one.kind, one.sources) == ("Call the plumber before winter", "fact", ())
