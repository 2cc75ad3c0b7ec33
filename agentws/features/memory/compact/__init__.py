"""compact: old days folded into MEMORY.md; what it did shown, proved and taken back."""
