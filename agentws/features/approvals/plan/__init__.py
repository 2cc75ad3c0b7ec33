"""What an approval is worth: by its file, by what the journal tells of it, and by the proof of its answer."""
