"""workflow: steps whose results are recorded in the journal, and which are not run twice."""
