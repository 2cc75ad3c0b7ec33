"""The program that is made for a call: it answers as the whole one does, and is made of what the call names alone."""

from __future__ import annotations

from typer.core import TyperGroup

from agentws.cli.app import build, program
from agentws.core.terminal.invocation import Run
from tests import table

WHOLE = program()


def test_of_a_verb_named_first_nothing_else_is_made_and_it_is_the_same() -> None:
    def check(name: str) -> None:
        for words in ([name, "boot", "--help"], ["-C", "boot", name]):
            made = build(Run(), words, full=False)

            assert list(made.commands) == [name]
            assert described(made.commands[name]) == described(WHOLE.commands[name])
            assert [one.name for one in made.params[: len(WHOLE.params)]] == [one.name for one in WHOLE.params]

    table.holds(check, list(WHOLE.commands))


def test_where_the_first_word_names_no_verb_all_are_there() -> None:
    for words in ([], ["--help"], ["-C", "boot"], ["-qC", "boot", "status"], ["boots"], ["--", "boot"]):
        assert set(build(Run(), words, full=False).commands) == set(WHOLE.commands), words


def described(command: object) -> object:
    """Name, options and the commands within, all the way down."""
    params = [(one.name, one.opts, one.type.name, one.required) for one in getattr(command, "params", ())]
    inner = command.commands.values() if isinstance(command, TyperGroup) else ()
    return (type(command), params, getattr(command, "help", ""), [described(one) for one in inner])
