"""recall: gives an agent the memories that match its prompt without being asked, and records what was given."""
