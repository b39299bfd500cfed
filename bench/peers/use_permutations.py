"""A peer's randomisation test of one column of differences: LIBRARY FILE COLUMN PERMUTATIONS.

Prints its p and the processor time of the call alone; imports and compilation are not counted.
"""

import json
import sys
from time import process_time

import numpy as np


def main() -> None:
    library, path, column, permutations = sys.argv[1:]
    d = np.ascontiguousarray(np.load(path)[int(column)])
    if library == "scipy":
        from scipy.stats import permutation_test

        def p(count: int) -> float:
            found = permutation_test(
                (d,), np.sum, permutation_type="samples", n_resamples=count, vectorized=True, batch=200, rng=1
            )
            return float(found.pvalue)
    else:
        from ranx.statistical_tests import fisher_randomization_test

        def p(count: int) -> float:
            return float(fisher_randomization_test(np.zeros_like(d), d, n_permutations=count)[0])

    p(20)
    started = process_time()
    found = p(int(permutations))
    print(json.dumps({"cpu_s": process_time() - started, "p": found}))


if __name__ == "__main__":
    main()
