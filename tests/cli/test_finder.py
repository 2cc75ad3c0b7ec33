"""The quicker way to our own modules finds what Python finds, and believes no compiled code that is not theirs."""

from __future__ import annotations

import importlib.machinery
import os
import py_compile
import sys
from pathlib import Path

import pytest

import agentws
from agentws.cli.finder import Finder, install

PACKAGE = Path(agentws.__file__).parent


def modules() -> list[str]:
    """All of the package, with the package that each lies in."""
    files = [path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.py")]
    names = [".".join(path.parts).removesuffix(".__init__") for path in files]
    return sorted(name for name in names if name != "agentws" and "__main__" not in name)


def test_each_module_is_found_as_python_finds_it() -> None:
    fields = ("name", "origin", "cached", "submodule_search_locations", "has_location", "parent")
    wrong = []
    for name in modules():
        path = [str(PACKAGE.parent.joinpath(*name.split(".")[:-1]))]
        ours, theirs = Finder.find_spec(name, path), importlib.machinery.PathFinder.find_spec(name, path)
        if [getattr(ours, one) for one in fields] != [getattr(theirs, one) for one in fields]:
            wrong.append(name)

    assert len(modules()) > 400
    assert not wrong


@pytest.mark.parametrize("name", ["json", "agentws", "agentwsx.errors", "agentws.no_such_module"])
def test_what_is_not_ours_or_not_there_is_left_to_python(name: str) -> None:
    assert Finder.find_spec(name, [str(PACKAGE)]) is None


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A module of ours that says 1, compiled."""
    source = tmp_path / "one.py"
    source.write_text("SAYS = 1\n")
    os.utime(source, (1_000_000_000, 1_000_000_000))
    py_compile.compile(str(source))
    return source


def said(source: Path) -> object:
    spec = Finder.find_spec("agentws.one", [str(source.parent)])
    told: dict[str, object] = {}
    exec(spec.loader.get_code("agentws.one"), told)
    return told["SAYS"]


def test_compiled_code_of_another_source_is_not_believed(ours: Path) -> None:
    assert said(ours) == 1
    ours.write_text("SAYS = 2\n")
    os.utime(ours, (1_000_000_002, 1_000_000_002))
    assert said(ours) == 2
    ours.write_text("SAYS = 33\n")
    os.utime(ours, (1_000_000_002, 1_000_000_002))
    assert said(ours) == 33


@pytest.mark.parametrize("kept", [0, 7, 15])
def test_compiled_code_that_is_cut_off_is_not_believed(ours: Path, kept: int) -> None:
    compiled = next(ours.parent.rglob("*.pyc"))
    compiled.write_bytes(compiled.read_bytes()[:kept])

    assert said(ours) == 1


@pytest.mark.parametrize("place", ["/somewhere", None])
def test_it_stands_aside_where_compiled_code_lies_elsewhere(monkeypatch: pytest.MonkeyPatch, place: str | None) -> None:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "pycache_prefix", place)
    before = len(sys.meta_path)

    install()

    assert len(sys.meta_path) - before == (place is None)
