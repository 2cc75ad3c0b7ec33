"""What to do: values to values. Pure."""
