"""mcp: serves a workspace to programs that speak the Model Context Protocol. The SDK is an extra: `agentws[mcp]`."""
