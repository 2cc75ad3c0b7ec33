"""Programs that run agents: what is installed into each, and its hooks."""
