"""Automation: `schedule`, which runs verbs at fixed times, and `watch`, which records edits as they happen."""
