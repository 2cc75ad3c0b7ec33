"""Handoffs: derived, fitted to a size; sessions that nobody finished. Pure."""
