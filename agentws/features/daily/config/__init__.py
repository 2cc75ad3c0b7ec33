"""config: reads and sets the settings of a workspace and of the user."""
