"""What a hook of a host calls first."""
