"""`agentws install` and `agentws uninstall`: connects a host to the workspace, and removes that again."""
