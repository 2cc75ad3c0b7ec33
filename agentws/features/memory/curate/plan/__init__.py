"""Plans of `curate`: the brief, the operations of an answer, their checks, and the evidence of sources. Pure."""
