"""What the notes say is still to be done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning import salience
from agentws.planning.lines import Line, bare
from agentws.planning.standing import unfinished
from tests.planning.standing import lines_of

MON, TUE, WED, THU = "2026-09-14", "2026-09-15", "2026-09-16", "2026-09-17"


def find(lines: list[Line]) -> list[tuple[str, unfinished.Item]]:
    return [(bare(lines[item.index].text), item) for item in unfinished.find(lines, salience.worth(lines))]


def said(logs: dict[str, str] | None = None, *, memory: str = "") -> list[str]:
    return [text for text, _ in find(lines_of(logs, memory=memory))]


def is_open(text: str) -> bool:
    return bool(said({WED: text}))


OPEN_HEADINGS = [
    "Next steps",
    "Next",
    "Next Session",
    "Next Actions (after review)",
    "Open items",
    "Open Questions",
    "Still Pending",
    "Pending",
    "Pending (needs Sam)",
    "🔴 Blockers",
    "Current Blockers",
    "Blocked on",
    "TODO",
    "🪶 Todo for this week",
    "To-do list",
    "Carried over from 2026-09-12",
    "Waiting for Sam",
    "Follow-ups",
    "Sam's Action Items",
    "Outstanding issues",
    "⭐ Top priority next session",
    "Not yet done (for the morning)",
    "Things to Remember Tomorrow",
]


@pytest.mark.parametrize("heading", OPEN_HEADINGS)
def test_what_is_listed_under_such_a_heading_is_open(heading: str) -> None:
    assert is_open(f"## {heading}\n- rotate the token of the widget shop\n")


@pytest.mark.parametrize(
    "heading",
    [
        "Open source tools",
        "Openings of the season",
        "Next.js notes",
        "Next generation of the widget",
        "Blocked commands",
        "Blocked users list",
        "Pump Leak Search Follow-Up",
        "Pending items (resolved)",
        "Blockers cleared",
        "Questions answered",
        "Todo app architecture",
        "Outstanding results",
        "Next session notes",
        "Completed next steps",
        "Work done",
        "Decisions",
    ],
)
def test_what_is_listed_under_another_heading_is_not(heading: str) -> None:
    assert not is_open(f"## {heading}\n- rotated the token of the widget shop\n- the widget shop has three tokens\n")


OPEN_LINES = [
    "- [ ] rotate the token of the widget shop",
    "1. [ ] rotate the token",
    "TODO: rotate the token of the shop",
    "- **Next:** rotate the token of the shop",
    "- Waiting for the answer of the bank",
    "- Token works, still needs a webhook",
    "- Committed locally, NOT pushed: the key is invalid",
    "- ✅ Draft complete, awaiting approval of the bank",
    "- Need to review the reports of the week",
    "- Renamed the module (uncommitted)",
    "## Things to remember tomorrow\n- Tea with the bank is overdue (last done in March)",
]


@pytest.mark.parametrize("line", OPEN_LINES)
def test_a_line_may_say_itself_that_it_is_open(line: str) -> None:
    assert is_open(line)


@pytest.mark.parametrize(
    "line",
    [
        "- [x] rotate the token of the widget shop",
        "- The queue was pending yesterday, done now",
        "- ✅ Rotated the token of the shop",
        "- ~~rotate the token of the shop~~",
        "- The next train left at nine",
        "- Opened the next bottle of ink",
        "- Took a map of the uncommitted file tree",
        "- Casual posts are blocked by default on that forum",
        "- Read about waiting lines in shops",
        "```\n- [ ] rotate the token\nTODO: nothing\n```",
        "| what | state |\n|---|---|\n| shop | waiting for Sam |",
    ],
)
def test_a_line_that_only_sounds_like_it_is_not(line: str) -> None:
    assert not is_open(line)


@pytest.mark.parametrize(
    "nothing", ["None", "none so far", "Nothing", "N/A", "No open items", "No blockers.", "—", "All clear"]
)
def test_nothing_is_no_item(nothing: str) -> None:
    assert not is_open(f"## Blockers\n- {nothing}\n")


def test_a_thing_that_there_is_not_may_be_a_blocker() -> None:
    assert is_open("## Blockers\n- No valid token for the widget shop\n")


@pytest.mark.parametrize("item", ["Go live with the widget shop", "Complete the tax form", "Push the live site again"])
def test_what_is_to_be_done_may_sound_like_what_is_done(item: str) -> None:
    assert is_open(f"## Next steps\n- {item}\n")


def test_a_label_is_no_item_but_what_stands_below_it() -> None:
    text = "**Next steps:**\n- rotate the token of the shop\n- call the bank about the loan\n"

    assert said({WED: text}) == ["call the bank about the loan", "rotate the token of the shop"]


def test_a_heading_with_nothing_below_it_is_an_item_where_it_is_listed() -> None:
    assert said({WED: "## Next session\n#### 1. Fix the lanterns of the shop\n#### 2. Call the bank\n"}) == [
        "Call the bank",
        "Fix the lanterns of the shop",
    ]


def test_what_was_carried_is_one_item_in_its_newest_wording() -> None:
    logs = {
        MON: "## Open\n- get the bank token from the dashboard\n",
        TUE: "## Still pending\n- get the bank token from the dashboard\n",
        WED: "## Open\n- get the bank token from the new dashboard\n",
    }

    ((text, item),) = find(lines_of(logs))

    assert text == "get the bank token from the new dashboard"
    assert (item.since, item.days, item.label(THU)) == (MON, 3, "3 d ×3")


def test_twice_on_one_day_is_one_day() -> None:
    ((_, item),) = find(lines_of({WED: "## Open\n- get the bank token\n\n## Next steps\n- get the bank token\n"}))

    assert item.label(WED) == "today"


def test_items_that_differ_in_a_number_are_two() -> None:
    assert len(said({WED: "## Open\n- pay invoice 4711 of the printer\n- pay invoice 4712 of the printer\n"})) == 2


def test_an_item_of_memory_has_no_age() -> None:
    ((_, item),) = find(lines_of(memory="## Open items\n- file the trademark of the shop\n"))

    assert (item.since, item.label(WED)) == ("", "memory")


def test_an_item_of_memory_that_a_log_carries_is_as_old_as_the_oldest_log() -> None:
    item = "## Open items\n- file the trademark of the shop\n"

    ((_, found),) = find(lines_of({MON: item, TUE: item}, memory=item))

    assert found.label(WED) == "2 d ×2"


def test_a_date_in_a_heading_of_memory_is_the_date_of_the_item() -> None:
    ((_, item),) = find(
        lines_of({WED: "- rain"}, memory="## 2026-09-10 open\n### Next\n- file the trademark of the shop\n")
    )

    assert item.label(WED) == "6 d"


@pytest.mark.parametrize(
    "done",
    [
        "- [x] rotate the token of the widget shop",
        "- ✅ Rotated the token of the widget shop",
        "- ✅ Rotated the token of the widget shop, saved it and told both machines about the change of this evening",
        "- Rotating the token of the widget shop: DONE",
        "## Completed today\n- rotated the token of the widget shop",
        "- ~~rotate the token of the widget shop~~",
        "| widget shop token rotated | ✅ |",
    ],
)
def test_a_later_mark_that_names_the_same_closes_an_item(done: str) -> None:
    assert said({TUE: "- [ ] rotate the token of the widget shop", WED: f"- rain\n{done}\n"}) == []


def test_a_mark_further_down_on_the_same_day_closes_it() -> None:
    assert said({TUE: "- [ ] rotate the token of the widget shop\n- ✅ rotated the token of the widget shop\n"}) == []


def test_what_is_closed_closes_its_older_wordings_too() -> None:
    logs = {
        MON: "## Open\n- rotate the token of the widget shop, it is old and the bank asked for it\n",
        TUE: "## Open\n- rotate the token of the widget shop\n",
        WED: "- ✅ rotated the token of the widget shop\n",
    }

    assert said(logs) == []


def test_a_log_closes_an_item_of_memory() -> None:
    assert said({WED: "- ✅ filed the trademark of the shop"}, memory="## Open\n- file the trademark of the shop") == []


def test_what_was_done_earlier_does_not_close_what_is_open_again() -> None:
    assert said(
        {TUE: "- ✅ rotated the token of the widget shop", WED: "- [ ] rotate the token of the widget shop"}
    ) == ["rotate the token of the widget shop"]


@pytest.mark.parametrize(
    "other",
    [
        "- ✅ rotated the key of the bank account",
        "- ✅ printed the catalogue of the widget shop",
        "- [x] call the token office",
        "- Token of the widget shop: rotation failed again",
        "- ✅ Half of the widget shop token work, rotation still pending",
        "- Should we rotate the token of the widget shop?",
        "- the widget shop token was rotated only on the test machine",
        "- widget shop token rotation is 44% complete",
        "## What's NOT done\n- rotate the token of the widget shop",
        "```\n✅ rotated the token of the widget shop\n```",
        "| widget shop token | rotated |",
    ],
)
def test_a_line_about_another_thing_or_half_of_it_closes_nothing(other: str) -> None:
    logs = {TUE: "- [ ] rotate the token of the widget shop", WED: f"- rain\n{other}\n"}

    assert "rotate the token of the widget shop" in said(logs)


def test_what_is_done_to_a_thing_does_not_tell_which_thing() -> None:
    logs = {TUE: "- [ ] test and deploy the laptop backup", WED: "- ✅ tested and deployed the phone backup"}

    assert said(logs) == ["test and deploy the laptop backup"]


PEOPLE = (
    "- Sam asked for tea\n- Sent the map to Sam\n- Called Sam about Skyhost\n- Lunch with Sam\n"
    "- The shop runs on Skyhost\n- Read Skyhost's terms\n- It is in Skyhost\n"
)


@pytest.mark.parametrize(
    "item",
    [
        "- Waiting for Sam to sign the form",
        "- Form is ready, awaiting Sam's answer",
        "- Still blocked on Sam for the form",
        "## Waiting on Sam\n- the signed form of the bank",
        "## Next steps (for Sam)\n- sign the form of the bank",
        "## Sam's Action Items\n- sign the form of the bank",
        "## Open\n- Sam to review the form of the bank",
        "## Open\n- the passphrase on a stick (only Sam)",
        "- Waiting on Skyhost setup from Sam",
        "- 🔴 Keys still need Sam to set them on Skyhost",
    ],
)
def test_it_is_told_who_is_waited_for(item: str) -> None:
    *_, (_, found) = find(lines_of({TUE: PEOPLE, WED: item}))

    assert found.who == "Sam"


@pytest.mark.parametrize(
    "item",
    [
        "- Need to review the reports of the week",
        "- Waiting for Quentin to sign the form",
        "- Built the shop, awaiting Skyhost redeploy",
        "- Waiting for the answer of the bank",
        "## Next steps for the shed\n- sign the form of the bank",
    ],
)
def test_nobody_is_named_who_is_not_known_as_a_person(item: str) -> None:
    *_, (_, found) = find(lines_of({TUE: PEOPLE, WED: item}))

    assert found.who == ""


def test_a_name_that_is_used_once_or_twice_is_not_known() -> None:
    ((_, item),) = find(lines_of({WED: "- Sam asked for tea\n- Waiting for Sam to sign the form\n"}))

    assert item.who == ""


def test_other_scripts_are_read_like_any() -> None:
    assert said({WED: "## TODO\n- 更新小部件商店的访问令牌并通知银行\n- Ärger mit Überweisung für Zoë prüfen\n"}) == [
        "Ärger mit Überweisung für Zoë prüfen",
        "更新小部件商店的访问令牌并通知银行",
    ]


def test_nothing_is_found_in_nothing() -> None:
    assert said() == []
    assert said({WED: ""}) == []
    assert said({WED: "\n\n# Title\n\n---\n"}) == []


def test_a_date_that_is_none_is_no_date() -> None:
    ((_, item),) = find(lines_of({WED: "- rain"}, memory="## 2026-02-31\n- [ ] call the bank about the loan\n"))

    assert item.label(WED) == "memory"


def test_thousands_of_items_that_share_their_words_are_read_in_time() -> None:
    text = "".join(
        f"- [{'x' if n % 2 else ' '}] order part{n}x of the widget shop for buyer{n * 7}y at the gate\n"
        for n in range(3000)
    )

    assert len(said({WED: text})) == 1500


def test_a_very_long_line_is_read_in_time() -> None:
    for part in ("waiting on Sam ", "*", "#", "[", "9", "need ", "a's ", "x: ", "(", "- "):
        said({WED: f"## Next\n- {part * 30_000}\n"})


@given(
    st.lists(
        st.sampled_from(["- [ ] ", "- [x] ", "- ✅ ", "- ", "## Open\n- ", "TODO: "]).map(
            lambda start: f"{start}rotate the token of the widget shop\n"
        ),
        max_size=6,
    )
)
def test_an_item_is_never_told_twice(parts: list[str]) -> None:
    assert len(said({WED: "".join(parts)})) <= 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(log: str, memory: str) -> None:
    lines = lines_of({WED: log}, memory=memory)

    for text, item in find(lines):
        assert text
        assert item.since in ("", lines[item.index].day)
        assert item.days == 1 or lines[item.index].day


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("- TODO: call the harbour tonight", True),
        ("- TODO: check whether the boat came in today", True),
        ("- TODO: call the harbour", False),
        ("- [ ] call the harbour tonight", False),
        ("## Things to remember tomorrow\n- call the harbour", True),
        ("## Today's open items\n- call the harbour", False),
    ],
)
def test_what_was_meant_for_a_day_that_is_over_is_past_unless_it_is_a_box(text: str, past: bool) -> None:
    (line,) = lines_of({"2026-09-01": text})

    assert unfinished.is_past(line, "2026-09-03") is past
    assert not unfinished.is_past(line, "2026-09-01")


def test_what_is_for_tomorrow_is_not_past_on_that_day() -> None:
    (line,) = lines_of({"2026-09-01": "- TODO: call the harbour tomorrow"})

    assert not unfinished.is_past(line, "2026-09-02")


@pytest.mark.parametrize("kind", ["todo", "question"])
def test_a_line_that_log_wrote_is_open_by_its_kind(kind: str) -> None:
    assert said({TUE: f"- 09:00 [{kind}] Ask Sam which phone is his\n"})
