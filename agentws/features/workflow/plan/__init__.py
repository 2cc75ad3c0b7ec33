"""Plans of workflow: the state that events of steps add up to. Pure."""
