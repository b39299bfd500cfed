"""One view a result: the words that users read."""
