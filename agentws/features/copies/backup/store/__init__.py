"""Backups in a folder: the workspace as it is read while others write, and the folder that takes it."""
