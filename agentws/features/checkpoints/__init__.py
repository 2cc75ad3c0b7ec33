"""checkpoint: saves, lists, compares and restores the state of a task."""
