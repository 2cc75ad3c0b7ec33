"""OpenClaw: a folder with a handler of its events. Pure."""
