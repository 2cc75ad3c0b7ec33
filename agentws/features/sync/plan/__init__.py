"""The merge of sync: a three-way merge of two states of a workspace and their common base."""
