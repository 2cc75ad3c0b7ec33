"""ask: a question to a person about an exact action; answered once, used once."""
