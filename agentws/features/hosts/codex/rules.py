"""The file of rules by which Codex (0.16x) lets the agent run our commands, outside of its sandbox too. Pure.

What a rule allows runs outside: so it names the script by its absolute path alone, which no folder of a PATH can
stand before. Of a command with several parts each is looked at by itself.
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
    """The file: a rule for each way in which the agent is told to call us."""
    return _text([[*prefix, list(allowance.VERBS)] for prefix in allowance.prefixes(wiring, named=False)])


def is_ours(found: str) -> bool:
    """Return whether agentws wrote this text and nothing was added, whatever script and workspace it names."""
    patterns = _patterns(found)
    return bool(patterns) and _text(patterns) == found


def is_whole(found: str) -> bool:
    """Return whether it is ours, and allows each verb."""
    return is_ours(found) and all(set(pattern[-1]) >= set(allowance.VERBS) for pattern in _patterns(found))


def _text(patterns: Sequence[Sequence[str | list[str]]]) -> str:
    # A text of JSON is one of Starlark.
    told = ((", ".join(map(plainjson.dumps, words)), plainjson.dumps(verbs)) for *words, verbs in patterns)
    return "\n".join([_HEAD, *(_RULE.format(words=words, verbs=verbs) for words, verbs in told)])


def _patterns(found: str) -> list[list[str | list[str]]]:
    """The patterns in a file like ours, none where one is of another kind."""
    lines = [line for line in found.split("\n") if line.startswith(_PATTERN)]
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
    # A verb that is none of ours is the word of a person.
    return is_script and isinstance(verbs, list) and bool(verbs) and set(map(str, verbs)) <= set(allowance.VERBS)
