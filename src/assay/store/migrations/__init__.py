"""The chain of migrations, one file a step in `versions`."""
