"""Checkpoints: which one is meant, which are kept, and in what two of them differ. Pure."""
