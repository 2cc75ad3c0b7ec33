import pytest

from agentws.features.sync.plan import file
from agentws.features.sync.plan.merged import FILE, REMOVAL, Conflict
from tests.features.sync.plan.sides import merge


def test_one_side_alone_is_taken_as_it_is() -> None:
    for base, ours, theirs, wanted in [
        (b"a", b"a", b"b", b"b"),
        (b"a", b"b", b"a", b"b"),
        (b"a", b"b", b"b", b"b"),
        (b"a", None, b"a", None),
        (None, b"b", None, b"b"),
        (None, None, None, None),
    ]:
        merged = merge("picture.png", base, ours, theirs)
        assert merged.content == wanted
        assert not merged.conflicts


def test_of_two_files_that_cannot_be_merged_one_stays_on_every_machine_and_the_other_is_in_the_conflict() -> None:
    merged = merge("picture.png", b"\x00", b"\x00one", b"\x00two")
    turned = merge("picture.png", b"\x00", b"\x00two", b"\x00one")
    assert merged.content == turned.content == b"\x00two"
    (conflict,) = merged.conflicts
    assert conflict == Conflict("picture.png", FILE, "", b"\x00", b"\x00one", b"\x00two")
    assert turned.conflicts == (conflict.turned,)
    assert conflict.id == turned.conflicts[0].id
    assert len(conflict.id) == 8


def test_an_edit_wins_over_a_removal() -> None:
    merged = merge("picture.png", b"\x00", None, b"\x00two")
    assert merged.content == b"\x00two"
    assert [conflict.what for conflict in merged.conflicts] == [REMOVAL]


@pytest.mark.parametrize("count", [file.MOST_CONFLICTS, file.MOST_CONFLICTS + 1])
def test_with_very_many_conflicts_a_file_is_one_and_both_sides_stand_in_it(count: int) -> None:
    base, ours, theirs = (
        "# Memory\n\n" + "".join(f"- fact {number} {words}\n" for number in range(count))
        for words in ("alpha beta", "alpha gamma", "delta beta")
    )
    theirs += "- Anna drinks tea\n"

    merged = merge("MEMORY.md", base.encode(), ours.encode(), theirs.encode())
    turned = merge("MEMORY.md", base.encode(), theirs.encode(), ours.encode())

    lines = merged.content.decode().splitlines() if merged.content else []
    assert {*ours.splitlines(), *theirs.splitlines()} <= {*lines}
    assert merged.content == turned.content
    if count == file.MOST_CONFLICTS:
        assert len(merged.conflicts) == count
        return
    (conflict,) = merged.conflicts
    assert (conflict.what, conflict.ours, conflict.theirs) == (FILE, ours.encode(), theirs.encode())
    assert conflict.id == turned.conflicts[0].id


@pytest.mark.parametrize("path", ["identity/ask-rules.toml", "identity/approvers"])
def test_what_was_signed_as_a_whole_stays_whole(path: str) -> None:
    base, ours, theirs = b"a = 1\nb = 1\n", b"a = 2\nb = 1\n", b"a = 1\nb = 2\n"

    merged = merge(path, base, ours, theirs)

    assert merged.content == merge(path, base, theirs, ours).content
    assert merged.content in (ours, theirs)
    (conflict,) = merged.conflicts
    assert (conflict.path, conflict.what) == (path, FILE)


@pytest.mark.parametrize(("forgets", "stays"), [(True, False), (False, True)])
def test_a_line_that_was_taken_away_and_ticked_elsewhere_goes_where_something_was_forgotten(
    forgets: bool, stays: bool
) -> None:
    base = b"# Garden\n\n- [ ] call Zoe\n- water\n"
    ours, theirs = base.replace(b"- [ ] call Zoe\n", b""), base.replace(b"[ ]", b"[x]")

    made = merge("MEMORY.md", base, ours, theirs, forgets=forgets)

    assert (b"Zoe" in (made.content or b""), bool(made.conflicts)) == (stays, stays)
