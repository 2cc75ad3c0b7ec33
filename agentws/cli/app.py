"""The command line's Typer app, built from the tables of verbs: help, errors, suggestions and completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from typer._click.globals import get_current_context
from typer._completion_shared import COMPLETION_SCRIPT_ZSH, _completion_scripts
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_click_type, get_install_completion_arguments
from typer.models import OptionInfo

from agentws.cli import commands, fast_lane
from agentws.core import environment
from agentws.core.terminal import options, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Option, Verb, Word
from agentws.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable


_HELP = "Keeps an AI agent's memory in plain files and gives it back at every start, within a token budget."
_START = "Start here: agentws start, in the folder of a project"
_MORE = "All commands, in groups: agentws help --all"
_COMMANDS = "Commands"
_PANEL = "Every verb has"
_TOPIC = Word("topic", "[TOPIC]", "A command or a page.", completes="topic")
_FIRST_TAB = """
if [[ "$funcstack[1]" == "_%(prog_name)s" ]]; then
  %(complete_func)s "$@"
fi
"""
"""zsh reads the file of a completion at the first Tab, as the function that is to answer; Typer's only defines one."""


def program(run: Run | None = None, word: str = "", *, full: bool = True) -> TyperGroup:
    """Return the Typer app, with only the verb or family `word` if there is one of that name.

    Building all of them takes longer than most verbs run. An unknown word may need any of them: for the help, or to
    suggest one. Without `full`, the help lists commands.FIRST only.
    """
    _completion_scripts["zsh"] = COMPLETION_SCRIPT_ZSH + _FIRST_TAB
    every = list(commands.names())
    if not full:
        every.sort(key=[*commands.FIRST, *every].index)
    made = [_named(name, full=full) for name in every if name == word or word not in every]
    if environment.completes():  # main.py takes `help` before it comes here
        made.append(TyperCommand(name="help", hidden=True, params=[_argument(_TOPIC)]))
    version = TyperOption(
        param_decls=["version", "--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_version,
        help="The version.",
    )
    return TyperGroup(
        name="agentws",
        commands=made,
        params=[version, *get_install_completion_arguments(), *common_options()],
        help=_HELP,
        epilog=_START if full else f"{_START}\n\n{_MORE}",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "obj": run},
    )


def build(run: Run, arguments: list[str], *, full: bool) -> TyperGroup:
    """Return the Typer app for these arguments; common options may precede the verb: `agentws -C DIR boot`."""
    if environment.completes():
        return program(run, _first(environment.completed()))
    return program(run, _first(arguments), full=full)


def _first(arguments: list[str]) -> str:
    """Return the first word, or the one after `-C DIR`; empty without any."""
    at = 2 if arguments[:1] == ["-C"] else 0
    return arguments[at] if len(arguments) > at else ""


def _named(name: str, *, full: bool) -> TyperCommand | TyperGroup:
    """Return the Typer command of a single verb or of a family."""
    panel = next(panel for panel, names in commands.panels().items() if name in names)
    is_listed = panel != commands.PLUMBING if full else name in commands.FIRST
    shown: dict[str, Any] = {"rich_help_panel": panel if full else _COMMANDS, "hidden": not is_listed}
    verbs = commands.of(name)
    family = commands.families().get(name)
    if family is None and name in verbs:
        return _command(verbs[name], **shown)
    inner = [_command(verb) for verb in verbs.values() if verb.name != name]
    if name not in verbs:
        return TyperGroup(name=name, commands=inner, help=family, no_args_is_help=True, **shown)
    return _Family(commands=inner, invoke_without_command=True, **_described(verbs[name]), **shown)


class _Family(TyperGroup):
    """A family that is a verb too. Words that call none of its verbs are the family's own arguments."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As TyperGroup.get_params; the usage of one of its verbs does not name the family's own words."""
        parameters = super().get_params(ctx)
        return (
            parameters
            if ctx.command is self
            else [parameter for parameter in parameters if not isinstance(parameter, TyperArgument)]
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As TyperGroup.parse_args; where one of its verbs is called, no word is the family's own."""
        own = [parameter for parameter in self.params if isinstance(parameter, TyperArgument)]
        if own and not any(word in self.commands for word in args):
            ctx.allow_interspersed_args, ctx.allow_extra_args = True, False
            return super(TyperGroup, self).parse_args(ctx, args)
        every = self.params
        self.params = [parameter for parameter in every if parameter not in own]
        try:
            rest = super().parse_args(ctx, args)
        finally:
            self.params = every
        ctx.params.update({str(typer_argument.name): typer_argument.default for typer_argument in own})
        return rest


class _Command(TyperCommand):
    """The command of a verb. No option between words of a text is taken out of it."""

    verb: Verb

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As TyperCommand.parse_args; UsageError if an option interrupts a text."""
        option = "" if ctx.resilient_parsing else fast_lane.within_text(self.verb, args)
        if option:
            raise UsageError(
                f"Option {option} is in the middle of the text.",
                hint="Put options before or after the text, or quote the text.",
            )
        return super().parse_args(ctx, args)


def _command(verb: Verb, **shown: Any) -> TyperCommand:
    made = _Command(**_described(verb), **shown)
    made.verb = verb
    return made


def _described(verb: Verb) -> dict[str, Any]:
    return {
        "name": verb.name.rpartition(" ")[2],
        "callback": _caller(verb),
        "params": [*map(_argument, verb.words), *map(_option, verb.options), *common_options()],
        "help": verb.help,
        "epilog": "\n\n".join(("Examples:", *verb.examples)),
    }


def _caller(verb: Verb) -> Callable[..., None]:
    """Return the function that Typer calls with the verb's parsed values."""
    empty: dict[str, Any] = {option.parameter: None for option in verb.options if option.is_many}
    empty.update({word.parameter: [] for word in verb.words if word.is_many})

    def call(**values: Any) -> None:
        context = get_current_context()
        if context.invoked_subcommand is None:  # else the family is a verb too, and one of its verbs is called
            listed = {name: list(values[name] or ()) or empty[name] for name in empty}
            options.call(verb, _run(context), {**values, **listed})

    return call


def _run(context: Any) -> Run:
    """The run that `context` belongs to."""
    run: Run | None = context.find_object(Run)
    assert run is not None
    return run


def _argument(word: Word) -> TyperArgument:
    return TyperArgument(
        param_decls=[word.parameter],
        type=str,
        required=word.is_required,
        default=word.default,
        nargs=-1 if word.is_many else None,
        metavar=word.metavar,
        help=word.help,
        autocompletion=_completion(word),
    )


def _option(option: Option) -> TyperOption:
    names = [*option.names[:-1], f"{option.names[-1]}/{option.off}" if option.off else option.names[-1]]
    return TyperOption(
        param_decls=[option.parameter, *names],
        type=_type(option),
        is_flag=option.kind == options.FLAG,
        multiple=option.is_many,
        required=option.is_required,
        default=option.default,
        metavar=option.metavar,
        help=option.help,
        show_default=True,
        autocompletion=_completion(option),
    )


def _completion(argument: Option | Word) -> Callable[..., Any] | None:
    """Return the completion function of a parameter."""
    if not argument.completes:
        return None

    def answer(context: Any, _: list[str], incomplete: str) -> list[tuple[str, str]]:
        from agentws.cli import completion

        source = (
            completion.USER_SETTING
            if context.params.get("user") and argument.completes == "setting"
            else argument.completes
        )
        return completion.pairs(source, _run(context), incomplete)

    return answer


def _type(option: Option) -> Any:
    if option.kind == options.NUMBER:
        return get_click_type(annotation=int, parameter_info=OptionInfo(min=option.least, max=option.most))
    return str if option.kind == options.TEXT else None


def common_options() -> list[TyperOption]:
    """Return new objects for the common options of all verbs in the Typer app."""
    return [
        TyperOption(
            param_decls=[f"common_{option.parameter}", *option.names],
            type=bool if option.kind == options.FLAG else str,
            is_flag=option.kind == options.FLAG,
            default=None,
            metavar=option.metavar,
            help=option.help,
            expose_value=False,
            callback=_remember,
            rich_help_panel=_PANEL,
        )
        for option in options.COMMON
    ]


def _remember(context: typer.Context, option: TyperOption, value: object) -> object:
    if value:
        run, parameter = _run(context), (option.name or "").removeprefix("common_")
        setattr(run, parameter, value)
        if parameter == options.DIRECTORY and context.parent is not None:
            run.is_behind = True
    return value


def _version(context: typer.Context, option: TyperOption, asked: object) -> None:
    if asked and not context.resilient_parsing:
        output.version()
        raise typer.Exit
