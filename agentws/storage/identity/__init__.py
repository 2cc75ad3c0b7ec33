"""The writers of a workspace: joining, vouching, admission, pins."""
