"""The door of agent programs: a hook heard, answered within its time."""
