"""The stores of one workspace, as operations use them: files, journal, history, trust, audience, open items."""
