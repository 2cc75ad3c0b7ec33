"""What every feature builds on. It imports no feature."""
