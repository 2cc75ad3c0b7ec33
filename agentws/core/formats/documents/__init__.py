"""Each kind of file of a workspace, read and written."""
