"""What lies in a workspace, looked at without changing it."""
