"""Decisions about backups: which the rule keeps, what a restore would lose, and findings."""
