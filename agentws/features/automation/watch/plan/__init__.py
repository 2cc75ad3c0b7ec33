"""Plans of `watch`: when to look, which changes are agentws's own, and what a document has lost. Pure."""
