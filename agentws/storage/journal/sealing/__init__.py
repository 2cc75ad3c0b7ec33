"""What the journal proves: seals, their check, and what was taken out."""
