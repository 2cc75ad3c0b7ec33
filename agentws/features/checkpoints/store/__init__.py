"""Checkpoints as they lie in `checkpoints/`."""
