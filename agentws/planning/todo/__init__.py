"""What is open in a workspace, and which of it words name. Pure."""
