"""Three states of a workspace become the same one in whatever order they meet, and hold what none of them took away.

Files of their own are asked in test_properties.py; here it is what only whole trees show, and each kind of file that
agentws writes for itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable

import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.formats.documents import checkpoint
from agentws.core.formats.journal import chain, packed, segment
from tests.features.sync.plan.journals import ONE, OTHER, Journal
from tests.features.sync.plan.sides import MEMORY, SETTINGS, both, edited, edits, merge, texts
from tests.features.sync.plan.test_properties import HEAD, is_associative, tasks, units
from tests.features.sync.plan.trees import Files, merged

BOTH_ORDERS = "which side is ours makes a difference"


def together(base: Files, one: Files, other: Files) -> Files:
    """The files of two states, the same whichever is ours; each of them has nothing to add to that."""
    made = merged(base, one, other)[0]
    assert merged(base, other, one)[0] == made, BOTH_ORDERS
    assert merged(one, made, one)[0] == merged(one, one, made)[0] == made
    assert merged(base, made, made)[0] == made
    return made


def all_three(base: Files, one: Files, two: Files, three: Files) -> Files:
    """The files of three states, in whatever order they meet."""
    made = together(base, together(base, one, two), three)
    assert together(base, one, together(base, two, three)) == made
    assert together(base, together(base, one, three), two) == made
    return made


# Journals


@st.composite
def journals(draw: st.DrawFn, writer: str) -> Journal:
    """A journal of some segments, of which the last may retire a beginning."""
    made = Journal(writer)
    for number in range(draw(st.integers(1, 4))):
        made.add(*(f"{number} {at} शब्द" for at in range(draw(st.integers(0, 3)))), fresh=True)
    if len(made.segments) > 1 and draw(st.booleans()):
        made.add(made.retirement(draw(st.integers(1, len(made.segments) - 1))))
        made.add(*("after",) * draw(st.integers(0, 2)))
    return made


@st.composite
def copies(draw: st.DrawFn, whole: Journal) -> tuple[Files, set[int]]:
    """What one machine has of a journal, and the numbers of the events that it has purged."""
    known = Journal(whole.writer)
    known.segments = [list(lines) for lines in whole.segments[: draw(st.integers(1, len(whole.segments)))]]
    known.segments[-1] = known.segments[-1][: draw(st.integers(1, len(known.segments[-1])))]
    lines = [line for each in known.segments for line in each]
    notes = [segment.seq_of(line) for line in lines if b'"kind":"note"' in line]
    purged = draw(st.sets(st.sampled_from(notes))) if notes else set()
    pack = draw(st.sets(st.integers(1, len(known.segments) - 1))) if len(known.segments) > 1 else set()
    knows = retired(lines)
    gone = draw(st.integers(0, knows)) if knows else 0
    return known.files(pack=[*pack], purge=[*purged], gone=gone), purged


def retired(lines: Iterable[bytes]) -> int:
    """The last segment that an event among these lines retires, 0 for none."""
    found = [line.partition(b'"through":')[2] for line in lines if b'"kind":"segments.retired"' in line]
    return max((int(each.partition(b",")[0]) for each in found), default=0)


def events(files: Files) -> dict[tuple[str, int], bytes]:
    """Each line by its writer and number; AssertionError where one stands twice."""
    found: dict[tuple[str, int], bytes] = {}
    for path, data in files.items():
        content = packed.unpack(data, 1 << 20) if path.endswith(segment.GZ) else data
        for line in content.splitlines():
            key = path.split("/")[1], segment.seq_of(line)
            assert key not in found, f"{key} stands twice"
            found[key] = line
    return found


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_journals(data: st.DataObject) -> None:
    whole = [data.draw(journals(writer)) for writer in (ONE, OTHER)]
    sides: list[Files] = [{}, {}, {}]
    purged: set[tuple[str, int]] = set()
    for journal in whole:
        for side in sides:
            files, gone = data.draw(copies(journal))
            side.update(files)
            purged |= {(journal.writer, seq) for seq in gone}

    made = events(all_three({}, *sides))

    for journal in whole:
        lines = [line for side in sides for key, line in events(side).items() if key[0] == journal.writer]
        through = retired(lines)
        beginning = {segment.seq_of(line) for lines in journal.segments[:through] for line in lines}
        seen = {segment.seq_of(line) for line in lines}
        has = {seq for writer, seq in made if writer == journal.writer}
        assert seen - beginning <= has <= seen
    for key, line in made.items():
        assert chain.was_purged(line) or key not in purged, f"{key} was purged and is back"


# Checkpoints

TEXTS = [letter * checkpoint.BLOB_BYTES for letter in "ab"]
SAVED = [
    checkpoint.encode(
        {"task": "roof", "seq": n + 1, "at": "2026-11-20T06:15:00Z"}, checkpoint.body({"n": n, "t": text})
    )
    for n, text in enumerate(("", *TEXTS, TEXTS[0], "瓦"))
]


def saved(numbers: Iterable[int]) -> Files:
    """So many of the checkpoints as files, with the texts that they need."""
    found = {}
    for one in (SAVED[number] for number in numbers):
        found[checkpoint.path("roof", one.header.id)] = one.content
        found |= {checkpoint.blob_path(name): text for name, text in one.blobs.items()}
    return found


@given(*[st.sets(st.integers(0, len(SAVED) - 1))] * 4)
@settings(deadline=None, max_examples=60)
def test_checkpoints(base: set[int], one: set[int], two: set[int], three: set[int]) -> None:
    sides = (one, two, three)

    made = all_three(saved(base), *map(saved, sides))

    kept = set.union(*sides) - set().union(*(base - side for side in sides))
    assert {path for path in made if not checkpoint.is_blob(path)} == {
        path for path in saved(kept) if not checkpoint.is_blob(path)
    }
    assert saved(kept).items() <= made.items(), "a checkpoint lacks its text"


# Approvals

STATUSES = ("pending", "approved", "rejected", "expired", "used", "disputed")
APPROVAL = "approvals/0f3a9c.md"


def approval(status: str) -> bytes:
    return f"---\nstatus: {status}\nrisk: high\n---\n# Pay the deposit?\n".encode()


@given(*[st.sampled_from(STATUSES)] * 3)
def test_approvals(one: str, two: str, three: str) -> None:
    sides = [{APPROVAL: approval(status)} for status in (one, two, three)]

    made = all_three({APPROVAL: approval("pending")}, *sides)[APPROVAL]

    assert made in [side[APPROVAL] for side in sides]
    assert made != approval("pending") or {one, two, three} == {"pending"}
    assert made == approval("disputed") or "disputed" not in {one, two, three}
    if {one, two} in ({"approved", "rejected"}, {"used", "rejected"}):
        assert both(APPROVAL, approval("pending"), approval(one), approval(two)).conflicts


# What a person or a verb writes


@pytest.mark.parametrize(
    "path", ["handoffs/2026-11-20T0615.md", "context/roof.md", "notes/plan.md", "tasks/archive/2026/move.md"]
)
@given(tasks(), tasks(), tasks())
@settings(deadline=None, max_examples=30)
def test_fields_of_each_kind_of_document(path: str, one: str, two: str, three: str) -> None:
    assert is_associative(path, HEAD, one, two, three)


TABLES = 'title = "x"\n[sync]\ninclude = ["a", "b"]\nlease = "off"\n[identity]\nmode = "warn"\n'
SET = (
    ('["a", "b"]', ('["a"]', '["b", "c"]', '["a", "b", "d"]')),
    ('lease = "off"', ('lease = "warn"', 'lease = "require"')),
    ('mode = "warn"', ('mode = "require"', 'mode = "warn"\nkeys = ["k"]')),
    ('title = "x"', ('title = "y"', 'title = "ø"')),
    ("[identity]", ('[backup]\nkeep = "7"\n[identity]', '[extra]\nwords = ["言葉"]\n[identity]')),
)


@st.composite
def manifests(draw: st.DrawFn) -> str:
    made = TABLES
    for old, new in SET:
        made = made.replace(old, draw(st.sampled_from((old, *new))))
    return made


@given(manifests(), manifests(), manifests())
@settings(deadline=None, max_examples=60)
def test_settings_say_the_same(one: str, two: str, three: str) -> None:
    sides = [side.encode() for side in (one, two, three)]

    said = [tomllib.loads(made.decode()) for made in orders(SETTINGS, TABLES.encode(), *sides)]

    assert said[0] == said[1] == said[2]
    wanted = [tomllib.loads(side) for side in (one, two, three)]
    assert said[0]["identity"]["mode"] in {each["identity"]["mode"] for each in wanted}
    assert {*said[0]} == set().union(*wanted)


@given(texts, st.tuples(edits, edits, edits))
@settings(deadline=None, max_examples=60)
def test_documents_hold_what_no_side_removed(text: str, programs: tuple[list[tuple[int, str, str]], ...]) -> None:
    base = text.encode()
    one, two, three = (edited(text, program).encode() for program in programs)
    had, sides = units(base), [units(side) for side in (one, two, three)]

    for made in (units(each) for each in orders(MEMORY, base, one, two, three)):
        assert {*made} <= {line for side in sides for line in side}
        for line in {line for side in sides for line in side}:
            removed = sum(max(had[line] - side[line], 0) for side in sides)
            assert made[line] or max(side[line] for side in sides) <= removed


def orders(path: str, base: bytes, one: bytes, two: bytes, three: bytes) -> list[bytes]:
    """What three sides lead to, in each order in which they may meet."""

    def made(first: bytes, second: bytes) -> bytes:
        return merge(path, base, first, second).content or b""

    return [made(made(one, two), three), made(one, made(two, three)), made(made(one, three), two)]
