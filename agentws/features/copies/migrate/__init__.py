"""Migration: move an agent to another machine, so that only one copy may write."""
