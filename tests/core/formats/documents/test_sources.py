"""The sidecar: where memories came from, and what folded days were."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.documents import sources
from agentws.core.formats.documents.sources import About, Folded, Made, Source, Stated
from agentws.core.formats.json import plainjson
from tests import table

DAY = b"# Day\n\n- one\n- two\n"


def folded(data: bytes = DAY) -> Folded:
    return Folded(
        "memory/2026-03-02.md", "memory/archive/2026/2026-03-02.md", day="2026-03-02", size=len(data),
        digest=digest.of(data), lines=sources.line_digests(data), run="r1",
    )  # fmt: skip


def test_what_is_written_is_read_again() -> None:
    made = Made("ab" * 32, [Source("memory/2026-03-02.md", 3, 4, "cd" * 32)], day="2026-03-02", worth=7, run="r1")

    found = sources.decode(sources.encode([made, folded()]))

    assert sources.encode([*found.made.values(), *found.folded.values()]) == sources.encode([made, folded()])
    assert found.unread == []


def test_the_newest_word_of_a_day_or_an_entry_wins() -> None:
    later = Made("ab", [], day="", worth=9, run="r2")

    text = sources.joined(sources.encode([Made("ab", [], day="", worth=1, run="r1"), folded()]), [later])

    assert sources.decode(text).made["ab"].worth == 9


def test_lines_that_are_not_understood_are_kept_and_named() -> None:
    text = '{"mine": 1}\nnot json\n{"entry":"x","sources":[["a"]]}\n{"entry":"y","sources":[]}'

    assert sources.decode(text).unread == [1, 2, 3]
    assert list(sources.decode(text).made) == ["y"]
    assert sources.joined(text, []).startswith(text)


def test_a_changed_line_is_named() -> None:
    was = folded()

    assert was.is_as_it_was(DAY)
    assert not was.is_as_it_was(DAY.replace(b"two", b"2"))
    assert was.changed_lines(DAY) == []
    assert was.changed_lines(DAY.replace(b"two", b"2")) == [4]
    assert was.changed_lines(DAY + b"- three\n") == [5, 6]
    assert was.changed_lines(b"# Day\n") == [3, 4, 5]


def test_the_digest_of_lines_is_of_these_lines_alone() -> None:
    assert sources.of_lines(DAY, 3, 4) == digest.of(b"- one\n- two")


KEYS: dict[str, object] = {
    "src": "agent", "kind": "rule", "first": "2026-03-02", "confirmed": ["2026-03-02", "2026-03-09"],
    "about": ["src/日本 語.py", "ef" * 32], "state": "superseded", "reason": "заменено",
    "until": "2026-11-23", "by": "ab" * 32,
}  # fmt: skip
ROWS: list[dict[str, object]] = [
    {"entry": "ab" * 32, "day": "2026-03-02", "sources": [["memory/2026-03-02.md", 3, 4, "cd" * 32]], "run": "r1"},
    {"stated": "ab" * 32, "at": "2026-11-23T09:00:00Z"},
    {"stated": "ab" * 32, "at": "", "from": "memory/a.md:1", "from_src": "tool:web"},
]


def only(text: str) -> Made | Stated:
    found = sources.decode(text)
    assert found.unread == []
    return next(iter([*found.made.values(), *found.stated.values()]))


def test_each_key_is_read_written_and_may_lack() -> None:
    def holds(row: dict[str, object]) -> None:
        one = only(plainjson.dumps(row))
        written = plainjson.loads(sources.encode([one]))

        assert {key: value for key, value in written.items() if value} == {key: row[key] for key in row if row[key]}
        for key, value in KEYS.items():
            held = getattr(one, key)
            shown = [held.path, held.digest] if isinstance(held, About) else held
            wanted = value if key in row else {"confirmed": [], "about": None}.get(key, "")
            assert list(shown) == wanted if key == "confirmed" else shown == wanted
        assert one.is_current == ("state" not in row)

    one_key = [{**row, key: value} for row in ROWS for key, value in KEYS.items()]
    all_but_one = [{**row, **{k: v for k, v in KEYS.items() if k != key}} for row in ROWS for key in KEYS]
    unknown = [{**row, **KEYS, "later": {"a": [1]}, "zero": 0} for row in ROWS]
    table.holds(holds, [*ROWS, *one_key, *all_but_one])
    for row in unknown:
        assert plainjson.loads(sources.encode([only(plainjson.dumps(row))])).items() >= row.items()


def test_a_key_that_makes_no_sense_is_unknown_and_costs_no_entry() -> None:
    bad_about: list[object] = [
        "src/a.py", ["src/a.py"], ["src/a.py", 7], ["/etc/passwd", "ef" * 32], ["../a", "ef" * 32], ["a/../../b", "x"],
        ["", "x"], ["a\0b", "x"], ["a//b", "x"], ["a\n# Now", "x"],
        ["a\u202eb", "x"], ["a\x1b[2J", "x"], ["a\udc80", "x"], {"path": "a"}, None,
    ]  # fmt: skip
    bad: list[dict[str, object]] = [
        *({"about": value} for value in bad_about),
        *({"confirmed": value} for value in ("2026-03-02", [7], ["2026-02-30"], [[]], None, {})),
    ]

    def holds(keys: dict[str, object]) -> None:
        one = only(plainjson.dumps({**ROWS[0], **keys}))
        assert (one.about, one.confirmed) == (None, ())

    table.holds(holds, bad)


def test_the_newest_days_of_many_are_kept() -> None:
    days = [f"2026-03-{day:02}" for day in (9, 3, 3, 1, 30, 12, 7)]

    assert Made("ab", [], day="", run="", confirmed=days).confirmed == tuple(sorted({*days})[-5:])


def test_a_row_with_other_keys_is_the_same_in_all_else() -> None:
    for row in ROWS:
        one = only(plainjson.dumps({**row, **KEYS, "later": 1}))
        later = one.with_keys(state="retired", until="")

        changed = plainjson.loads(sources.encode([later]))
        assert "until" not in changed
        assert {**changed, "state": "superseded", "until": KEYS["until"]} == plainjson.loads(sources.encode([one]))


def test_a_row_of_an_earlier_version_about_a_line_without_room_is_understood() -> None:
    row = '{"waits":"aa","text":"Ask Ana first","day":"2026-10-01","sources":[],"run":"r1"}\n'

    assert sources.decode(row).unread == []
