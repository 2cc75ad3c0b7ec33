"""Results of search as people and scripts see them."""
