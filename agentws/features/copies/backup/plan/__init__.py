"""Backups: which are kept, and what a restored one would lack."""
