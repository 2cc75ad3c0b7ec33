"""The work of a host's hooks in the workspace: records events, begins sessions, notes reminders and questions."""
