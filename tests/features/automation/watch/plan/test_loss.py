"""What is a loss: entries that are nowhere any more, said in no other words."""

from __future__ import annotations

from agentws.features.automation.watch.plan import ownership
from agentws.features.automation.watch.plan.ownership import LOST, REMOVED, SHRANK
from tests import table

FACTS = ["tea", "boats", "rain in May", "the tall gate", "figs", "brass keys", "owls", "slow trains", "salt", "kites"]


def page(words: list[str]) -> bytes:
    return b"# Memory\n\n" + b"".join(f"- Ada likes {word} best of all things\n".encode() for word in words)


WARNED = (
    ("none is lost", FACTS, FACTS, ""),
    ("one more", FACTS, [*FACTS, "moss"], ""),
    ("order is no loss", FACTS, FACTS[::-1], ""),
    ("two are tidied away", FACTS, FACTS[2:], ""),
    ("three of ten", FACTS, FACTS[3:], LOST),
    (
        "three of sixteen",
        [*FACTS, "x1", "x2", "x3", "x4", "x5", "x6"],
        [*FACTS[3:], "x1", "x2", "x3", "x4", "x5", "x6"],
        "",
    ),
    ("eight of ten", FACTS, FACTS[8:], SHRANK),
    ("all but the heading", FACTS, [], SHRANK),
)


def test_who_is_warned_of_what() -> None:
    def check(row: tuple[str, list[str], list[str], str]) -> None:
        _, before, after, wanted = row
        assert ownership.loss("MEMORY.md", page(before), page(after)).warning == wanted

    table.holds(check, WARNED)


def test_ten_are_many_however_many_there_were() -> None:
    many = [f"thing {number} in the {number} th drawer" for number in range(100)]

    assert ownership.loss("MEMORY.md", page(many), page(many[9:])).warning == ""
    assert ownership.loss("MEMORY.md", page(many), page(many[10:])).warning == LOST


def test_a_file_that_is_gone_is_a_loss_and_an_empty_one_is_none() -> None:
    found = ownership.loss("MEMORY.md", page(FACTS), None)

    assert (found.warning, found.lost, found.entries, found.after_bytes) == (REMOVED, 10, 10, 0)
    assert ownership.loss("MEMORY.md", b"", None).warning == ""


def test_what_is_said_in_other_words_is_not_lost() -> None:
    before = page(FACTS)
    after = before.replace(b"best of all things", b"most of all things")

    found = ownership.loss("MEMORY.md", before, after)

    assert (found.lost, found.warning, found.added, found.removed) == (0, "", 10, 10)


def test_a_new_entry_stands_for_one_that_is_gone_and_not_for_all() -> None:
    before = b"- The gate is green and tall\n- The gate is green and wide\n- The gate is green and old\n"

    assert ownership.loss("MEMORY.md", before, b"- The gate is green and new\n").lost == 2


def test_the_rest_unchanged_is_a_loss() -> None:
    before = page(FACTS * 10)

    found = ownership.loss("MEMORY.md", before, page(FACTS[:1]) + b"[Rest unchanged]\n")

    assert (found.warning, found.lost > 90) == (SHRANK, True)


def test_what_stands_in_another_file_now_is_not_lost() -> None:
    gone = page(FACTS)
    elsewhere = {*ownership.entries("memory/old.md", gone)}

    assert ownership.loss("MEMORY.md", gone, page(FACTS[8:]), elsewhere=elsewhere).warning == ""
    assert ownership.loss("MEMORY.md", gone, None, elsewhere=elsewhere).warning == ""


def test_a_box_that_is_ticked_is_no_loss() -> None:
    before = b"".join(b"- [ ] step %d\n" % number for number in range(9))

    assert ownership.loss("tasks/a.md", before, before.replace(b"[ ]", b"[x]")).lost == 0


def test_front_matter_is_no_entry() -> None:
    head = b"---\nstatus: open\ntitle: A gate\n---\n"

    assert ownership.entries("tasks/a.md", head + b"- one\n") == ["one"]


def test_each_line_of_a_list_of_records_is_an_entry() -> None:
    lines = b"".join(b'{"n": %d}\n' % number for number in range(12))

    assert ownership.loss("memory/sources.jsonl", lines, lines[:30]).lost == 9


def test_of_a_file_that_is_not_kept_the_size_tells() -> None:
    sizes = ((1000, 499, SHRANK), (1000, 500, ""), (199, 1, ""), (1000, None, REMOVED), (0, None, ""), (0, 100, ""))

    table.holds(lambda row: _is(ownership.loss_of_size(row[0], row[1]).warning, row[2]), sizes)


def _is(found: str, wanted: str) -> None:
    assert found == wanted
