"""The verbs, one a file: read, plan, apply, return what was done. They print nothing."""
