"""What may travel, and the parcel that it travels in."""
