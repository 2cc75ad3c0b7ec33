"""Plans of doctor: turn facts into findings, each with its remedy. Pure."""
