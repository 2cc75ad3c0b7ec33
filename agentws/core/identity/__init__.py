"""The identity of an agent: its writers and their keys, who may write, who is trusted, who may approve."""
