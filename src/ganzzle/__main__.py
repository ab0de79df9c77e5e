"""`python -m ganzzle` is the command `ganzzle`."""

from ganzzle.cli import main

if __name__ == "__main__":
    main()
