"""OpenCode: a plugin, as it has no hooks that are commands. Pure."""
