"""recall: what an agent is told at a prompt without asking, and the receipts of that."""
