"""The tables of verbs as plain values: names, words, options, examples, function.

Each module of `commands/` ends in the table of its verbs. Everything else reads it: the fast lane what it may recognise
(fast_lane.py), Typer's commands, help and completion (app.py), the reference its page.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agentws.core.terminal.invocation import Run

    Default = str | int | bool | None

TEXT, NUMBER, FLAG = "text", "number", "flag"
"""Type of a value: a text, a whole number, or nothing."""


class Option:
    """An option of a verb: the parameter it fills, its names, its value, and its help.

    `off` is the name that negates a flag; `is_many`: it may be given again; `least` and `most` limit a number. `is_hot`
    is False for an option that no run at every turn of an agent uses.
    """

    def __init__(
        self,
        names: str,
        kind: str,
        text: str,
        *,
        to: str = "",
        metavar: str | None = None,
        default: Default = None,
        least: int | None = None,
        most: int | None = None,
        is_many: bool = False,
        is_required: bool = False,
        is_hot: bool = True,
        completes: str = "",
    ) -> None:
        message, _, self.off = names.partition("/")
        self.names = tuple(message.split())
        self.parameter = to or self.names[-1].lstrip("-").replace("-", "_")
        self.kind = kind
        self.help = text
        self.metavar = metavar
        self.default = default
        self.least = least
        self.most = most
        self.is_many = is_many
        self.is_required = is_required
        self.is_hot = is_hot
        self.completes = completes


class Word:
    """A positional argument of a verb's table: the parameter it fills, and its help.

    `is_many` takes all remaining words, and is last. `is_text`: they are one text, which no option interrupts.
    """

    def __init__(
        self,
        parameter: str,
        metavar: str,
        text: str,
        *,
        default: str | None = None,
        is_many: bool = False,
        is_required: bool = False,
        is_text: bool = False,
        completes: str = "",
    ) -> None:
        self.parameter = parameter
        self.metavar = metavar
        self.help = text
        self.default = default
        self.is_many = is_many
        self.is_required = is_required
        self.is_text = is_text
        self.completes = completes


class Verb:
    """A verb, with its family's name before it: its function, arguments, options and examples.

    The docstring of the function is the help. `is_hot` marks verbs that run at every turn of an agent: they print only
    text known to be safe, and a launcher may start them. `text_at` is the number of words before its text of many
    words; None for a verb without such a text.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., None],
        takes: tuple[Word | Option, ...] = (),
        *examples: str,
        is_hot: bool = False,
    ) -> None:
        self.name = name
        self.function = function
        self.words = tuple(taken for taken in takes if isinstance(taken, Word))
        self.options = tuple(taken for taken in takes if isinstance(taken, Option))
        self.examples = examples
        self.is_hot = is_hot
        self.text_at = next((at for at, declared in enumerate(self.words) if declared.is_text), None)

    @property
    def help(self) -> str:
        """The verb's help with its options: the docstring of its function."""
        return "\n".join(line.strip() for line in (self.function.__doc__ or "").strip().split("\n"))


def call(verb: Verb, run: Run, values: dict[str, Any]) -> None:
    """Call the function of a verb with the values of its table; AGAIN is an attribute of the Run."""
    if AGAIN in verb.options:
        run.again = bool(values.pop(AGAIN.parameter))
    verb.function(run, **values)


def flag(names: str, text: str, *, default: bool | None = False, **more: Any) -> Option:
    """Return the entry of an option without a value in a table of options; `--on/--off` also has a negating name."""
    return Option(names, FLAG, text, default=default, **more)


def text(names: str, metavar: str, text: str, **more: Any) -> Option:
    """Return the entry of an option with a text in a table of options."""
    return Option(names, TEXT, text, metavar=metavar, **more)


def texts(names: str, metavar: str, text: str, **more: Any) -> Option:
    """Return the entry of an option with a text, which may be given several times, in a table of options."""
    return Option(names, TEXT, text, metavar=metavar, is_many=True, **more)


def number(names: str, metavar: str, text: str, **more: Any) -> Option:
    """Return the entry of an option with a whole number in a table of options."""
    return Option(names, NUMBER, text, metavar=metavar, **more)


def numbers(names: str, metavar: str, text: str, **more: Any) -> Option:
    """Return the entry of an option with a whole number, which may be given several times, in a table of options."""
    return Option(names, NUMBER, text, metavar=metavar, is_many=True, **more)


def word(parameter: str, metavar: str, text: str, **more: Any) -> Word:
    """Return the table entry of a required argument."""
    return Word(parameter, metavar, text, is_required=True, **more)


def words(parameter: str, metavar: str, text: str, *, is_required: bool = True, **more: Any) -> Word:
    """Return the table entry of an argument that takes all remaining words."""
    return Word(parameter, metavar, text, is_many=True, is_required=is_required, **more)


def optional(parameter: str, metavar: str, text: str, **more: Any) -> Word:
    """Return the table entry of an optional argument."""
    return Word(parameter, metavar, text, **more)


DIRECTORY = "directory"
"""The parameter that names the workspace: in front of the verb it is part of what an agent may be allowed to run."""
COMMON = (
    text("-C --workspace", "DIR", "Use this workspace. Default: search upwards from here.", to=DIRECTORY),
    Option("--json", FLAG, "Print one JSON object.", to="as_json"),
    Option("-q --quiet", FLAG, "Print no notices."),
    Option("--debug", FLAG, "Show tracebacks of errors.", is_hot=False),
)
"""The options of every verb; `parameter` is the attribute of the Run."""

VIA = text("--via", "SRC", "Source of the text: tool:NAME, net:CHANNEL, user.")
"""The source of the words that a verb was given."""
DRY_RUN = flag("--dry-run", "Show the result without applying it.")
YES = flag("--yes", "Confirm without a question.")
AGAIN = flag(
    "--again", "Write forgotten text again: this ends its entry, here and by sync. For a person only.", is_hot=False
)
