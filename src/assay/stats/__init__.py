"""Statistics: intervals, resampling and what later verdicts need."""
