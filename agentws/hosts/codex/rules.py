"""The file of rules by which Codex (0.16x) lets the agent run our commands, outside of its sandbox too. Pure.

What a rule allows runs outside: so it names the script by its absolute path alone, which no folder of a PATH can
stand before. Of a command with several parts each is looked at by itself.
"""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats.json import plainjson
from agentws.hosts import allowance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.plan import Wiring

MARK = "# Rules of agentws"
"""How the first line of the file begins, by which it is known as ours."""
_RULE = """\
prefix_rule(
    pattern = [{words}, {verbs}],
    decision = "allow",
    justification = "the agent writes into its own memory",
)
"""


def text(wiring: Wiring) -> str:
    """The file: a rule for each way in which the agent is told to call us."""
    verbs = plainjson.dumps(list(allowance.VERBS))
    # A text of JSON is one of Starlark.
    ways = [", ".join(map(plainjson.dumps, prefix)) for prefix in allowance.prefixes(wiring, named=False)]
    head = f"{MARK}, written by `agentws install codex --allow`. `agentws uninstall codex` removes them.\n"
    return "\n".join([head, *(_RULE.format(words=words, verbs=verbs) for words in ways)])


def check_ours(found: str | None, place: str) -> None:
    """UsageError where somebody else's file stands at this place."""
    if found is not None and not is_ours(found):
        raise UsageError(f"{place} is not a file of agentws.", hint="Rename it, then install again.")


def is_ours(found: str) -> bool:
    """Whether this text is that of our file."""
    return found.startswith(MARK)
