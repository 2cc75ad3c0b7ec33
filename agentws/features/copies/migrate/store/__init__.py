"""Ways for a workspace to reach another place: a folder here, another machine over ssh."""
