"""Copies of a workspace elsewhere: backups, drills, migration."""
