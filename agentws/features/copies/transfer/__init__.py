"""One verified copy of a workspace to another place, for backups, drills and migrations."""
