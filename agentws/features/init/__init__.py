"""A new workspace, or an adopted one."""
