"""What becomes of old segments: compressed, read as before, taken away by the rule of the manifest."""
