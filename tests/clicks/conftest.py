"""The plain loop that models are held against is the benchmark's, which is imported from the root of the repository."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
