"""`windlass` and `python -m windlass`: both start here and go straight to the command line."""

from windlass.cli.main import main

if __name__ == "__main__":
    main()
