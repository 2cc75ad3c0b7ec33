"""What GitHub Copilot CLI is told."""
