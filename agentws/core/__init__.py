"""The core that every feature builds on. It imports no feature."""
