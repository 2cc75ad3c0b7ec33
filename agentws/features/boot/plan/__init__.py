"""Boot: the choice of what each file shows, and the division of the budget."""
