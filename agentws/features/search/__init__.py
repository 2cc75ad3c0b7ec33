"""search: what the workspace holds about something, found again by its words."""
