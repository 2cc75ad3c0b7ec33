"""Settings of a workspace and of a user."""
