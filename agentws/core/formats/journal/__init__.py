"""Events, and the journal that holds them."""
