"""Plans of checkpoints: choosing one by name, retention, the difference of two states, findings. Pure."""
