"""What each agent program loads by itself and may be told. Pure."""
