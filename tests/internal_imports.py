"""Count the imports between modules of agentws: `python -m tests.internal_imports` (the lazy ones count too)."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FEATURES = ("agentws", "features")


def levels() -> dict[str, int]:
    """Return the level of each feature, 0 for the lowest, as pyproject.toml has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "features")
    return {name: level for level, layer in enumerate(reversed(layers)) for name in layer.split(" | ")}


@cache
def imports() -> list[tuple[str, str]]:
    """Return the (importer, imported) pairs of modules of agentws, each once."""
    paths = {_name(path): path for path in sorted((ROOT / "agentws").rglob("*.py"))}
    found = []
    for importer, path in paths.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                members = {f"{node.module}.{alias.name}" for alias in node.names}
                imported |= {member if member in paths else node.module for member in members}
        found += [(importer, name) for name in sorted(imported & paths.keys())]
    return found


def area(module: str) -> str:
    """Return the feature that a module belongs to, "core" for it and what it stands on, else the last name."""
    parts = module.split(".")
    if tuple(parts[:2]) == FEATURES:
        return parts[2] if len(parts) > 2 else "table"
    return "core" if parts[1:2] in (["core"], ["changes"], ["errors"]) else parts[-1]


def areas(pair: tuple[str, str]) -> tuple[str, str]:
    """Return the areas of an importer and of what it imports."""
    return area(pair[0]), area(pair[1])


def between_features() -> Counter[tuple[str, str]]:
    """Return how many imports each feature has of each other one."""
    features = levels().keys()
    return Counter(pair for pair in map(areas, imports()) if set(pair) <= features and pair[0] != pair[1])


def report() -> str:
    """Return the numbers as text."""
    features = levels()
    of_features = [pair for pair in map(areas, imports()) if pair[0] in features]
    inside = sum(importer == imported for importer, imported in of_features)
    core = sum(imported == "core" for _, imported in of_features)
    crossing = between_features()
    total = len(of_features)
    lines = [f"{total:5} imports by modules of features, of which"]
    for count, what in (
        (inside, "stay in the feature"),
        (core, "go to the core"),
        (crossing.total(), "cross features"),
    ):
        lines.append(f"{count:5} {what} ({count / total:.0%})")
    lines += ["", f"{len(crossing)} pairs of features:"]
    for (importer, imported), count in sorted(crossing.items()):
        upwards = "" if features[importer] > features[imported] else "  not downwards"
        lines.append(f"{count:5} {importer} -> {imported}{upwards}")
    return "\n".join(lines)


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


if __name__ == "__main__":
    print(report())
