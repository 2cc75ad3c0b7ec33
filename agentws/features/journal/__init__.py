"""The record of events: read, verify, seal, replay."""
