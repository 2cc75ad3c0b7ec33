"""Results as people read them, and as the fields that scripts rely on."""
