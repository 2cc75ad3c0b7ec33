"""Views of journal events: audit, replay, descriptions, liveness of sessions, summaries. Pure."""
