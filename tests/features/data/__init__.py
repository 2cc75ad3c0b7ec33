"""Tables of rows, logs of rows, and artifacts."""
