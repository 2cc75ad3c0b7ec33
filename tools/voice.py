"""Finds what docs/style.md rules out: in messages, hints, notices and headings, in the pages, and in docstrings.

Messages, the help of commands and the pages may contain none of it; of docstrings and comments, MOST_SHARE at most.
FINISHED names the folders that are checked. EXEMPT names those whose strings are patterns or words to look for.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parent.parent / "agentws"
FINISHED = ("errors.py", "core", "features", "cli", "adapters")
EXEMPT = (
    *("core/text", "core/formats/secrets", "core/notes", "vocabulary", "features/memory/curate/plan/brief.py"),
    *("core/formats/manifest_tables.py", "core/disk/system/shipped.py"),
)
"""Words that are looked for in what others wrote, not said; and the brief of `curate`, whose wording is measured."""

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
_STYLE = "docs/style.md"
"""The page that shows what is ruled out."""
MOST_SHARE = 0.03
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
_CODE = re.compile(r"`[^`]*`")
_FORMULA = re.compile(r"\(\?|\\[bdsSWw]|\[\^|\.\*|\|.*\||\w\[\S|\w=!")
"""Patterns, and the names of JSON fields as `output.fields` takes them."""


class Fault(NamedTuple):
    """A text that breaks a rule: path, 1-based line, the rule's name, the text."""

    path: str
    line: int
    rule: str
    text: str


def main() -> int:
    """Print every fault with its file and line; exit code 1 where there is one."""
    sources = {_name(path): path.read_text("utf-8") for path in _files()}
    found = [fault for path, source in sources.items() for fault in faults(source, path)]
    found += [fault for path in _pages() for fault in page_faults(path.read_text("utf-8"), _name(path))]
    for fault in found:
        print(f"{fault.path}:{fault.line}: “{fault.rule}” in: {fault.text[:160]}")
    if found:
        print(f"{len(found)} texts break docs/style.md.")
    remarks = [_is_plain(text) for source in sources.values() for text in remarks_of(source)]
    share = remarks.count(False) / len(remarks)
    print(f"{share:.1%} of {len(remarks):,} docstrings and comments break docs/style.md (at most {MOST_SHARE:.0%}).")
    return 1 if found or share > MOST_SHARE else 0


def page_faults(text: str, path: str) -> list[Fault]:
    """Return what a page says outside of code that the style page rules out."""
    found, is_code = [], False
    for number, line in enumerate(text.split("\n"), 1):
        is_code ^= line.lstrip().startswith("```")
        said = "" if is_code else _CODE.sub("`…`", line)
        found += [Fault(path, number, name, line) for name, pattern in _RULES if pattern.search(said)]
    return found


def remarks_of(source: str) -> list[str]:
    """Return the docstrings and comments of a module, each as one line with `…` for code."""
    strings = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    found = [str(one.value) for one in strings if isinstance(one, ast.Constant)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found += [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [_CODE.sub("`…`", " ".join(text.split())) for text in found]


def _is_plain(text: str) -> bool:
    return not any(pattern.search(text) for _, pattern in _RULES)


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


def _pages() -> Iterator[Path]:
    for name in PAGES:
        place = ROOT.parent / name
        yield from (
            (path for path in sorted(place.rglob("*.md")) if _name(path) != _STYLE) if place.is_dir() else [place]
        )


def _name(path: Path) -> str:
    return path.relative_to(ROOT.parent).as_posix()


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
