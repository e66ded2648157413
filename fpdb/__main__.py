"""`python -m fpdb` is `fpdb`."""

from fpdb.cli import main

if __name__ == "__main__":
    main()
