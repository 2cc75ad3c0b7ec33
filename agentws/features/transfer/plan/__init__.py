"""Pure decisions about imported texts."""
