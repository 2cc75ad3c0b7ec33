"""Boot's plan: what each file shows, and how the budget is divided."""
