"""`python -m assay` and the command `assay`."""


def main() -> None:
    """Runs the command line."""
    from assay.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
