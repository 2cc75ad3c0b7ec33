"""python -m agentws."""

from agentws.cli.main import main

main()
