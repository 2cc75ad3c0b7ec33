"""Import memories and sessions of other programs; export the workspace."""
