"""python -m agentws, and what the console script of an earlier version calls."""

from agentws.cli import start as main

if __name__ == "__main__":
    main()
