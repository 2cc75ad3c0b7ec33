"""The writers of a workspace and their keys: who may write, who is trusted, who may approve."""
