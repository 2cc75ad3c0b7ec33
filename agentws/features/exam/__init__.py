"""exam: questions that boot and search must answer, and what they may not show."""
