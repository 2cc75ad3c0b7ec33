"""Programs that have no hooks and read AGENTS.md: the agent is told to do by itself what hooks would do. Pure."""
