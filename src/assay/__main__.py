"""`python -m assay` and the command `assay`."""

import os


def main() -> None:
    """Runs the command line."""
    # numpy's threads wait by spinning, which costs a small run a fifth of its time; no verb gains from them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from assay.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
