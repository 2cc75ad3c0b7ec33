"""migrate: the agent moves to another place. The state machine is in docs/promises.md, P9."""
