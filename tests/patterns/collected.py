"""Every regular expression of the package, with the ways in which the code calls it, found without a list.

Patterns that a module or a class holds are found by importing everything and looking into every value; a call of `re`
within a function is found in the syntax tree, and its pattern is read where it is a literal or the name of a constant.
What a function puts together from its arguments stands in `MADE`, with arguments to make one.
"""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import agentws
from agentws.core.formats.secrets import checks, shapes
from agentws.core.text.lazy import Pattern
from agentws.features.daily import docs
from agentws.features.forget.plan import wanted
from agentws.features.memory.curate.plan import evidence
from tests import optional

ALL = ("match", "fullmatch", "finditer")
"""What stands for every method where it is not known which are called: `search`, `sub` and `split` go like the last."""
_SAME = {"search": "finditer", "findall": "finditer", "sub": "finditer", "subn": "finditer", "split": "finditer"}
_OF_RE = {"compile", "match", "fullmatch", "finditer", *_SAME}
_MADE_OF = {"Pattern"}
_NAMED = re.compile(rb"\b(?:re|Pattern)\b")


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and the methods that are called of it."""

    where: str
    source: str | bytes
    flags: int
    methods: tuple[str, ...]


def _names_forgotten() -> Iterator[re.Pattern[str]]:
    names = ["Sam van Tester", "Łukasz Ößtester", "J. R. Tester", "민수", "سارة التجريبي", "נועם", "राम नमूना", "李明"]
    texts = ["sam's tests", "two words"]
    yield from (one.pattern for _, some in wanted.Wanted(matching=texts, subjects=names)._folds for one in some)


MADE: dict[str, Callable[[], Iterable[re.Pattern[str]]]] = {
    "agentws.core.formats.secrets.checks._compiled": lambda: map(
        checks._compiled, [pattern for _, _, pattern in shapes.RULES]
    ),
    "agentws.features.daily.docs._word": lambda: [docs._word("maple")],
    "agentws.features.forget.plan.wanted.__init__": _names_forgotten,
    "agentws.features.memory.curate.plan.evidence._alone": lambda: map(evidence._alone, ("maple", "x.co", "金")),
    "agentws.features.transfer.sources.reader._elements": lambda: [
        re.compile(rb'"(?:%s)"\s*:\s*\Z' % b"|".join((b"results", b"memories")))
    ],
    # Escaped words of one entry, and what a user wrote, which has a limit of time in a process of its own.
    "agentws.features.exam.suggest._questions": lambda: [re.compile(r"\s+".join(("Never", "write")))],
    "agentws.features.exam.matcher._first_match": lambda: (),
    # Wrappers: what is given to them is found where it is given.
    "agentws.core.text.lazy.compiled": lambda: (),
}


@cache
def patterns() -> list[Found]:
    """Every pattern of the package, each once."""
    found: dict[tuple[str | bytes, int], Found] = {}
    for module in modules():
        for one in _of_module(module):
            known = found.get((one.source, one.flags))
            methods = tuple(sorted({*one.methods, *(known.methods if known else ())}))
            found[one.source, one.flags] = Found(known.where if known else one.where, one.source, one.flags, methods)
    return list(found.values())


@cache
def modules() -> list[ModuleType]:
    """Every module of the package, imported."""
    names = [each.name for each in pkgutil.walk_packages(agentws.__path__, "agentws.")]
    found = [optional.imported(name) for name in names if not name.endswith("__main__")]
    return [agentws, *(one for one in found if one is not None)]


def unread() -> list[str]:
    """The calls within functions whose pattern nothing here can read: each has to be put into `MADE`."""
    return [where for module in modules() for where, call in _calls(module) if _read(module, where, call) is None]


def _of_module(module: ModuleType) -> Iterator[Found]:
    # What functions make comes first: a table may hold some of it by now, and it is to be named the same all the time.
    for where, call in _calls(module):
        for pattern in _read(module, where, call) or ():
            methods = _methods(module, call)
            yield Found(where, pattern.pattern, pattern.flags, methods)
    for name, value in vars(module).items():
        for pattern in _within(value, module.__name__):
            methods = _called(module).get(name, ALL)
            yield Found(f"{module.__name__}.{name}", pattern.pattern, pattern.flags, methods)


def _methods(module: ModuleType, call: ast.Call) -> tuple[str, ...]:
    """What is called of a pattern within a function: `re.sub(…)`, or `re.compile(…).match`; all where it is kept."""
    owners = (node.attr for node in ast.walk(_tree(module)) if isinstance(node, ast.Attribute) and node.value is call)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = next(owners, "") if name == "compile" else name
    return (_SAME.get(name, name),) if name in _OF_RE else ALL


def _within(value: object, module: str) -> Iterator[re.Pattern[str]]:
    """The patterns that a value holds: itself, within containers, within a class of the module."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Pattern):
        yield value.compiled
    elif isinstance(value, dict):
        for each in (*value.keys(), *value.values()):
            yield from _within(each, module)
    elif isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _within(each, module)
    elif isinstance(value, type) and value.__module__ == module:
        for each in list(vars(value).values()):
            yield from _within(each, module)
    elif type(value).__module__ == module and not isinstance(value, type):
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        for each in (*getattr(value, "__dict__", {}).values(), *(getattr(value, name, None) for name in slots)):
            if isinstance(each, re.Pattern | Pattern | tuple | dict | list):
                yield from _within(each, module)


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(_source(module))


@cache
def _source(module: ModuleType) -> bytes:
    return Path(str(module.__file__)).read_bytes()


@cache
def _called(module: ModuleType) -> dict[str, tuple[str, ...]]:
    """Of each global that is used by its methods alone, and in no other module, these methods."""
    bare: set[str] = set()
    methods: dict[str, set[str]] = {}
    tree = _tree(module)
    owners = {id(node.value): node for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            owner = owners.get(id(node))
            if owner is None or owner.attr not in _OF_RE:
                bare.add(node.id)
            else:
                methods.setdefault(node.id, set()).add(_SAME.get(owner.attr, owner.attr))
    return {name: tuple(sorted(each)) for name, each in methods.items() if name not in bare and name.startswith("_")}


def _calls(module: ModuleType) -> Iterator[tuple[str, ast.Call]]:
    """(module.function, call) of what makes or uses a pattern within a function, other than through a global's name."""
    if not _NAMED.search(_source(module)):  # most modules: they need not be read as code
        return
    for function in ast.walk(_tree(module)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        name = getattr(function, "name", "<lambda>")
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _is_of_re(node.func):
                yield f"{module.__name__}.{name}", node


def _is_of_re(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        of_re = isinstance(called.value, ast.Name) and called.value.id == "re" and called.attr in _OF_RE
        return of_re or called.attr in _MADE_OF
    return isinstance(called, ast.Name) and called.id in _MADE_OF


def _read(module: ModuleType, where: str, call: ast.Call) -> list[re.Pattern[str]] | None:
    """The patterns of a call: its literal's, its constant's, those that `MADE` makes; None where none can be read."""
    if where in MADE:
        return list(MADE[where]())
    first = call.args[0] if call.args else None
    source: object = None
    if isinstance(first, ast.Constant):
        source = first.value
    elif isinstance(first, ast.Name):
        source = getattr(module, first.id, None)
    if not isinstance(source, str | bytes):
        return None
    flags = 0
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
            flags |= getattr(re.RegexFlag, node.attr, 0)
    return [re.compile(source, flags)]  # type: ignore[list-item]
