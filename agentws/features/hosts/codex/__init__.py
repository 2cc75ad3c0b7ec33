"""What Codex is told."""
