"""What this machine offers: programs, schedules, templates, settings of the user."""
