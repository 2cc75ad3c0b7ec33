"""Workspaces as each landing left them, and what every later version does with them."""
