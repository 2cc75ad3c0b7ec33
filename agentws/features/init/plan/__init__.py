"""Plans of init: which files boot will load in addition. Pure."""
