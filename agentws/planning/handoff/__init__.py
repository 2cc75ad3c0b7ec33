"""Handoffs: derived, carried over, fitted to a size. Pure."""
