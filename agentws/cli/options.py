"""The options of the verbs that run at every turn of an agent, and those of every verb, as plain values.

Both doors read them here: Typer its names, words and bounds (commands/), the fast lane what it may recognise
(fast_lane.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Default = str | int | bool | None

TEXT, NUMBER, FLAG, TEXTS = "text", "number", "flag", "texts"
"""What an option takes: one text, a whole number, nothing, or a text each time it is given."""


class Option:
    """One option: the parameter it fills, its names, what it takes, and what the help says of it.

    `fast` is False for what only the ordinary door understands; `least` and `most` bound a number.
    """

    __slots__ = ("default", "fast", "help", "kind", "least", "metavar", "most", "names", "parameter")

    def __init__(
        self,
        parameter: str,
        names: tuple[str, ...],
        kind: str,
        text: str,
        *,
        metavar: str | None = None,
        default: Default = None,
        least: int | None = None,
        most: int | None = None,
        fast: bool = True,
    ) -> None:
        self.parameter = parameter
        self.names = names
        self.kind = kind
        self.help = text
        self.metavar = metavar
        self.default = default
        self.least = least
        self.most = most
        self.fast = fast


DIRECTORY = "directory"
"""The parameter that names the workspace: in front of the verb it is part of what an agent may be allowed to run."""
COMMON = (
    Option(
        DIRECTORY,
        ("-C", "--workspace"),
        TEXT,
        "The workspace, instead of the one around the present folder.",
        metavar="DIR",
    ),
    Option("as_json", ("--json",), FLAG, "One JSON object on stdout."),
    Option("quiet", ("-q", "--quiet"), FLAG, "No notices on stderr; the result is printed."),
    Option("debug", ("--debug",), FLAG, "Show the traceback of an error.", fast=False),
)
"""The options of every verb; `parameter` is the attribute of Asked."""

BOOT = (
    Option(
        "budget",
        ("--budget",),
        NUMBER,
        "The most tokens the text may have; else boot.budget of the manifest (8000).",
        metavar="TOKENS",
    ),
    Option(
        "tokenizer",
        ("--tokenizer",),
        TEXT,
        "How tokens are counted: o200k_base (exact), claude, gemini (declared bounds), bytes (a bound), "
        "chars4 (an estimate); else boot.tokenizer of the manifest (o200k_base).",
        metavar="NAME",
    ),
    Option(
        "audience",
        ("--audience",),
        TEXT,
        "main, or shared: leaves out what others must not see.",
        metavar="WHO",
        default="main",
    ),
    Option("name", ("--context",), TEXT, "A virtual context.", metavar="NAME"),
    Option(
        "host",
        ("--for",),
        TEXT,
        "The program that reads it: plain, claude-code, codex, gemini, qwen, copilot, opencode, openclaw. Leaves out "
        "what that loads itself, and is one text that it takes whole.",
        metavar="HOST",
    ),
    Option(
        "part",
        ("--part",),
        NUMBER,
        "With --for: all of the budget, in texts that the host takes whole; print the K-th. Nothing behind the last.",
        metavar="K",
        least=1,
    ),
    Option(
        "format",
        ("--format",),
        TEXT,
        "markdown; json, as --json; or messages: a JSON array of chat messages, system and user.",
        metavar="FORMAT",
    ),
    Option("now", ("--now",), TEXT, "As it would have been at this time.", metavar="TIME", fast=False),
    Option("explain", ("--explain",), FLAG, "Show where each token went, not the text.", default=False, fast=False),
    Option("strict", ("--strict",), FLAG, "Exit 3 where anything was left out.", default=False),
)

LOG = (
    Option(
        "kind",
        ("--kind",),
        TEXT,
        "decision, lesson, fact, preference, question, todo, done, dropped, error, or any word.",
        metavar="WORD",
    ),
    Option("importance", ("--importance",), NUMBER, "From 1 to 10; 5 is usual.", metavar="N", least=1, most=10),
    Option("tag", ("--tag",), TEXTS, "A tag; may be given again.", metavar="TAG"),
    Option("via", ("--via",), TEXT, "Where it comes from, if not from the agent.", metavar="SRC"),
    Option("task", ("--task",), TEXT, "The task it belongs to.", metavar="SLUG"),
    Option(
        "closes",
        ("--closes",),
        TEXTS,
        "With --kind done or dropped: the reference of what is over with it; may be given again.",
        metavar="REF",
    ),
)

TODO = (
    Option("due", ("--due",), TEXT, "By when: 2026-11-24, monday, 3d, 2026-11-24T09:00.", metavar="TIME"),
    Option("for_whom", ("--for",), TEXT, "Whom it is for.", metavar="WHO"),
    Option("via", ("--via",), TEXT, "Where it comes from, if not from the agent.", metavar="SRC"),
    Option("stale", ("--stale",), FLAG, "List only what is open long without a word.", default=False, fast=False),
    Option("limit", ("--limit",), NUMBER, "List at most N; 0: all.", metavar="N", default=50, least=0, fast=False),
)

EVENT = (
    Option("tool", ("--tool",), TEXT, "The tool that an action calls.", metavar="TOOL"),
    Option("input", ("--input",), TEXT, "What the tool is given: JSON, else it is text.", metavar="JSON"),
    Option("output", ("--output",), TEXT, "What the tool gave back: JSON, else it is text.", metavar="JSON"),
    Option(
        "call",
        ("--call",),
        TEXT,
        "Which call an action begins, or a result or error ends; an action without one goes by the WRITER:SEQ that "
        "is printed, also in its short form.",
        metavar="ID",
    ),
    Option(
        "importance",
        ("--importance",),
        NUMBER,
        "From 1 to 10; from 7 on boot tells it for long.",
        metavar="N",
        least=1,
        most=10,
    ),
    Option("task", ("--task",), TEXT, "The task it belongs to.", metavar="SLUG"),
    Option("via", ("--via",), TEXT, "Where it comes from: user, agent:NAME, tool:NAME, net:HOST.", metavar="SRC"),
    Option("session", ("--session",), TEXT, "The session it belongs to; else $AGENTWS_SESSION.", metavar="ID"),
    Option("body", ("--body",), TEXT, "More of its body, as a JSON object.", metavar="JSON"),
    Option(
        "stdin",
        ("--stdin",),
        FLAG,
        "Read events from standard input, one JSON object a line, and acknowledge each on a line.",
        default=False,
        fast=False,
    ),
)

HOOK = (
    Option(
        "part",
        ("--part",),
        NUMBER,
        "Where the host takes several texts at the start of a session: the K-th of them.",
        metavar="K",
        least=1,
    ),
    Option(
        "of",
        ("--of",),
        NUMBER,
        "How many texts the host asks for: the last says how to read what has no room in them.",
        metavar="N",
        least=1,
    ),
)

VERBS = {
    "boot": (BOOT, (), ()),
    "log": (LOG, ("text",), ()),
    "todo": (TODO, ("text",), ()),
    "event": (EVENT, ("kind",), ("text",)),
    "hook": (HOOK, ("host", "event"), ()),
}
"""The verbs of the fast lane: their options, and the words that each must and may have besides."""
