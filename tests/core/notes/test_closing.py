"""What closes what: by reference, and with it what says the same before; never what came after."""

from __future__ import annotations

from agentws.core.notes import open_items, reading
from tests import table

Files = dict[str, str]

CASES: list[tuple[str, Files, list[str]]] = [
    (
        "the same text of an older day is over with what was closed by reference",
        {"2026-11-18": "- [ ] Call Tom about the lease", "2026-11-19": "- [todo] Call Tom about the lease ^t3fk"}
        | {"2026-11-20": "- 07:20 [done] Sent it by post (closes ^t3fk)"},
        [],
    ),
    (
        "what is to be done again is open again",
        {"2026-11-18": "- [todo] Water the plants ^t3fk\n- [done] Water the plants (closes ^t3fk)"}
        | {"2026-11-20": "- [todo] Water the plants ^x7mp"},
        ["Water the plants"],
    ),
    (
        "a reference that was closed before an entry was written is another one's",
        {"2026-11-17": "- [done] Sent it by post (closes ^t3fk)", "2026-11-19": "- [todo] Mend the roof ^t3fk"},
        ["Mend the roof"],
    ),
    (
        "a second file of the same day closes as well as the first",
        {"2026-11-20": "- [todo] Mend the roof ^t3fk", "2026-11-20.2": "- [done] It was sold (closes ^t3fk)"},
        [],
    ),
    (
        "a box of no day that was ticked once closes nothing that was written with a reference",
        {"MEMORY": "- [x] Water the plants", "2026-11-19": "- [ ] Water the plants"}
        | {"2026-11-20": "- [todo] Water the plants ^x7mp"},
        ["Water the plants"],
    ),
    (
        "one line closes several",
        {"2026-11-20": "- [todo] Mend it ^t3fk\n- [todo] Oil the gate ^x7mp\n- [dropped] Sold (closes ^t3fk ^x7mp)"},
        [],
    ),
    (
        "a computed reference closes in any number of characters",
        {
            "MEMORY": "- [ ] Ask the bank about the card\n",
            "2026-11-20": "- [done] Asked (closes ^{4}) (closes ^zzzz)",
        },
        [],
    ),
    (
        "and so does a longer one",
        {"MEMORY": "- [ ] Ask the bank about the card\n", "2026-11-20": "- [done] Asked (closes ^{8})"},
        [],
    ),
    (
        "a shorter one than any that is written does not",
        {"MEMORY": "- [ ] Ask the bank about the card\n", "2026-11-20": "- [done] Asked (closes ^{2})"},
        ["Ask the bank about the card"],
    ),
    (
        "a longer one of another entry does not",
        {"MEMORY": "- [ ] Ask the bank about the card\n", "2026-11-20": "- [done] Asked (closes ^{4}bcdf)"},
        ["Ask the bank about the card"],
    ),
]
"""What is asked, the files, and what stays open."""


def test_what_is_closed_and_what_stays_open() -> None:
    def check(case: tuple[str, Files, list[str]]) -> None:
        _, files, expected = case
        item = next((one for one in read(files) if "bank" in one[0].text), None)
        if item:
            for length in (2, 4, 8):
                ref = item[0].longer_ref(8)[:length]
                files = {day: text.replace(f"{{{length}}}", ref) for day, text in files.items()}
        found = open_items.of(read(files), today="2026-11-20")
        assert [one.entry.body for one in found.open] == expected

    table.holds(check, CASES)


def read(files: Files) -> list[list[reading.Entry]]:
    found = []
    for name, text in files.items():
        day = name[:10] if name[0] == "2" else ""
        path = f"memory/{name}.md" if day else f"{name}.md"
        found.append(reading.read(text, path=path, day=day))
    return [one for one in found if one]
