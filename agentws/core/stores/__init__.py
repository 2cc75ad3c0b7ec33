"""What an operation may ask of one workspace."""
