"""Code for the family of hosts with hooks like Claude Code's under other names: Codex, Copilot, Droid, Gemini, Qwen."""
