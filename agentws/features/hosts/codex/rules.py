"""Codex's rules file (0.171), by which the agent may run agentws commands, also outside of its sandbox. Pure.

An allowed command runs outside, so a rule names the script by its absolute path only, which no folder of a PATH can
replace. Codex checks each part of a compound command.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.hosts import allowance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.hosts.plan import Wiring

_HEAD = "# Rules of agentws, written by `agentws install codex --allow`. `agentws uninstall codex` removes them.\n"
_PATTERN = "    pattern = "
_RULE = """\
prefix_rule(
    pattern = [{words}, {verbs}],
    decision = "allow",
    justification = "the agent writes into its own memory",
)
"""


def text(wiring: Wiring) -> str:
    """Return the rules file for Codex: a rule for each form in which the agent is told to call agentws."""
    return _text([[*prefix, list(allowance.VERBS)] for prefix in allowance.prefixes(wiring, named=False)])


def is_ours(value: str) -> bool:
    """Return whether agentws wrote this rules file and nothing was added, whatever script and workspace it names."""
    patterns = _patterns(value)
    return bool(patterns) and _text(patterns) == value


def is_whole(value: str) -> bool:
    """Return whether the rules file is agentws's, and allows every verb that may be allowed."""
    return is_ours(value) and all(set(pattern[-1]) >= set(allowance.VERBS) for pattern in _patterns(value))


def _text(patterns: Sequence[Sequence[str | list[str]]]) -> str:
    # A JSON text is a Starlark text too.
    pairs = ((", ".join(map(plainjson.dumps, words)), plainjson.dumps(verbs)) for *words, verbs in patterns)
    return "\n".join([_HEAD, *(_RULE.format(words=words, verbs=verbs) for words, verbs in pairs)])


def _patterns(value: str) -> list[list[str | list[str]]]:
    """Return the patterns in a rules file like agentws's, none if one has another form."""
    lines = [line for line in value.split("\n") if line.startswith(_PATTERN)]
    try:
        patterns = [plainjson.loads(line.removeprefix(_PATTERN).removesuffix(",")) for line in lines]
    except ValueError:
        return []
    return patterns if all(map(_is_pattern, patterns)) else []


def _is_pattern(pattern: object) -> bool:
    if not isinstance(pattern, list) or len(pattern) not in (2, 4):
        return False
    *words, verbs = pattern
    is_script = all(isinstance(word, str) for word in words) and words[0].endswith("/agentws")
    # A verb that agentws never allows was added by a person.
    return is_script and isinstance(verbs, list) and bool(verbs) and set(map(str, verbs)) <= set(allowance.VERBS)
