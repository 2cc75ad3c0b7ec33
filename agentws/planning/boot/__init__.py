"""What boot chooses to show of each file, and who gets how much of the budget."""
