"""Things that may travel, and the parcel that they travel in."""
