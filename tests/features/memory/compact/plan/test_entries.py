"""Which lines of logs enter MEMORY.md: those that their author marked, each with its day, and nothing else."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from agentws.core.formats.documents import managed, sources
from agentws.core.formats.secrets import named
from agentws.core.notes import reading
from agentws.features.memory.compact.plan import marked_lines
from agentws.features.memory.compact.plan.marked_lines import Selection
from tests import table

DAY = "2026-11-02"
MARKED = {
    "en": ("SQLite for the index", "Never sail alone at night", "The phone needs its own cable"),
    "de": ("Der Index bleibt bei SQLite", "Nie allein nachts segeln", "Das Telefon braucht sein Kabel"),
    "es": ("El índice queda en SQLite", "No navegar solo de noche", "El teléfono pide su cable"),
    "fr": ("L'index reste en SQLite", "Ne jamais naviguer seul la nuit", "Le téléphone veut son câble"),
    "pl": ("Indeks zostaje w SQLite", "Nigdy nie pływaj nocą samotnie", "Telefon potrzebuje swojego kabla"),
    "zh": ("索引用SQLite", "夜里绝不独自出海", "手机备份要用原装线"),
    "ja": ("索引はSQLiteにする", "夜は一人で船を出さない", "電話の保存には線が要る"),
    "ru": ("Индекс остаётся в SQLite", "Не выходить в море ночью одному", "Телефону нужен свой кабель"),
    "ar": ("الفهرس في SQLite", "لا تبحر وحدك ليلا", "الهاتف يحتاج كابله"),
    "hi": ("सूची SQLite में रहेगी", "रात में अकेले नाव न चलाना", "फोन को अपना तार चाहिए"),
}
"""A decision, a rule and a lesson in each."""
UNMARKED = (
    "- Nie znam tej łodzi",
    "- Do not disturb sign was lost",
    "- Never push without asking Sam",
    "- Rule: ask Sam first",
    "- Decision: SQLite for the index",
    "- **Lesson:** salt does not help",
    "- Always bring the cable !10",
    "- IMPORTANT: the pier is closed",
    "- ✅ Decided to paint the pier",
    "> [rule] quoted from a page",
    "`[rule] in code`",
    "```\n[rule] in a fence\n```",
    "- the word [rule] inside a sentence",
    "- [ ] [zorp] an unknown kind",
    "- [todo] buy bread",
    "- [question] which pier?",
    "- [rule]",
)


def select(*logs: str, memory: str = "# Memory\n", day: str = DAY, **words: object) -> Selection:
    """The logs of this day and those after it, as a run in November 2026 reads them."""
    first = date.fromisoformat(day)
    days = [(first + timedelta(at)).isoformat() for at in range(len(logs))]
    read = [reading.read(text, path=f"memory/{each}.md", day=each) for each, text in zip(days, logs, strict=True)]
    usual = {"known": sources.Sidecar(), "hidden": named.Secrets(logs), "private_tags": ("private",)}
    words = {"closed": marked_lines.closed_in(read), **words}
    return marked_lines.select(read, memory=memory, today="2026-11-20", **{**usual, **words})  # type: ignore[arg-type]


def texts(selection: Selection) -> list[str]:
    return [entry.text for entry in selection.new]


def test_a_marked_line_enters_with_its_day_and_under_its_kind() -> None:
    selection = select("- 09:00 [decision] SQLite for the index\n- [rule] Ask Sam first !9\n")

    assert texts(selection) == ["SQLite for the index (2 Nov)", "Ask Sam first (2 Nov) !9"]
    assert [entry.kind for entry in selection.new] == ["decision", "rule"]
    assert [(line.path, line.line) for entry in selection.new for line in entry.lines] == [
        ("memory/2026-11-02.md", 1), ("memory/2026-11-02.md", 2),
    ]  # fmt: skip
    assert texts(select("- [fact] The pier is 40 m\n", day="2025-11-02")) == ["The pier is 40 m (2 Nov 2025)"]


def test_marks_in_any_language_count() -> None:
    marks = [
        "entscheidung",
        "decisión",
        "décision",
        "decisione",
        "decisão",
        "решение",
        "قرار",
        "निर्णय",
        "決定",
        "决定",
        "결정",
    ]
    selection = select("".join(f"- [{mark}] SQLite for pier {at}\n" for at, mark in enumerate(marks)))

    assert [entry.kind for entry in selection.new] == ["decision"] * len(marks)


@pytest.mark.parametrize("heading", ["Rules", "Decisions", "Lessons learned", "Regeln", "決定", "Boundaries"])
def test_no_heading_no_first_word_and_no_importance_makes_a_line_enter(heading: str) -> None:
    def check(line: str) -> None:
        assert texts(select(f"## {heading}\n\n{line}\n")) == []

    table.holds(check, UNMARKED)


def test_no_repetition_makes_a_line_enter() -> None:
    assert texts(select(*["- The ferry leaves at nine from the north pier\n"] * 30)) == []


def test_a_line_of_several_days_enters_once_with_its_first_day() -> None:
    selection = select("- [rule] Ask Sam first\n", "- rain\n", "- [rule] ask Sam first.\n")

    assert texts(selection) == ["Ask Sam first (2 Nov)"]
    assert [line.day for line in selection.new[0].lines] == ["2026-11-02", "2026-11-04"]


def test_what_is_from_outside_over_private_or_secret_does_not_enter_and_says_why() -> None:
    rows = (
        ("- [rule] Pay them first (via tool:web)\n", ()),
        ("- ~~[rule] Ask Sam first~~\n", (marked_lines.OVER,)),
        ("- [rule] Ask Sam first ^t3fk\n", (marked_lines.OVER,)),
        ("- [ ] [rule] Ask Sam first\n", (marked_lines.OPEN,)),
        ("- [fact] Kestrel meets Osprey by the sea #private\n", (marked_lines.PRIVATE,)),
        ("## Family #private\n\n- [fact] Kestrel meets Osprey by the sea\n", (marked_lines.PRIVATE,)),
        ("## Credentials\n\n- [fact] the bridge account is kestrel at harbor\n", (marked_lines.PRIVATE,)),
        ("- [fact] the push uses ghp_RkvbsE... now\n", (marked_lines.PRIVATE,)),
    )

    def check(row: tuple[str, tuple[str, ...]]) -> None:
        selection = select(row[0], closed=marked_lines.Closed({"t3fk"}))
        assert (texts(selection), tuple(line.why for line in selection.unused)) == ([], row[1])

    table.holds(check, rows)


def test_a_line_that_a_later_line_strikes_is_over_and_one_that_is_written_anew_is_not() -> None:
    def check(later: str) -> None:
        selection = select("- [rule] Ask Kim before paying\n", later, "- [rule] Wear gloves at the well\n")
        assert texts(selection) == ["Wear gloves at the well (4 Nov)"]
        assert selection.unused[0].why == marked_lines.OVER

    table.holds(
        check,
        (
            "- ~~Ask Kim before paying~~\n",
            "- 09:00 ~~[rule] ask Kim before paying.~~\n",
            "- [rule] ~~Ask Kim before paying~~ Sam pays\n",
        ),
    )
    anew = select("- ~~Ask Kim before paying~~\n- [rule] Ask Kim before paying\n", "- [x] Ask Kim before paying\n")
    assert texts(anew) == ["Ask Kim before paying (2 Nov)"]


def test_a_value_that_another_line_calls_a_secret_does_not_enter_under_another_name() -> None:
    value = "7c1e5a90-3f26-4d8b-a417-0be92d6f5c38"
    berth = f"- [fact] New berth Kestrel at Ferryhost (ID: {value})\n"

    assert len(texts(select(berth))) == 1
    assert texts(select(berth, f"- Ferryhost token provided: {value}\n")) == []


@pytest.mark.parametrize(
    "memory",
    [
        "- Ask Sam first\n",
        "* ask  Sam\n  first.\n",
        "## From the logs\n\n- Ask Sam first (12 Mar 2024)\n",
        "Ask Sam first",
    ],
)
def test_what_memory_has_in_the_same_words_is_not_added_again(memory: str) -> None:
    selection = select("- [rule] Ask Sam first\n", memory=memory)

    assert [line.why for line in selection.unused] == [marked_lines.PRESENT]


def test_what_memory_has_in_other_words_or_as_a_part_is_added() -> None:
    memory = "- Ask Samantha first, then Kim\n"

    assert texts(select("- [rule] Ask Sam first\n", memory=memory)) == ["Ask Sam first (2 Nov)"]


def test_what_somebody_took_out_or_decided_does_not_come_back_but_may_be_said_again() -> None:
    known = sources.Sidecar()
    for text, run in (("Ask Sam first (2 Nov)", "r1"), ("Sheds are red", "r1"), ("Other words", "")):
        line = [] if run else [sources.Source("memory/2026-11-02.md", 3, 3, "d")]
        known.made[managed.of_text(text)] = sources.Made(managed.of_text(text), line, day=DAY, run=run)
    known.declined = {managed.of_text("Piers are long"): "person", managed.of_text("Boats are blue"): "agent"}
    log = (
        "- [rule] Ask Sam first\n- [fact] Sheds are red\n- [fact] Taken up\n"
        "- [fact] Piers are long\n- [fact] Boats are blue\n"
    )

    selection = select(log, "- [rule] Ask Sam first\n", known=known)

    assert texts(selection) == ["Boats are blue (2 Nov)", "Ask Sam first (3 Nov)"]
    assert [line.why for line in selection.unused] == [
        marked_lines.REMOVED, marked_lines.REMOVED, marked_lines.TAKEN, marked_lines.TAKEN,
    ]  # fmt: skip


def test_only_what_was_written_since_the_adoption_counts() -> None:
    logs = [f"- [fact] The pier is {at} m long\n" for at in range(3)]

    selection = select(*logs, since="2026-11-03")

    assert texts(selection) == ["The pier is 1 m long (3 Nov)", "The pier is 2 m long (4 Nov)"]
    assert [line.why for line in selection.unused] == [marked_lines.EARLIER]


def test_over_a_year_of_nights_memory_changes_by_marked_lines_alone() -> None:
    marked = [
        (kind, text)
        for said in MARKED.values()
        for kind, text in zip(("decision", "rule", "lesson"), said, strict=True)
    ]
    memory, first = "# Memory\n\n- a line of the owner\n", date(2026, 1, 1)
    for number in range(300):
        day = (first + timedelta(number)).isoformat()
        lines = [
            "## Rules",
            f"- Never bring crate {number} to the pier",
            "- Kim feeds the gulls",
            "- [todo] tar the roof",
            f"- [fact] The oil costs {number} crowns (via net:mail)",
        ]
        lines += ["- 10:00 [{}] {}".format(*marked[number // 10])] if number % 10 == 0 else []
        before = memory
        selection = select("\n".join(lines) + "\n", memory=memory, day=day)
        memory = managed.rewritten(
            memory, joining=[(managed.KINDS[one.kind], one.text) for one in selection.new], order=managed.ORDER
        )
        assert (memory == before) == (number % 10 != 0), day

    assert [text for _, text in marked if f"- {text} (" not in memory] == []
    assert memory.count("\n- ") == len(marked) + 1


def test_a_line_that_says_only_by_its_place_what_it_is_about_enters_with_its_heading() -> None:
    log = (
        "# Wednesday\n\n- [fact] Ada is in Rome\n"
        "\n## Pump (cellar)\n\n- [decision] Hold off\n- Hose\n  - [fact] Needs 40 m\n"
        "\n## Lessons\n\n- [lesson] Salt does not help\n\n## 2026-11-02, 20:15\n\n- [rule] Ask Sam first\n"
    )

    assert texts(select(log)) == [
        "Ada is in Rome (2 Nov)",
        "Hold off (2 Nov, Pump cellar)",
        "Needs 40 m (2 Nov, Pump cellar · Hose)",
        "Salt does not help (2 Nov)",
        "Ask Sam first (2 Nov)",
    ]


def test_a_heading_that_names_nothing_gives_way_to_the_one_around_it() -> None:
    log = (
        "# Diary\n\n## 3. Pump in the cellar\n\n### Key Lessons Learned\n\n- [lesson] Grease it\n"
        "\n## Present for Kim, €40\n\n- [decision] A blue vase\n"
        "\n## 20:15 - Roof\n\n- [fact] Two slates are loose\n"
        "\n## Events\n\n### Garden Decisions\n\n- [decision] Sow nothing before May\n"
        "\n## 22:10 ET — Well\n\n- [fact] It is 12 m deep\n"
        "\n## 09:00 API: keys\n\n- [rule] Change them in spring\n"
        "\n## Watering schedule of the garden beds — drought\n\n- [rule] Only before sunrise\n"
    )

    assert texts(select(log)) == [
        "Grease it (2 Nov, Pump in the cellar)",
        "A blue vase (2 Nov)",
        "Two slates are loose (2 Nov, Roof)",
        "Sow nothing before May (2 Nov, Events · Garden Decisions)",
        "It is 12 m deep (2 Nov, Well)",
        "Change them in spring (2 Nov, API: keys)",
        "Only before sunrise (2 Nov, Watering schedule of the garden beds…)",
    ]


def test_a_marked_line_that_ends_in_a_colon_enters_with_the_lines_below_it_or_says_why_not() -> None:
    log = (
        "- [decision] Two gardens:\n  - north: beans\n    - and peas\n  - [ ] buy seeds\n  - [fact] the south is dry\n"
        "- [rule] Three things:\n- [decision] Only boxes:\n  - [ ] mow\n"
        "- [decision] Sell the mill\n  - Ada agreed\n"
        "- [fact] The keys:\n  - Kim's is 7F (via net:mail)\n"
        "\n**[rule] In frost:**\n\n- shut the tap\n- drain the hose\n\n**[rule] Nobody climbs the roof**\n"
    )
    selection = select(log)

    assert texts(selection) == [
        "Two gardens: north: beans; and peas (2 Nov)",
        "the south is dry (2 Nov, Two gardens)",
        "Sell the mill (2 Nov)",
        "In frost: shut the tap; drain the hose (2 Nov)",
        "Nobody climbs the roof (2 Nov)",
    ]
    assert [(row.line.body, row.why) for row in selection.unused] == [
        ("Three things:", marked_lines.INTRODUCES),
        ("Only boxes:", marked_lines.INTRODUCES),
        ("The keys:", marked_lines.OUTSIDE),
    ]


def test_a_mark_behind_a_time_in_brackets_counts_and_a_colon_behind_it_is_no_part_of_the_text() -> None:
    log = "- [20:35] [decision] Pier B is ours\n- [20:36 ET] [fact] Kim has the key\n- [rule]: Ask Sam first\n"

    assert texts(select(log)) == ["Pier B is ours (2 Nov)", "Kim has the key (2 Nov)", "Ask Sam first (2 Nov)"]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Hold off (2 Nov, Pump cellar)", "Hold off"),
        ("SQLite for the index (2 Nov)", "SQLite for the index"),
        ("SQLite for the index (2 Nov 2025) !9", "SQLite for the index"),
        ("SQLite (since 2 Nov)", "SQLite (since 2 Nov)"),
        ("Ask Sam (Kim)", "Ask Sam (Kim)"),
        ("(2 Nov)", "(2 Nov)"),
        ("Watch out !9", "Watch out !9"),
    ],
)
def test_the_day_behind_an_entry_is_known_from_its_words(text: str, bare: str) -> None:
    assert managed.without_day(text) == bare
