"""Files in and out: one format a file, found from content."""
