"""What is wrong with a workspace, and what mends it."""
