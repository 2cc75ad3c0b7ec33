"""What compaction keeps, within a budget, and what it says of the rest."""

from __future__ import annotations

import pytest

from agentws.planning import tokens
from agentws.planning.compaction import candidates, keeping, scoring
from agentws.planning.compaction.counts import Counts
from agentws.planning.compaction.units import Context, Source
from tests.planning.compaction.values import CHARS4, chat, day, keep, old, texts

SMALL_TALK = ("Tom", "Wow, that sounds great, thanks!")
FACT = ("Maria", "I moved to Lisbon on May 3 with my sister Ana.")


def test_a_fact_is_kept_before_small_talk() -> None:
    kept = keep(chat(FACT, SMALL_TALK), budget=25)

    assert texts(kept) == ["2026-03-02 Maria: I moved to Lisbon on May 3 with my sister Ana."]


def test_an_entry_names_the_lines_it_came_from() -> None:
    kept = keep(chat(FACT), budget=100)

    assert kept.entries[0].sources == (Source("memory/2026-03-02.md", 5, 5),)


@pytest.mark.parametrize("counter", [tokens.Chars4(), tokens.Bytes()])
@pytest.mark.parametrize("budget", [10, 60, 200, 777])
def test_the_section_with_its_headings_never_costs_more_than_the_budget(counter: object, budget: int) -> None:
    days = [
        chat(
            *((f"P{n % 2}", f"I bought {n} tickets to Rome for Äda number {n * m}.") for n in range(30)),
            date=f"2026-03-{m:02d}",
        )
        for m in range(1, 9)
    ]

    kept = keeping.keep(days, [], budget, counter)  # type: ignore[arg-type]

    assert kept.tokens == tokens.tokens(counter, kept.section) <= budget  # type: ignore[arg-type]


def test_everything_is_kept_or_told_of() -> None:
    kept = keep(chat(FACT, SMALL_TALK), day("- the bank closes at five\n", "2026-03-03"), budget=30)

    told = {source for one in (*kept.entries, *kept.dropped) for source in one.sources}
    assert {(source.path[7:17], source.line) for source in told} == {
        ("2026-03-02", 5),
        ("2026-03-02", 6),
        ("2026-03-03", 3),
    }
    assert all(one.reason for one in kept.dropped)


def test_a_second_run_without_new_days_changes_nothing() -> None:
    days = [
        chat(FACT, ("Tom", f"We met {n} people from Porto at the fair."), date=f"2026-03-{n:02d}") for n in range(1, 9)
    ]
    first = keep(*days, budget=150)

    again = keep(entries=first.entries, budget=150)

    assert again.section == first.section
    assert not again.dropped


def test_old_entries_compete_with_new_days() -> None:
    weak = old("2026-01-01 Tom: Nice to hear that.", score=0.001)

    kept = keep(chat(FACT), entries=(weak,), budget=26)

    assert texts(kept) == ["2026-03-02 Maria: I moved to Lisbon on May 3 with my sister Ana."]
    assert [(one.text, one.was_entry, one.reason) for one in kept.dropped] == [(weak.text, True, keeping.CROWDED)]


@pytest.mark.parametrize("text", ["2026-01-01 Tom: Nice to hear that. !10"])
def test_a_pinned_entry_stays_whatever_it_costs(text: str) -> None:
    kept = keep(chat(FACT), entries=(old(text, score=0.0),), budget=5)

    assert texts(kept) == [text]


def test_a_note_marked_10_becomes_an_entry_that_stays() -> None:
    first = keep(day("- 09:00 [fact] the vault code is with Ana !10\n"), budget=1)

    again = keep(chat(FACT), entries=first.entries, budget=1)

    assert texts(first) == texts(again) == ["2026-03-02 the vault code is with Ana !10"]


def test_what_is_said_again_in_nearly_the_same_words_is_told_once() -> None:
    again = chat(("Maria", "I moved to Lisbon on May 3, with my sister Ana."), date="2026-03-09")

    kept = keep(chat(FACT), again)

    assert len(kept.entries) == 1
    assert [one.reason for one in kept.dropped] == [keeping.TOLD]
    assert kept.dropped[0].successor


def test_a_newer_value_replaces_an_older_one() -> None:
    then = day("## Harbor\n\n- Backup folder: disk two\n", "2026-03-01")
    now = day("## Harbor\n\n- Backup folder: disk nine\n", "2026-03-05")

    kept = keep(then, now)

    assert texts(kept) == ["2026-03-05 Harbor: Backup folder: disk nine"]
    assert [(one.reason, one.successor) for one in kept.dropped] == [
        (keeping.REPLACED, "2026-03-05 Harbor: Backup folder: disk nine")
    ]


def test_what_changes_every_day_is_a_record_and_replaces_nothing() -> None:
    days = [day(f"## Sales\n\n- Visitors of the shop: {n * 7}\n", f"2026-03-{n:02d}") for n in range(1, 10)]

    kept = keep(*days)

    assert not any(one.reason == keeping.REPLACED for one in kept.dropped)


def test_adjacent_sentences_of_a_turn_share_an_entry() -> None:
    kept = keep(chat(("Maria", "I moved to Lisbon on May 3. My sister Ana found us a flat in Alfama.")))

    assert texts(kept) == ["2026-03-02 Maria: I moved to Lisbon on May 3. My sister Ana found us a flat in Alfama."]


def test_what_one_said_with_gaps_shares_an_entry_that_shows_the_gaps() -> None:
    log = chat(("Maria", "I moved to Lisbon on May 3."), ("Tom", "Wow!"), ("Maria", "My cat is called Bica."))

    kept = keep(log)

    assert texts(kept) == ["2026-03-02 Maria: I moved to Lisbon on May 3. … My cat is called Bica."]


def test_entries_stand_under_a_heading_of_their_kind() -> None:
    kept = keep(
        day("## Decisions\n\n- ship on Fridays only\n"),
        chat(("Maria", "My favourite tea is Earl Grey."), date="2026-03-03"),
    )

    assert kept.section == (
        "## From the logs\n\n### Decisions\n\n- 2026-03-02 ship on Fridays only\n\n"
        "### Preferences\n\n- 2026-03-03 Maria: My favourite tea is Earl Grey.\n"
    )


def test_a_decision_is_kept_before_a_plain_note() -> None:
    log = day("## Decisions\n\n- Kestrel ships on Fridays\n\n## Notes\n\n- Osprey sleeps on Mondays\n")

    kept = keep(log, budget=25)

    assert texts(kept) == ["2026-03-02 Kestrel ships on Fridays"]


def test_what_an_open_task_speaks_of_is_kept_before_the_rest() -> None:
    log = day("- Kestrel parser reads invoices\n- Osprey parser reads receipts\n")

    kept = keep(log, budget=20, context=Context(tasks=("teach the Osprey parser about receipts",)))

    assert texts(kept) == ["2026-03-02 Osprey parser reads receipts"]


def test_what_memory_tells_already_is_kept_after_what_it_does_not() -> None:
    log = day("- Kestrel parser reads invoices\n- Osprey server stores receipts\n")

    kept = keep(log, budget=20, context=Context(memory=("- the Kestrel parser reads invoices",)))

    assert texts(kept) == ["2026-03-02 Osprey server stores receipts"]


def test_nothing_makes_no_section() -> None:
    assert keep(budget=100).section == ""
    assert keep(day(""), budget=100).section == ""


def test_the_same_days_give_the_same_section() -> None:
    days = [chat(FACT, SMALL_TALK, date=f"2026-03-{n:02d}") for n in range(1, 6)]

    assert keeping.keep(days, [], 60, CHARS4).section == keeping.keep(days, [], 60, CHARS4).section


def test_the_best_decision_of_a_day_is_kept_though_others_name_more() -> None:
    days = [
        day(f"- Osprey{n} met Kestrel{n} and Heron{n} and Egret{n} at Porto{n}\n" * 1, f"2026-03-{n:02d}")
        for n in range(1, 120)
    ]
    ruled = day("## Decisions\n\n- we always ask before we delete a thing\n", "2026-03-31")

    kept = keep(*days[:28], ruled, budget=1300)

    assert "2026-03-31 we always ask before we delete a thing" in texts(kept)
    assert kept.weighty == (1, 1)


def test_it_is_told_how_many_decisions_were_kept() -> None:
    log = day("## Decisions\n\n" + "".join(f"- Kestrel{n} sails to Porto{n} on Fridays\n\n" for n in range(9)))

    kept, of = keep(log, budget=40).weighty

    assert (of, 0 < kept < 9) == (9, True)


def test_a_lesson_in_memory_stays_where_another_entry_gives_way() -> None:
    log = day("- Kestrel met Osprey at noon\n")
    texts_of = {
        kind: texts(keep(log, entries=(old("2026-01-01 Heron met Egret at noon", kind=kind),), budget=18))
        for kind in ("Lessons", "What happened")
    }

    assert texts_of["Lessons"] == ["2026-01-01 Heron met Egret at noon"]


def half_happened(budget: int) -> float:
    """The share of the text that tells what merely happened, of days half of which do."""
    happened = "".join(f"- Kestrel{n} met Osprey{n} and Heron{n} in Porto{n}\n\n" for n in range(200))
    stands = "".join(f"- disk {n} is blue and needs water{n}\n\n" for n in range(200))

    kept = keep(day(f"## A\n\n{happened}## B\n\n{stands}"), budget=budget)

    told = sum(len(one.text) for one in kept.entries if one.kind == "What happened")
    return told / sum(len(one.text) for one in kept.entries)


def test_what_merely_happened_leaves_half_of_the_room_to_others() -> None:
    assert 0.3 < half_happened(2500) <= 0.55


def test_a_small_room_is_not_divided() -> None:
    assert half_happened(400) > 0.9


def test_a_rule_that_others_told_between_them_is_left_out() -> None:
    first = "- Rule: Jay allows subagents for Kestrel, Osprey and Heron in Porto and Lisbon\n"
    second = "- Rule: image analysis needs Egret, Dunlin, Plover and Curlew on Harris and Lewis\n"
    again = "- Rule: what Jay allows of image analysis, he now allows for Egret and Kestrel\n"

    kept = keep(day(first), day(second, "2026-03-03"), day(again, "2026-03-04"))

    assert [one.days for one in kept.entries] == [("2026-03-02",), ("2026-03-03",)]


def test_what_is_in_memory_gives_way_only_to_what_is_clearly_better() -> None:
    log = day("- Kestrel met Osprey at noon\n")

    kept = keep(log, entries=(old("2026-01-01 Heron met Egret at noon", kind="Facts"),), budget=18)

    assert texts(kept) == ["2026-01-01 Heron met Egret at noon"]


def test_each_open_item_is_an_entry_of_its_own_since_each_is_done_at_another_time() -> None:
    kept = keep(day("## Next steps\n\n- Kestrel sails to Porto\n- Osprey buys a map\n"))

    assert texts(kept) == ["2026-03-02 Kestrel sails to Porto", "2026-03-02 Osprey buys a map"]


def test_what_was_open_long_ago_counts_for_less_than_what_is_open_now() -> None:
    days = [day("## Next steps\n\n- Heron meets Egret at the pier\n", f"2026-03-{n:02d}") for n in range(1, 20)]
    units = candidates.of(days)

    worth = scoring.Scores(units, Counts(units), Context()).of

    assert worth == sorted(worth)
    assert worth[0] < 0.9 * worth[-1]


def test_what_is_under_different_labels_never_shares_an_entry() -> None:
    kept = keep(day("## Role\n\n**DC IS:**\n\n- content lead\n\n**DC IS NOT:**\n\n- fleet commander\n"))

    assert sorted(texts(kept)) == [
        "2026-03-02 Role › DC IS NOT: fleet commander",
        "2026-03-02 Role › DC IS: content lead",
    ]


def test_only_neighbours_share_an_entry() -> None:
    near = day("## Harbor\n\n- Kestrel sails to Porto\n- Osprey sails to Faro\n")
    far = day("## Harbor\n\n- Kestrel sails to Porto\n\nthe the of it is so\n\n- Osprey sails to Faro\n")

    assert any("Kestrel" in text and "Osprey" in text for text in texts(keep(near)))
    assert not any("Kestrel" in text and "Osprey" in text for text in texts(keep(far)))
    assert {"Kestrel", "Osprey"} <= set(" ".join(texts(keep(far))).split())
