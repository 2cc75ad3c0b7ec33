"""forget: what somebody wants forgotten, found wherever it stands, and taken out for good."""
