"""What Gemini CLI is told."""
