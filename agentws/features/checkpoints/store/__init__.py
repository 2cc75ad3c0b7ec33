"""The store of checkpoints: the files in `checkpoints/`."""
