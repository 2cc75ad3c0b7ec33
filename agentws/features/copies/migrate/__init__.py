"""Migration: the move to another machine, without a fork."""
