"""The program: where `python -m agentws` and the console script begin."""

from agentws.cli import interrupt


def main() -> None:
    """Run `agentws` with the arguments of the process, and exit."""
    interrupt.leave_at_once()
    from agentws.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
