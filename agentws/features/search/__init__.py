"""search: finds entries of the workspace by words and by meaning; also the verbs `index` and `sql`, and recall."""
