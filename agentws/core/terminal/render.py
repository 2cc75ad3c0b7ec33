"""Results as lines for people, and as JSON fields for scripts."""
