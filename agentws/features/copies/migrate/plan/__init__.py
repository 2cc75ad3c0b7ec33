"""A move to another place: the destination, what has to be sent, and the order of the steps."""
