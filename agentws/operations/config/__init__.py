"""config: the settings of the workspace, and those of the user."""
