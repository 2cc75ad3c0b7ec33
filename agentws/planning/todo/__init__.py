"""Open items of a workspace, and those that words name. Pure."""
