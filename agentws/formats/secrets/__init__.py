"""What looks like a secret, and a text without it."""
