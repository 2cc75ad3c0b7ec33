"""Finding secrets in texts and replacing them."""
