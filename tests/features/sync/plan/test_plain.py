"""Text that is no prose: places that one side changed are taken, one that both changed leaves the file whole."""

from __future__ import annotations

from tests.features.sync.plan.sides import both, text

CODE = "import fig\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"


def test_two_places_are_two_changes() -> None:
    ours, theirs = CODE.replace("return 1", "return 10"), CODE.replace("import fig\n", "import fig\nimport rose\n")

    assert text("knowledge/a.py", CODE, ours, theirs) == ours.replace("import fig\n", "import fig\nimport rose\n")
    assert text("knowledge/a.csv", "a,1\nb,2\nc,3\n", "a,1\nb,2\n", "a,9\nb,2\nc,3\n") == "a,9\nb,2\n"


def test_one_place_that_both_changed_leaves_the_file_whole() -> None:
    for base, ours, theirs in [
        (CODE, CODE.replace("return 1", "return 3"), CODE.replace("return 1", "return 4")),
        (CODE, CODE + "x\n", CODE + "y\n"),
        (CODE, CODE.replace("def b", "x\n\ndef b"), CODE.replace("\n\n\ndef b", "\n\ndef b")),
    ]:
        merged = both("knowledge/a.py", base.encode(), ours.encode(), theirs.encode())
        assert merged.content in (ours.encode(), theirs.encode())
        assert [conflict.what for conflict in merged.conflicts] == ["file"]
    assert both("knowledge/a.py", None, b"a\n", b"b\n").conflicts
