"""Plans of forget: find the wanted texts in any encoding, and remove them from documents and records. Pure."""
