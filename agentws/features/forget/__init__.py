"""forget: texts and names to be forgotten, found in documents, events and copies, and removed for good."""
