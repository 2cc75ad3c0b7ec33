"""doctor and status: find what is wrong with a workspace, name the remedy, and fix what is safe to fix."""
