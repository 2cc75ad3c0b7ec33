"""Git's file formats: settings, excludes, objects, trees, and the output of its plumbing."""
