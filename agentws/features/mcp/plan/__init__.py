"""Pure parts of mcp: the schemas of the tools, and results as values and texts."""
