"""handoff --auto: what those that it follows left open is carried over, each once, and never dropped in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.formats.documents import handoff
from agentws.planning.tokens import counters
from agentws.storage.system import vocabulary
from tests.operations.handoff.world import World, carried, sections

PLAN = "Import the contacts, then send Sam the report"
TOKEN = "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def crash(world: World) -> None:
    """A session with a plan, a question of its user and an action in flight, that ended without one at 07:20."""
    world.begin("a")
    world.record("plan", session="a", text=PLAN)
    world.record("note", session="a", src="user", text="Count the herons")
    world.record("action", session="a", tool="send_mail", call="c1", input={"to": "sam@example.org"})
    world.record("note", session="a", text="The import is committed locally (5d1e7a2), not pushed")


LEFT = [
    "(2026-11-20 07:20) Asked: Count the herons",
    f"(2026-11-20 07:20) Plan: {PLAN}",
    "(2026-11-20 07:20) Said: The import is committed locally (5d1e7a2), not pushed",
]


def test_a_session_that_asks_one_question_loses_nothing_of_the_one_that_was_killed_before_it(world: World) -> None:
    crash(world)

    done = world.auto("b")

    assert done.follows == ("a",)
    assert carried(done) == LEFT
    told = world.open().boot().text
    assert "Recovered handoff" not in told
    assert all(told.count(line) == 1 for line in LEFT)
    assert told.count("send_mail") == 1, "what is in flight stays where it is"
    assert "send_mail" not in done.text


def test_three_generations_later_it_is_still_told_in_the_same_words_and_once(world: World) -> None:
    crash(world)
    for session in ("b", "c"):
        world.auto(session)

    done = world.auto("d")

    assert carried(done) == LEFT
    assert [row.session for row in world.open().handoffs().rows] == ["d"]


def test_a_handoff_written_on_purpose_takes_over_as_ever(world: World) -> None:
    crash(world)

    done = world.open().handoff(doing="Went on with it")

    assert done.follows == ("a",)
    assert handoff.CARRIED not in sections(done)


def test_of_a_note_what_is_open_is_carried_over_under_its_date(world: World) -> None:
    world.open().add_task("Mail the report")
    (world.root / "handoffs").mkdir()
    (world.root / "handoffs/2026-11-18-evening.md").write_text(
        "---\nsession: evening\nat: 2026-11-18T22:40:00+00:00\norigin: auto\n---\n"
        "## Doing\n\n- Moving the address book\n\n"
        "## Decisions\n\n- SQLite, one file\n\n## Pending\n\n- Sam's phone:\n  - which of the two numbers\n"
        "- Task Mail the report · waiting\n\n## Next step\n\n- Ask Sam which of the two Annas is which\n\n"
        "## In flight\n\n- A backup runs on the old machine\n- 22:10 send_mail · call c9\n\n"
        "## At risk\n\n- The workspace's branch main is at aaaaaaa, origin last had bbbbbbb: perhaps …\n"
    )
    world.knows()

    assert carried(world.auto("b")) == [
        "(2026-11-18 22:40) Ask Sam which of the two Annas is which",
        "(2026-11-18 22:40) Sam's phone: which of the two numbers",
        "(2026-11-18 22:40) A backup runs on the old machine",
    ]


def test_of_a_note_that_names_nothing_open_its_first_words_are_carried_over(world: World) -> None:
    world.left("evening", doing=["Moving the address book: 300 of 412 are in"], decided=["SQLite"])

    assert carried(world.auto("b")) == ["(2026-11-20 07:16) Moving the address book: 300 of 412 are in"]


def test_a_session_that_was_answered_and_ended_leaves_no_question(world: World) -> None:
    world.auto("a", "What time is it?")

    assert carried(world.auto("b")) == []


def test_what_the_new_handoff_says_itself_is_not_told_twice(world: World) -> None:
    world.left("evening", pending=["Ask Sam which phone is his", "Water the roses"], next=["Nails"])
    world.log("2026-11-20", "07:20 [todo] Ask Sam which phone is his")

    done = world.auto("b")

    assert sections(done)[handoff.PENDING] == "- Ask Sam which phone is his · memory/2026-11-20.md\n"
    assert carried(done) == ["(2026-11-20 07:16) Nails", "(2026-11-20 07:16) Water the roses"]


@pytest.mark.parametrize("how", ["log", "event"])
def test_what_was_done_since_is_carried_over_no_more(world: World, how: str) -> None:
    world.left("evening", pending=["Ask Sam which phone is his", "Water the roses in the garden"])
    world.begin("b")
    if how == "log":
        world.log("2026-11-20", "07:30 [done] Ask Sam which phone is his: the new one", "07:31 [note] A walk")
    else:
        world.record("note", session="b", src="agent:codex", text="✅ Ask Sam which phone is his")

    done = world.open("b").handoff(auto=True, session="b", doing="mine")

    assert carried(done) == ["(2026-11-20 07:16) Water the roses in the garden"]


def test_what_was_tried_since_and_is_still_open_is_carried_over(world: World) -> None:
    world.left("evening", pending=["Ask Sam which phone is his"])
    world.begin("b")
    world.record("note", session="b", src="agent:codex", text="Could not ask Sam which phone is his: no answer")

    done = world.open("b").handoff(auto=True, session="b")

    assert carried(done) == ["(2026-11-20 07:16) Ask Sam which phone is his"]


def test_what_was_done_before_it_was_left_open_again_is_carried_over(world: World) -> None:
    world.log("2026-11-20", "07:10 [done] Watered the roses in the garden")
    world.left("evening", pending=["Water the roses in the garden"])

    assert carried(world.auto("b")) == ["(2026-11-20 07:16) Water the roses in the garden"]


def test_there_is_an_end_to_it_and_what_does_not_fit_is_counted_and_named(world: World) -> None:
    first = world.left("one", pending=[f"Old thing {number} of {number * 7}" for number in range(15)])
    second = world.auto("two")
    world.left("beside", pending=[f"New thing {number} of {number * 7}" for number in range(15)])

    third = world.auto("three")

    assert len(carried(second)) == 15
    lines = carried(third)
    assert len(lines) == 21
    assert [line.partition(") ")[2][:9] for line in lines[:20]] == ["New thing"] * 15 + ["Old thing"] * 5
    assert lines[20] == f"10 more in {second.path}"
    assert all(len(line) <= 165 for line in lines)
    fourth = world.auto("four")
    assert carried(fourth) == lines, "the same lines, and where the others are"
    assert (world.root / first).exists()


def test_long_lines_are_cut(world: World) -> None:
    world.left("one", pending=["word " * 200])

    (line,) = carried(world.auto("b"))

    assert 120 < len(line) <= 165
    assert line.endswith(" …")


def test_a_size_is_kept_and_what_is_not_taken_over_is_still_counted(world: World) -> None:
    first = world.left("one", pending=[f"Some thing {number} of {number * 7}" for number in range(12)])

    done = world.auto("b", max_tokens=90)

    counter = counters.counter("o200k_base", vocabulary.open_o200k)
    body = handoff.decode(done.text.encode(), path=done.path).body
    assert counters.tokens(counter, body) <= 90
    *lines, last = carried(done)
    assert last == f"{12 - len(lines)} more in {first}"
    assert len(lines) < 12


def test_a_session_that_did_nothing_writes_none(world: World) -> None:
    crash(world)
    world.begin("b")

    with pytest.raises(Exception, match="Nothing to hand over"):
        world.open("b").handoff(auto=True, session="b")

    assert "session a ended without one" in world.open().boot().text


def test_no_secret_is_carried_over(world: World) -> None:
    (world.root / "handoffs").mkdir()
    (world.root / "handoffs/2026-11-18-evening.md").write_text(
        f"---\norigin: auto\n---\n## Pending\n\n- use {TOKEN}\n- water the roses\n"
    )
    world.knows()

    done = world.auto("b")

    assert TOKEN not in done.text
    assert carried(done) == ["(2026-11-18) use [hidden]", "(2026-11-18) water the roses"]
    assert any("Hidden as possible secrets" in notice for notice in done.notices)


def test_what_was_private_stays_private(world: World) -> None:
    (world.root / "handoffs").mkdir()
    (world.root / "handoffs/2026-11-18-evening.md").write_text(
        "---\nprivate: true\norigin: auto\n---\n## Pending\n\n- a present\n"
    )
    world.knows()

    done = world.auto("b")

    assert "a present" in done.text
    assert "a present" in world.open().boot().text
    assert "a present" not in world.open().boot(audience="shared").text


def test_several_that_are_followed_are_told_the_newest_first(world: World) -> None:
    world.left("one", next=["Nails for the roof"])
    world.left("two", next=["Water for the roses"])

    done = world.auto("three")

    assert len(done.follows) == 2
    assert carried(done) == ["(2026-11-20 07:17) Water for the roses", "(2026-11-20 07:16) Nails for the roof"]


# What the user asked last


def test_what_the_user_asked_last_comes_first_and_alone(world: World) -> None:
    world.begin("a")
    world.record("note", session="a", src="user", text="Good morning")
    world.record("plan", session="a", text=PLAN)
    world.record("note", session="a", src="user", text="Count the herons,\nall of them. " + "Really. " * 200)
    for number in range(130):
        world.record("action", session="a", tool="read", call=f"c{number}", input={"path": f"{number}.txt"})
        world.record("result", session="a", call=f"c{number}", output="ok")

    for text in (
        sections(world.open("a").handoff(auto=True, session="a", dry_run=True))[handoff.DOING],
        world.open().show_handoff("a").sections[handoff.DOING],
        world.open().boot().text.partition("### Doing\n\n")[2],
    ):
        asked, plan, *last = text.splitlines()[:5]
        assert asked.startswith("- Asked, 07:19: Count the herons, all of them. Really.")
        assert 300 < len(asked) < 400
        assert plan == f"- Plan (07:18): {PLAN}"
        assert all(line.startswith(("- Last, ", "- Said, ")) for line in last)
        assert "herons" not in "".join(last)
        assert "Good morning" not in "".join((asked, plan, *last))


# What is open in the notes


def test_boot_tells_what_a_stored_handoff_took_from_the_notes_once_and_as_it_is_now(world: World) -> None:
    world.log("2026-11-19", "21:00 [todo] Order nails", "21:05 [todo] Call Kim", "21:10 rain all day")
    (world.root / "MEMORY.md").write_text("## Open\n\n- [ ] File the trademark of the shop\n")
    stored = world.auto("a").text
    assert all(stored.count(words) == 1 for words in ("Order nails", "Call Kim", "rain all day", "File the trademark"))
    world.open().log("Order nails", kind="done")

    told = world.open().boot().text
    note = told[told.index("session a") :].partition("\n## ")[0]
    again = world.auto("b")

    assert not any(words in note for words in ("nails", "Kim", "rain", "trademark"))
    before, _, rest = told.partition("\n## Open ")
    listed, _, behind = rest.partition("\n## ")
    assert all(listed.count(words) == 1 for words in ("Call Kim", "File the trademark"))
    assert all((before + behind).count(words) == 1 for words in ("Call Kim", "rain all day", "File the trademark"))
    assert "Order nails" not in sections(again)[handoff.PENDING]
    assert carried(again) == []


def test_what_was_taken_from_a_note_that_is_gone_is_carried_over(world: World) -> None:
    world.log("2026-11-19", "21:00 [todo] Order nails")
    world.auto("a")
    (world.root / "memory/2026-11-19.md").unlink()

    assert carried(world.auto("b")) == ["(2026-11-20 07:19) Order nails · memory/2026-11-19.md"]


def test_words_of_the_manifest_say_what_is_open(world: World) -> None:
    manifest = world.root / "agentws.toml"
    manifest.write_text(manifest.read_text() + '\n[vocabulary]\ntodo = ["loose end"]\n')
    (world.root / "memory/2026-11-19.md").write_text("# Day\n\nLoose end: order nails\n")

    assert sections(world.auto("a"))[handoff.PENDING] == "- Loose end: order nails · memory/2026-11-19.md\n"
