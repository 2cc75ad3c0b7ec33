"""Handoffs: written, recovered from sessions without one, listed, shown and closed."""
