"""A handoff: its headings in whatever words, its sections, its file; and which ones are open."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import document, handoff
from agentws.errors import UsageError


def note(name: str, front: str = "", body: str = "") -> handoff.Handoff:
    return handoff.decode(f"---\n{front}---\n{body}".encode(), path=f"handoffs/{name}.md")


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        ("⚠️ READ THIS FIRST NEXT SESSION", handoff.NEXT),
        ("Next session", handoff.NEXT),
        ("🎯 TOP PRIORITY NEXT SESSION", handoff.NEXT),
        ("Where to start", handoff.NEXT),
        ("Open Questions", handoff.PENDING),
        ("TODO", handoff.PENDING),
        ("Waiting on Sam", handoff.PENDING),
        ("Blockers", handoff.PENDING),
        ("Where we left off", handoff.DOING),
        ("In progress", handoff.DOING),
        ("Key Decisions", handoff.DECISIONS),
        ("What didn't work", handoff.FAILED),
        ("Dead ends", handoff.FAILED),
        ("Not pushed yet", handoff.AT_RISK),
        ("Key Files for Next Session", handoff.FILES),
        ("In flight", handoff.IN_FLIGHT),
    ],
)
def test_headings_of_real_agents_are_understood_as_one(words: str, heading: str) -> None:
    assert handoff.heading_of(words) == heading


@pytest.mark.parametrize("words", ["Garden", "Newsletter", "10. “Read this....” by somebody", "Opening hours", ""])
def test_other_headings_mean_none(words: str) -> None:
    assert handoff.heading_of(words) == ""


@pytest.mark.parametrize("heading", handoff.HEADINGS)
def test_each_heading_of_ours_means_itself(heading: str) -> None:
    assert handoff.heading_of(heading) == heading


def test_a_markdown_note_is_read_into_its_sections_and_nothing_is_lost() -> None:
    text = "# Evening\n\nStopped early.\n\n## READ THIS FIRST\n\n- the roof\n  - before rain\n"
    text += "\n## Garden\n\nRoses.\n\n### Bed\n\n1. dig\n"

    found = handoff.sections(text)

    assert found == {
        "": "Evening\n\nStopped early.\n",
        handoff.NEXT: "- the roof\n  - before rain\n",
        "Garden": "Roses.\n\n### Bed\n\n1. dig\n",
    }


def test_a_title_that_means_a_heading_stands_beside_the_others() -> None:
    found = handoff.sections("# READ THIS FIRST\n\n- call Sam\n\n## Open questions\n\n- which cake?\n")
    parts_of_it = handoff.sections("# Next session\n\n## Garden\n\n- water\n\n## Roof\n\n- tiles\n")

    assert found == {handoff.NEXT: "- call Sam\n", handoff.PENDING: "- which cake?\n"}
    assert parts_of_it == {handoff.NEXT: "## Garden\n\n- water\n\n## Roof\n\n- tiles\n"}


def test_a_heading_that_says_more_than_it_means_keeps_its_words() -> None:
    found = handoff.sections("## Pending — the debt of the old company\n\n- call them\n\n## Todo\n\n- rest\n")

    assert found == {handoff.PENDING: "- rest\n\n### Pending — the debt of the old company\n\n- call them\n"}


def test_sections_written_as_a_body_are_read_back() -> None:
    found = {handoff.DOING: "- the hedge\n", handoff.NEXT: "Cut it.\n", "Garden": "```\n## no heading\n```\n"}

    assert handoff.sections(handoff.body(found)) == found


def test_merged_sections_stand_in_the_order_of_a_handoff() -> None:
    found = handoff.merged(
        {"Garden": "a\n", handoff.NEXT: "b\n"}, {handoff.DOING: "c", handoff.NEXT: "d\n", "x": " \n"}
    )

    assert list(found.items()) == [(handoff.DOING, "c\n"), (handoff.NEXT, "b\nd\n"), ("Garden", "a\n")]


def test_json_may_use_the_keys_or_any_words() -> None:
    found = handoff.from_plain({"next": "a", "open_questions": ["b", "c\nd"], "mood of\nsam": "good"})

    assert found == {handoff.NEXT: "- a\n", handoff.PENDING: "- b\n- c\n  d\n", "Mood of sam": "- good\n"}


@pytest.mark.parametrize("wrong", [[], "text", {"next": 7}, {"next": [1]}, {"next": {"a": "b"}}, None])
def test_json_of_another_shape_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError):
        handoff.from_plain(wrong)


def test_a_key_that_is_unknown_is_said_to_be() -> None:
    with pytest.raises(UsageError, match="'max_tokens' is unknown; allowed: doing, decided"):
        handoff.from_plain({"doing": "a", "max_tokens": 5})
    with pytest.raises(UsageError) as raised:
        handoff.from_plain({"next": 5})

    assert "unknown" not in raised.value.message


def test_the_file_says_whose_it_is_and_what_it_follows() -> None:
    data = handoff.encode("## Doing\n\n- x\n", session="s: 1", at="2026-11-20T07:15:00+01:00", follows=["a", "b c"])

    found = handoff.decode(data, path="handoffs/n.md")
    assert (found.session, found.at, found.follows) == ("s: 1", "2026-11-20T07:15:00+01:00", ("a", "b c"))
    assert (found.origin, found.closed, found.body) == (handoff.AGENT, False, "## Doing\n\n- x\n")


def test_closing_changes_the_status_and_no_other_byte() -> None:
    data = b"\xef\xbb\xbf---\r\nmood: good # mine\r\nstatus: open\r\n---\r\n\xff rest"

    assert handoff.closed(data, path="x") == data.replace(b"open", b"closed")
    assert handoff.closed(handoff.closed(data, path="x"), path="x") == data.replace(b"open", b"closed")


def test_one_without_front_matter_can_be_closed() -> None:
    assert handoff.decode(handoff.closed(b"just words\n", path="x"), path="x").closed


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b:c#d", "." * 90, "ä" * 90, ""])
def test_any_session_has_a_file_name_inside_the_folder(session: str) -> None:
    path = handoff.path_for("2026-11-20-071500", session)

    assert path.startswith("handoffs/2026-11-20-071500-")
    assert path.count("/") == 1
    assert ".." not in path
    assert len(path.encode()) < 200


def test_one_is_open_until_it_is_closed_or_another_one_names_it() -> None:
    notes = [
        note("2026-11-18-a", "session: one\n"),
        note("2026-11-19-b", "session: two\nfollows: [2026-11-18-a]\n"),
        note("2026-11-20-c", "session: three\nstatus: closed\n"),
        note("2026-11-21-d", "session: four\nfollows: handoffs/2026-11-17-x.md, five\n"),
        note("2026-11-22-e", "session: five\n"),
    ]

    assert [one.name for one in handoff.still_open(notes)] == ["2026-11-21-d", "2026-11-19-b"]


def test_a_session_that_is_followed_is_so_as_it_was_then() -> None:
    before = note("2026-11-20-a", "session: far\nat: 2026-11-20T07:15:00+01:00\n")
    later = note("2026-11-20-b", "session: far\nat: 2026-11-20T07:17:00+01:00\n")
    taken_over = note("2026-11-20-c", "follows: [far]\nat: 2026-11-20T06:16:00Z\n")
    passed = note("2026-11-20-c", "follows: [far]\nat: 2026-11-20T06:16:00Z\norigin: auto\n")

    assert handoff.still_open([before, later, taken_over]) == [taken_over, later]
    assert handoff.still_open([before, later, passed]) == [passed, later, before]


def test_the_newest_that_was_meant_comes_first_and_then_the_newest() -> None:
    made = [note(f"2026-11-20-{name}", "origin: auto\n") for name in "edcb"]
    meant = note("2026-11-20-a")

    assert handoff.told_first([*made, meant], 3) == [meant, *made[:2]]
    assert handoff.told_first([meant, *made], 3) == [meant, *made[:2]]
    assert handoff.told_first(made, 3) == made[:3]
    assert handoff.told_first([], 3) == []


def test_signs_are_no_words_and_what_is_to_be_read_first_stays_first() -> None:
    found = handoff.sections("## 🚨 READ THIS FIRST 🚨\n\n- stop\n\n## Next session\n\n- go\n")

    assert {heading: text.split() for heading, text in found.items()} == {handoff.NEXT: ["-", "stop", "-", "go"]}


def test_what_means_the_same_does_not_slip_below_a_heading_inside_the_other() -> None:
    found = handoff.sections("## Pending\n\n### Sam\n\n- a\n\n## Blockers\n\n- b\n\n## Next\n\n- c\n")

    assert found == {handoff.PENDING: "### Sam\n\n- a\n\n### Blockers\n\n- b\n", handoff.NEXT: "- c\n"}


def test_items_of_a_list_keep_their_lines_together() -> None:
    assert handoff.listed(["one", " two\nlines ", "", "  "]) == "- one\n- two\n  lines\n"


def test_what_is_written_is_plain_front_matter() -> None:
    data = handoff.encode(
        "x\n", session="s", at="2026-11-20", follows=(), origin=handoff.DERIVED, status=handoff.CLOSED
    )

    assert document.decode(data, where="x").fields == {
        "session": "s",
        "at": "2026-11-20",
        "status": "closed",
        "origin": "derived",
    }


@pytest.mark.parametrize("name", ["roof", "ä" * 60, 'a"\\' * 40, "a\x85" * 40, "\U000e0001" * 30])
def test_a_field_holds_as_many_names_as_there_is_said_to_be_room_for(name: str) -> None:
    names = [f"{name}{number}" for number in range(300)]

    count = handoff.room_for(names, most=200, most_bytes=8192)
    data = handoff.encode("", session="", at="", follows=names[:count])

    assert 0 < count <= 200
    assert len(data) <= 8192 + 100
    assert handoff.decode(data, path="handoffs/a.md").follows == tuple(names[:count])


def test_our_own_headings_are_found_without_a_pattern_and_in_any_case_with_one() -> None:
    assert [handoff.heading_of(heading) for heading in handoff.HEADINGS] == list(handoff.HEADINGS)
    assert [handoff.heading_of(heading.upper()) for heading in handoff.HEADINGS] == list(handoff.HEADINGS)
