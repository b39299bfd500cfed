"""The command line: translates, nothing else."""
