"""Outside formats, one a file. Importing this package registers them all; each member is one line here."""
