"""Breaks what a branch changed, one small thing at a time, and lists what no test noticed.

A mutant is the tree with one comparison, number, constant, `and`/`or`, `not` or return value of a changed line turned
into another. It is run against the tests beside its module, in a copy: the tree itself is never touched. The sample is
the same each time for the same lines. A survivor is a question: is a test missing, or does the change not matter?
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "agentws"
AT_ONCE = 2
MOST_CPU_S = 240
MOST_FILES = 8
"""So many files of tests are run for a module: more cost minutes a mutant."""
_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Mutant(NamedTuple):
    """One change: in the file `path` the bytes from `start` to `end` become `after`."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """The source with the change made."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(path: str, source: bytes, lines: set[int]) -> list[Mutant]:
    """Every mutant of a module whose place begins on one of `lines`, in the order of the source."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, after in _changes(ast.parse(source)):
        if node.lineno in lines and node.end_lineno is not None and node.end_col_offset is not None:
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            found.append(Mutant(path, node.lineno, start, end, source[start:end].decode(), after))
    return sorted(found, key=lambda one: one[1:])


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Each expression that a mutant replaces, and what it becomes."""
    for node in _code(tree):
        if isinstance(node, ast.Compare):
            for place, operator in enumerate(node.ops):
                other = copy.deepcopy(node)
                other.ops[place] = _SWAPPED[type(operator)]()
                yield node, f"({ast.unparse(other)})"
        elif isinstance(node, ast.BoolOp):
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(other_op, node.values))})"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Constant):
            yield from ((node, after) for after in _constants(node.value))
        elif isinstance(node, ast.Return) and node.value and not _is_none(node.value):
            yield node.value, "None"


def _constants(value: object) -> list[str]:
    if isinstance(value, bool):
        return [repr(not value)]
    if isinstance(value, int | float):
        return [f"({value + 1!r})", f"({value - 1!r})"]
    return ["''"] if isinstance(value, str) and value else ["b''"] if isinstance(value, bytes) and value else []


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What runs: no docstring, no annotation, no literal in an f-string, nothing that only type checkers read."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
        return
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            is_said = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and name not in ("annotation", "returns") and not is_said:
                yield from _code(child)


def changed(root: Path, base: str) -> dict[str, set[int]]:
    """The lines of each module of the package that differ from `base`, those of new files too."""
    lines: dict[str, set[int]] = {}
    for name in _git(root, "diff", "--name-only", "--diff-filter=d", base, "--", f"{PACKAGE}/*.py").split("\n"):
        if name:
            hunks = _HUNK.findall(_git(root, "diff", "-U0", base, "--", name))
            lines[name] = {int(at) + n for at, count in hunks for n in range(int(count or 1))}
    for name in _git(root, "ls-files", "--others", "--exclude-standard", "--", f"{PACKAGE}/*.py").split("\n"):
        if name:
            lines[name] = set(range(1, (root / name).read_bytes().count(b"\n") + 2))
    return lines


def base_of(root: Path) -> str:
    """Where this branch left the main one: its upstream, where it has one."""
    for main in ("main@{upstream}", "origin/main", "main"):
        done = subprocess.run(
            ["git", "merge-base", "HEAD", main], cwd=root, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return done.stdout.strip()
    raise SystemExit("There is no branch main here. Name what to compare with: make mutants BASE=REV")


def tests_of(root: Path, module: str) -> list[str]:
    """The tests nearest to a module: beside it, else of its folder, else of what imports it, else all of its room."""
    seen: list[str] = []
    near = [module]
    while near:
        for one in near:
            found = _beside(root, one)
            if all(path.parent == root / "tests" for path in found):  # above the floors: of documents, and lists
                found = _of_folder(root, one)
            if found:
                return [str(path.relative_to(root)) for path in found[:MOST_FILES]]
        seen += near
        near = [one for name in near for one in _importers(root, name) if one not in seen]
    room = root.joinpath("tests", *Path(module).parts[1:-1])
    while not any(room.rglob("test_*.py")):
        room = room.parent
    return [str(room.relative_to(root))]


def _beside(root: Path, module: str) -> list[Path]:
    """The tests of a module's own name, of the folder of its name, and those that import it."""
    *room, name = _dotted(module)
    folder = root.joinpath("tests", *room[1:])
    own = [*sorted(folder.glob(f"test_{name}.py")), *sorted(folder.glob(f"test_{name}_*.py")), folder / name]
    imports = _imports(module)
    tests = [path for path in sorted((root / "tests").rglob("test_*.py")) if own[-1] not in path.parents]
    return [path for path in own if path.exists() and room] + [
        path for path in tests if path not in own and imports.search(path.read_text(encoding="utf-8"))
    ]


def _of_folder(root: Path, module: str) -> list[Path]:
    """The tests that bear the name of the module or of the innermost folder around it, where it has a floor."""
    places = (root / "tests" / Path(module).parts[1], root / "tests")
    for name in reversed(_dotted(module)[2:]):
        named = [path for place in places for path in (place / name, *sorted(place.glob(f"test_{name}*.py")))]
        if found := [path for path in named if path.exists()]:
            return found
    return []


def _importers(root: Path, module: str) -> list[str]:
    imports = _imports(module)
    found = (
        path for path in sorted((root / PACKAGE).rglob("*.py")) if imports.search(path.read_text(encoding="utf-8"))
    )
    return [str(path.relative_to(root)) for path in found]


def _imports(module: str) -> re.Pattern[str]:
    *room, name = map(re.escape, _dotted(module))
    package = r"\.".join(room)
    # A statement: a test that only names a module, in a list of all, tells nothing of it.
    names = rf"from {package} import (?:[^\n(]*|\([^)]*)\b{name}\b|(?:from|import) {package}\.{name}\b"
    return re.compile(rf"^[ \t]*(?:{names})", re.MULTILINE)


def _dotted(module: str) -> tuple[str, ...]:
    parts = Path(module).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def copied(root: Path, place: Path) -> Path:
    """A copy of the tree in `place`, with an environment whose `agentws` is the copy's own."""
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, place / name)
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    venv.create(place / ".venv", symlinks=True)
    python = place / ".venv" / "bin" / "python"
    packages = next((place / ".venv" / "lib").glob("python*/site-packages"))
    own = Path(sys.prefix, *packages.relative_to(place / ".venv").parts)
    for one in own.iterdir():
        if one.name != PACKAGE and not (one.suffix == ".pth" and PACKAGE in one.name):  # the real tree, in place
            (packages / one.name).symlink_to(one)
    (packages / "copy.pth").write_text(f"{place}\n")
    script = python.parent / PACKAGE
    (door,) = entry_points(group="console_scripts", name=PACKAGE)
    script.write_text(f"#!{python}\nimport sys\nfrom {door.module} import {door.attr}\nsys.exit({door.attr}())\n")
    script.chmod(0o755)
    return place


def failure(place: Path, tests: list[str]) -> str:
    """What the tests of a copy say where they fail, empty where they pass; one that never ends fails too."""
    words = [".venv/bin/python", "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *tests]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "GIT_"))}
    done = subprocess.run(
        [str(place / words[0]), *words[1:]], cwd=place, env=clean, stdin=subprocess.DEVNULL, capture_output=True,
        preexec_fn=_bounded, check=False, errors="replace",
    )  # fmt: skip
    return done.stdout[-2000:] or f"pytest ended with {done.returncode}" if done.returncode else ""


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))


def survivors(root: Path, sample: list[Mutant], place: Path) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant with whether it survived, but those of modules whose tests fail as they are: these are printed."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for n in range(AT_ONCE):
        copies.put(copied(root, place / str(n)))
    tests = {path: tests_of(root, path) for path in sorted({one.path for one in sample})}

    def with_a_copy(path: str, mutant: Mutant | None) -> str:
        free = copies.get()
        file = free / path
        source = file.read_bytes()
        try:
            if mutant:
                file.write_bytes(mutant.applied(source))
            return failure(free, tests[path])
        finally:
            file.write_bytes(source)
            copies.put(free)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for path, failed in zip(list(tests), pool.map(lambda path: with_a_copy(path, None), tests), strict=True):
            if failed:
                print(
                    f"{failed}\nnot tried: the tests of {path} fail as they are: {' '.join(tests.pop(path))}",
                    flush=True,
                )
        sample = [one for one in sample if one.path in tests]
        for one, failed in zip(sample, pool.map(lambda one: with_a_copy(one.path, one), sample), strict=True):
            yield one, not failed


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print each survivor as it is found, and how many there were."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--base", default="", help="the revision to compare with (where this branch left main)")
    asked.add_argument("--count", type=int, default=60, help="how many mutants are tried (60)")
    asked.add_argument("--seed", type=int, default=0, help="which sample (0)")
    given = asked.parse_args()
    base = given.base or base_of(ROOT)
    lines = changed(ROOT, base)
    every = [one for path in sorted(lines) for one in mutants(path, (ROOT / path).read_bytes(), lines[path])]
    sample = sorted(random.Random(given.seed).sample(every, min(given.count, len(every))))
    print(f"{len(sample)} of {len(every)} mutants in what differs from {base[:12]}", flush=True)
    tried = alive = 0
    with tempfile.TemporaryDirectory() as place:
        for one, survived in survivors(ROOT, sample, Path(place)) if sample else ():
            tried, alive = tried + 1, alive + survived
            if survived:
                print(f"survived: {one.path}:{one.line}: {one.before} → {one.after}", flush=True)
    print(f"{alive} survived, {tried - alive} were noticed")
    if tried < len(sample):
        raise SystemExit(f"{len(sample) - tried} were not tried (see above).")


if __name__ == "__main__":
    main()
