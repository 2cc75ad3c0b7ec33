"""install, uninstall: the hooks of an agent program wired to this workspace, and taken out again."""
