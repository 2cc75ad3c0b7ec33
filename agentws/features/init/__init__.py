"""init: creates a workspace, or adopts an existing folder."""
