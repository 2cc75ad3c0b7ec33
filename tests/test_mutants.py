"""`make mutants`: what it breaks, which tests it asks, and that the tree stays as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import mutants  # noqa: E402

SOURCE = '''"""A shop: 12 ovens."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3


def is_open(hour: int = 9, name: str = "") -> bool:
    """Whether it is open at 9."""
    if not name and 9 <= hour < 18:
        return f"{hour}:00" == "x" or True
    return None
'''


def changes(source: str, *lines: int) -> list[tuple[str, str]]:
    found = mutants.mutants("a.py", source.encode(), set(lines) or set(range(1, 99)))
    return [(one.before, one.after) for one in found]


def test_each_kind_of_change_is_made_and_nothing_else() -> None:
    assert changes(SOURCE) == [
        ("9", "(10)"),
        ("9", "(8)"),
        ("not name", "(name)"),
        ("not name and 9 <= hour < 18", "(not name or 9 <= hour < 18)"),
        ("9", "(10)"),
        ("9", "(8)"),
        ("9 <= hour < 18", "(9 < hour < 18)"),
        ("9 <= hour < 18", "(9 <= hour <= 18)"),
        ("18", "(17)"),
        ("18", "(19)"),
        ('f"{hour}:00" == "x"', "(f'{hour}:00' != 'x')"),
        ('f"{hour}:00" == "x" or True', "(f'{hour}:00' == 'x' and True)"),
        ('f"{hour}:00" == "x" or True', "None"),
        ('"x"', "''"),
        ("True", "False"),
    ]


def test_only_lines_that_changed_are_mutated() -> None:
    assert changes(SOURCE, 1, 6, 10, 13) == []
    assert changes(SOURCE, 9) == [("9", "(10)"), ("9", "(8)")]


def test_every_mutant_differs_and_can_be_read() -> None:
    source = ("# Zürich\nx = 'Zürich' if 'ü' < 'z' else b'x'\n" + SOURCE).encode()

    for one in mutants.mutants("a.py", source, set(range(1, 99))):
        assert one.applied(source) != source
        compile(one.applied(source), "a.py", "exec")


def git(folder: Path, *words: str) -> str:
    return mutants._git(folder, "-c", "user.name=Sam", "-c", "user.email=sam@example.org", *words)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small package with its tests, one line of which differs from what is committed, and a new module."""
    root = tmp_path / "repository"
    for name, text in {
        "agentws/__init__.py": "",
        "agentws/planning/__init__.py": "",
        "agentws/planning/shop.py": "def is_open(hour):\n    return hour > 3\n\n\ndef ovens():\n    return 12\n",
        "tests/planning/test_shop.py": "from agentws.planning.shop import is_open\n\n"
        "def test_a():\n    assert is_open(12)\n    assert not is_open(4)\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "A shop")
    shop = root / "agentws" / "planning" / "shop.py"
    shop.write_text(shop.read_text().replace("hour > 3", "hour > 9"))
    (root / "agentws" / "planning" / "street.py").write_text("LENGTH = 1\n")
    return root


def test_what_differs_is_asked_of_git_with_new_files(repository: Path) -> None:
    assert mutants.changed(repository, mutants.base_of(repository)) == {
        "agentws/planning/shop.py": {2},
        "agentws/planning/street.py": {1, 2},
    }


def test_the_tests_beside_a_module_are_those_of_its_name_and_those_that_import_it() -> None:
    of = {
        name: mutants.tests_of(ROOT, f"agentws/{name}.py")
        for name in ("core/formats/documents/daily", "core/notes/reference")
    }

    assert of["core/formats/documents/daily"][0] == "tests/core/formats/documents/test_daily.py"
    assert "tests/test_docs.py" in of["core/formats/documents/daily"]
    assert of["core/notes/reference"][0] == "tests/core/notes/test_reference.py"
    assert (
        mutants.tests_of(ROOT, "agentws/features/memory/compact/plan/__init__.py")[0]
        == "tests/features/memory/compact/plan"
    )
    assert mutants.tests_of(ROOT, "agentws/core/notes/no_such_module.py") == ["tests/core/notes"]


def test_a_module_without_tests_of_its_name_has_those_of_its_folder_or_of_what_imports_it() -> None:
    of = {
        name: mutants.tests_of(ROOT, f"agentws/{name}.py")
        for name in ("features/history/undo/whose", "features/copies/migrate/handover")
    }

    assert of["features/history/undo/whose"][0] == "tests/features/history"
    assert of["features/copies/migrate/handover"][0] == "tests/features/copies"
    assert mutants.tests_of(ROOT, "agentws/features/doctor/status/apply.py") == ["tests/features/doctor"]
    assert len(mutants.tests_of(ROOT, "agentws/errors.py")) == mutants.MOST_FILES


@pytest.mark.slow
def test_a_survivor_is_told_from_what_a_test_notices_and_the_tree_is_untouched(
    repository: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    sample = mutants.mutants("agentws/planning/shop.py", (repository / "agentws/planning/shop.py").read_bytes(), {2})

    found = {one.after: survived for one, survived in mutants.survivors(repository, sample, tmp_path)}

    assert found == {"(hour >= 9)": True, "(10)": True, "(8)": True, "None": False}
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_nothing_is_said_of_tests_that_fail_anyway(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "tests" / "planning" / "test_shop.py").write_text("def test_a():\n    assert 0\n")
    sample = [mutants.Mutant("agentws/planning/shop.py", 1, 0, 0, "", "# x\n")]

    assert list(mutants.survivors(repository, sample, tmp_path)) == []
    assert "the tests of agentws/planning/shop.py fail as they are" in capsys.readouterr().out


def test_a_tree_that_does_not_differ_has_no_mutants() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "mutants.py", "--count", "0"], capture_output=True, text=True, check=True
    )

    assert "0 survived, 0 were noticed" in done.stdout
