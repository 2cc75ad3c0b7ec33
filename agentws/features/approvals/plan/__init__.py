"""Plans of approvals: the standing of a request by its events, and the rules for tool calls. Pure."""
