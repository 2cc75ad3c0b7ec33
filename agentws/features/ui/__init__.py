"""ui: the page for people, served on this machine. Starlette, Jinja and uvicorn are an extra: `agentws[ui]`."""
