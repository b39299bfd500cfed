"""The verbs: fetch, compute, return a result, print nothing."""
