"""Open items: `todo` lists or adds them, `done` and `drop` close them."""
