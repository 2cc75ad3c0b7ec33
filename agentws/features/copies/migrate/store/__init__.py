"""An agent on its way through a git repository: sent, and taken from there."""
