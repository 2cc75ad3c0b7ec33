"""Writers, their keys and signatures, the tombstone."""
