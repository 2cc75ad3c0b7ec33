"""What other programs remember, brought in (import) and taken out (export)."""
