"""checkpoint: the state of a task saved, listed, compared, and given back."""
