"""The system outside of the workspace: the agent's command, the summarizer, user settings, shipped files."""
