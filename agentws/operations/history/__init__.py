"""Time travel through the recorded states of the documents: list them, compare with them, bring a file back."""
