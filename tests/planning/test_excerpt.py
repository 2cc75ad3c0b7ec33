"""What is shown of a file that does not fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentws.formats import notes
from agentws.planning import excerpt


def entries(text: str) -> list[excerpt.Entry]:
    return excerpt.entries(notes.read(text), by_position=False)


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=12), st.integers(0, 400))
def test_an_excerpt_never_costs_more_than_its_grant(lines: list[str], grant: int) -> None:
    text = "".join(f"## h{index}\n- {line}\n" for index, line in enumerate(lines))

    made = excerpt.best(entries(text), grant, len, at_least=True)

    assert made.units == len(made.text) <= grant


def test_open_boxes_decisions_and_boundaries_come_before_routine() -> None:
    text = (
        "- [x] done thing\n- routine words\n- [ ] open thing\n- [decision] chose it\n\n## Boundaries\n\n- never do it\n"
    )

    order = sorted(entries(text), key=lambda entry: -entry.priority)

    assert [entry.full for entry in order[:3]] == ["- [ ] open thing\n", "- [decision] chose it\n", "- never do it\n"]
    assert order[-1].full == "- [x] done thing\n"


def test_importance_outweighs_the_rest() -> None:
    found = entries("- [decision] chose it\n- plain words !10\n- [decision] of no weight !1\n")

    assert max(found, key=lambda entry: entry.priority).full == "- plain words !10\n"
    assert min(found, key=lambda entry: entry.priority).full == "- [decision] of no weight !1\n"


def test_a_short_form_is_the_bold_lead_or_the_first_sentence() -> None:
    lead, sentence, short = entries(
        "- **Have a strong opinion.** You may disagree, prefer things, and find stuff boring or amusing.\n"
        "- The backup of the brain runs every forty minutes. It pushes to two remotes, and mails when one fails.\n"
        "- Tea.\n"
    )

    assert lead.short == "- **Have a strong opinion.** …\n"
    assert sentence.short == "- The backup of the brain runs every forty minutes. …\n"
    assert short.short == short.full == "- Tea.\n"


def test_a_label_is_never_shown_without_what_it_stands_for() -> None:
    text = (
        "- **Blocker:**\n  the build toolchain crashes with a bus error during the build of the front end\n  and more\n"
    )

    assert entries(text)[0].short.startswith("- **Blocker:**\n  the build toolchain crashes")


def test_entries_under_headings_of_the_same_words_stay_under_their_own() -> None:
    text = "## Log\n- first\n\n## Other\n- middle\n\n## Log\n- last\n"

    made = excerpt.best(entries(text), 1000, len)

    assert made.text == "- Log › first\n- Other › middle\n- Log › last\n"


def test_a_clip_ends_after_a_whole_word_and_fits() -> None:
    assert excerpt.clip("one two three four", 13, len) == "one two…\n"
    assert excerpt.clip("endless" * 9, 13, len) == ""
