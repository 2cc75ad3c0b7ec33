"""What Claude Code is told."""
