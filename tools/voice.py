"""Finds what docs/style.md rules out in the texts that a user or an agent sees: messages, hints, notices, headings.

It reads the syntax tree, so comments and docstrings are free, but for those of verbs, which are their help, and for how
a docstring begins. Which floors are held to it, FINISHED says. Strings that are patterns (regular expressions, stored
marks) are told apart by their place: EXEMPT.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parent.parent / "agentws"
FINISHED = ("errors.py", "core", "features", "cli", "adapters")
EXEMPT = (
    *("core/text", "core/formats/secrets", "core/notes", "vocabulary", "features/memory/curate/plan/brief.py"),
    *("core/formats/vocabulary.py", "core/disk/system/vocabulary.py"),
)
"""Words that are looked for in what others wrote, not said; and the brief of `curate`, whose wording is measured."""

_VERBS = "/command"
_PATTERNS = {
    "is none": r"\b(?:is|are) none\b",
    "is no X": r"(?<!here )\b(?:is|are) no (?!longer\b)[a-z]+",
    "is told": r"\b(?:is|are|was|were) told\b",
    "of theirs": r"\bof (?:theirs|ours|yours|its own)\b",
    "goes by": r"\bgo(?:es)? by\b",
    "stands there": r"\bstands? (?:t?here|still)\b",
    "is over": r"\b(?:is|are) over\b(?! \d)",
    "takes no": r"\btakes? no\b",
    "whoever": r"\bwho(?:m|so)?ever\b",
    "where … or what … as a subject": r"(?:^|[.!;] )(?:Where|What) (?=\S+ \S+)(?!.*\?)",
    "so for": r"(?:^|[.,;] )so for\b",
    "besides": r"\bbesides\b",
    "and do nothing": r"\band do(?:es)? nothing\b",
    "any more": r"\bany ?more\b",
    "mend": r"\b[Mm]end(?:s|ed)?\b",
    "is not there": r"\b(?:is|are|was) not (?:t?here)\b",
    "exclude each other": r"\bexcludes? each other\b",
    "anew": r"\banew\b",
    "See what": r"(?:^|[.;:] )See (?:what|which)\b",
    "it without its noun": (
        r"(?:^|[.!] )(?:Add|Check|Choose|Close|Correct|Create|Delete|Find|Give|Install|List|Make|Move|Name|Put|Rename|"
        r"Repair|Save|See|Set|Shorten|Split|Start|Write) (?:it|them)\b"
    ),
}
_ANSWER = re.compile(r"(?:True|False|Whether) ")
"""How no docstring begins: that of a question begins with `Return`."""
_RULES = [(name, re.compile(pattern)) for name, pattern in _PATTERNS.items()]
_WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z]+[A-Za-z]{2,}")
_FORMULA = re.compile(r"\(\?|\\[bdsSWw]|\[\^|\.\*|\|.*\|")


class Fault(NamedTuple):
    """A text that breaks a rule: path, 1-based line, the rule's name, the text."""

    path: str
    line: int
    rule: str
    text: str


def main() -> int:
    """Print every fault with its file and line; exit code 1 where there is one."""
    found = [
        fault for path in _files() for fault in faults(path.read_text("utf-8"), str(path.relative_to(ROOT.parent)))
    ]
    for fault in found:
        print(f"{fault.path}:{fault.line}: “{fault.rule}” in: {fault.text[:160]}")
    if found:
        print(f"{len(found)} texts break docs/style.md.")
    return 1 if found else 0


def faults(source: str, path: str) -> list[Fault]:
    """Return what a module says that the style page rules out."""
    tree = ast.parse(source)
    docstrings = [Fault(path, line, "a docstring begins with Return", text) for line, text in _answers(tree)]
    return docstrings + [
        Fault(path, line, name, text)
        for line, text in [*_texts(tree), *(_helps(tree) if _VERBS in path else ())]
        for name, pattern in _RULES
        if pattern.search(text)
    ]


def _files() -> Iterator[Path]:
    for place in FINISHED:
        whole = ROOT / place
        for path in [whole] if whole.is_file() else sorted(whole.rglob("*.py")):
            if not path.relative_to(ROOT).as_posix().startswith(EXEMPT):
                yield path


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each string that says something; what an f-string fills in is `…`."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            silent.update(id(each) for each in node.values)
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            text = _joined(node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if _WORDS.search(text) and not _FORMULA.search(text):
            yield node.lineno, " ".join(text.split())


def _helps(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the docstring of each verb: a public function that is given the `run`."""
    for node in tree.body:
        is_public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if is_public and [one.arg for one in node.args.args[:1]] == ["run"]:
            yield node.lineno, " ".join((ast.get_docstring(node) or "").split())


def _answers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each docstring that begins with its answer."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node) or ""
            if _ANSWER.match(text):
                yield node.body[0].lineno, text


def _joined(values: Sequence[ast.expr]) -> str:
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in values)


if __name__ == "__main__":
    sys.exit(main())
