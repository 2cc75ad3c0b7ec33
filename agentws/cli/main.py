"""The console script: runs the command line and turns what went wrong into a line and an exit code."""

from __future__ import annotations

import sys

from agentws.errors import AgentwsError, UsageError


def main() -> None:
    """Run `agentws` with the arguments of the process, and exit."""
    raise SystemExit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run `agentws` with these arguments and return the exit code (docs/reference/errors.md)."""
    import typer

    from agentws.cli import app, output
    from agentws.cli.run import Run

    asked = Run()
    # Known before parsing, since parsing itself may fail.
    asked.as_json = "--json" in arguments
    asked.debug = "--debug" in arguments
    try:
        code = app.build(asked).main(arguments, prog_name="agentws", standalone_mode=False)
    except AgentwsError as error:
        if asked.debug:
            raise
        output.error(error, as_json=asked.as_json)
        return error.exit_code
    except typer.TyperException as error:
        output.error(_usage(error), as_json=asked.as_json)
        return UsageError.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except SystemExit as leaving:
        # Nobody else here leaves with 1: it is Rich, printing a help page to a reader that went away.
        return 141 if leaving.code == 1 else int(leaving.code or 0)
    except Exception as error:
        if asked.debug:
            raise
        output.error(_bug(error), as_json=asked.as_json)
        return 70
    return code if isinstance(code, int) else 0


def _usage(error: Exception) -> UsageError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "agentws"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    if not message:  # a group called without a verb has shown its help already
        message = "Name a verb."
    dash = ". A text that begins with `-` goes behind `--`." if message.startswith("No such option") else ""
    return UsageError(message, hint=f"See {command} --help{dash}")


def _bug(error: Exception) -> AgentwsError:
    found = AgentwsError(
        f"This is a bug in agentws: {type(error).__name__}: {error}",
        hint="Your files are as they were or as they should be. Run again with --debug and report what it prints.",
    )
    found.code, found.exit_code = "bug", 70
    return found
