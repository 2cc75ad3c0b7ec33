"""Plans of sync: the three-way merge of two states of a workspace and their base, and decisions about conflicts."""
